package io.orderedexecutor.spring.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * One call of an annotated method, as a task. It may be run more than once, if the failure policy of its executor
 * retries it.
 */
final class Invocation implements OrderedAsyncCall, Supplier<CompletionStage<@Nullable Object>> {
    private static final Log logger = LogFactory.getLog(Invocation.class);

    private final MethodInvocation call;
    private final @Nullable Object[] arguments;
    private final OrderedAsyncOperation operation;
    private final TaskContext context;
    private final CallObservation observation;
    private final Runnable decorated;

    /** The stage of the latest run. Used only on the thread of the run. */
    private @Nullable CompletionStage<@Nullable Object> outcome;

    /**
     * The arguments of a run for several calls; null if the method runs for this one. Used on the thread of the run.
     */
    private @Nullable Object @Nullable [] joined;

    /**
     * The stage of the latest run, for the thread that cancels. That thread sets {@code cancelled} and then reads this
     * field; the run writes this field and then reads {@code cancelled}. So at least one of the two threads sees the
     * write of the other.
     */
    private volatile @Nullable CompletionStage<?> cancellable;

    /**
     * Whether the call was cancelled. Set by the thread that cancels; cleared by a thread that takes the call over
     * later.
     */
    private volatile boolean cancelled;

    /**
     * Creates a task. Called on the thread of the caller, since the decorators and the observer read its context.
     *
     * @param arguments of the run; the observer sees them, too
     */
    Invocation(
            MethodInvocation call, @Nullable Object[] arguments, OrderedAsyncOperation operation, TaskContext context) {
        this.call = call;
        this.arguments = arguments;
        this.operation = operation;
        this.context = context;
        // the decorators first: if one of them throws, nobody would tell the observer that the call has ended
        this.decorated = context.decorate(this::proceed);
        this.observation = context.observe(this, operation.submitter());
    }

    /** Runs the method. The returned stage is complete when the call has ended. */
    @Override
    public CompletionStage<@Nullable Object> get() {
        outcome = null;
        Throwable ofDecorator = null;
        try {
            decorated.run();
        } catch (Throwable failure) {
            ofDecorator = failure;
        }
        if (outcome == null) {
            return failed(
                    ofDecorator != null
                            ? ofDecorator
                            : new IllegalStateException(
                                    "A TaskDecorator did not run its task, or not at once: " + this));
        }
        if (ofDecorator != null) {
            // the method has run: it must not run again, and its stage may need the turn
            logger.error("A TaskDecorator failed after its task had run: " + this, ofDecorator);
        }
        return outcome;
    }

    /** Ends a run with a failure. Nobody holds the future of a void call, so that its failure is reported here. */
    private CompletionStage<@Nullable Object> failed(Throwable failure) {
        if (operation.returnKind() == ReturnKind.VOID) {
            context.report(failure, operation, argumentsOfRun());
        }
        return CompletableFuture.failedFuture(failure);
    }

    /**
     * Runs a call that an executor has given back, after it cancelled the caller's future. Called by the code that
     * takes the call over.
     */
    @Override
    public void run() {
        cancelled = false;
        reported(get());
    }

    /** Runs a call that an executor has given back, with these elements in place of the caller's list. */
    void run(int listAt, List<?> elements) {
        cancelled = false;
        reported(runWith(listAt, elements));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // only the action matters
    private void reported(CompletionStage<@Nullable Object> stage) {
        stage.whenComplete((result, failure) -> {
            if (failure != null && operation.returnKind() != ReturnKind.VOID) {
                context.report(failure, operation, argumentsOfRun());
            }
        });
    }

    @Override
    public Method method() {
        return operation.method();
    }

    @Override
    public List<@Nullable Object> arguments() {
        return Collections.unmodifiableList(Arrays.asList(arguments));
    }

    /** The bean whose method is called. */
    @Nullable
    Object target() {
        return call.getThis();
    }

    /**
     * Identifies the calls that replace each other: those of one method of one bean.
     *
     * @param target is compared by identity
     */
    private record Slot(Method method, @Nullable Object target) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Slot that && target == that.target && method.equals(that.method);
        }

        @Override
        public int hashCode() {
            return method.hashCode();
        }
    }

    /** Calls of the same slot replace and interrupt each other. */
    Object slot() {
        return new Slot(operation.method(), target());
    }

    /** Runs the method with these elements, which may be those of several calls, in place of the caller's list. */
    CompletionStage<@Nullable Object> runWith(int listAt, List<?> elements) {
        @Nullable Object[] ofAll = arguments.clone();
        ofAll[listAt] = elements;
        joined = ofAll;
        return get();
    }

    /** Called if another call runs the method for this one, too. Notifies the observer of that run. */
    void watch(CompletionStage<@Nullable Object> end) {
        observation.watch(end);
    }

    /**
     * Submits this call on the thread of the caller. The submission returns a future that handles its cancellation
     * itself.
     */
    CompletableFuture<@Nullable Object> observed(Supplier<CompletableFuture<@Nullable Object>> submission) {
        return observation.submit(submission);
    }

    /**
     * Submits this call on the thread of the caller. If the caller's future is cancelled, the stage of the method is
     * cancelled, too.
     */
    CompletableFuture<@Nullable Object> submitted(Supplier<CompletableFuture<@Nullable Object>> submission) {
        return cancelledWith(observation.submit(submission));
    }

    /**
     * Makes a cancellation of the caller's future cancel the stage that the method has returned, or is about to return.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // only the action matters
    private CompletableFuture<@Nullable Object> cancelledWith(CompletableFuture<@Nullable Object> ofCaller) {
        if (operation.returnKind() != ReturnKind.VOID) {
            ofCaller.exceptionally(failure -> {
                if (ofCaller.isCancelled()) {
                    cancelStage();
                }
                return null;
            });
        }
        return ofCaller;
    }

    void cancelStage() {
        cancelled = true;
        if (cancellable instanceof Future<?> stage) {
            stage.cancel(true);
        }
    }

    /** Returns the name of the task in messages of the executor. */
    @Override
    public String toString() {
        return InvalidOrderedAsyncException.describe(operation.method());
    }

    /**
     * Runs the method inside the decorators. Throws nothing, since a decorator might take the exception for a failure
     * of its own.
     */
    private void proceed() {
        outcome = observation.run(this::call, this::failed);
        if (cancelled) {
            cancelStage();
        }
    }

    private CompletionStage<@Nullable Object> call() {
        try {
            // cloned, since an invocation remembers the advice that it has passed: in a second run, it would call the
            // method directly
            MethodInvocation run = call instanceof ProxyMethodInvocation proxied
                    ? proxied.invocableClone(argumentsOfRun().clone())
                    : call;
            CompletionStage<@Nullable Object> stage = operation.returnKind().stageOf(run.proceed(), operation.method());
            cancellable = stage;
            return stage;
        } catch (Throwable failure) {
            return failed(failure);
        }
    }

    private @Nullable Object[] argumentsOfRun() {
        @Nullable Object[] ofAll = joined;
        return ofAll == null ? arguments : ofAll;
    }
}
