package io.orderedexecutor.spring.annotation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** One call of an annotated method, as a task. */
final class Invocation implements Supplier<CompletionStage<@Nullable Object>> {
    private final MethodInvocation call;
    private final OrderedAsyncOperation operation;
    private final TaskContext context;
    private final Runnable decorated;

    private @Nullable CompletionStage<@Nullable Object> outcome;

    /** To be created on the thread of the caller. */
    Invocation(MethodInvocation call, OrderedAsyncOperation operation, TaskContext context) {
        this.call = call;
        this.operation = operation;
        this.context = context;
        this.decorated = context.decorate(this::proceed);
    }

    /** Runs the method; the stage is complete when the call has ended. */
    @Override
    public CompletionStage<@Nullable Object> get() {
        decorated.run();
        if (outcome == null) {
            throw new IllegalStateException("A TaskDecorator did not run its task, or not at once: "
                    + InvalidOrderedAsyncException.describe(operation.method()));
        }
        return outcome;
    }

    /** What the messages of the executor call the task. */
    @Override
    public String toString() {
        return InvalidOrderedAsyncException.describe(operation.method());
    }

    /** Throws nothing, since a decorator might take a failure for its own. */
    private void proceed() {
        try {
            outcome = operation.returnKind().stageOf(call.proceed(), operation.method());
        } catch (Throwable failure) {
            if (operation.returnKind() == ReturnKind.VOID) {
                context.report(failure, operation, call.getArguments());
            }
            outcome = CompletableFuture.failedFuture(failure);
        }
    }
}
