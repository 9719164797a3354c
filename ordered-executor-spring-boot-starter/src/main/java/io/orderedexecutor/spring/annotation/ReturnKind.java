package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.InvalidOrderedAsyncException.describe;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of return types, and how each is turned into a stage: the turn of the call lasts until this stage is
 * complete.
 */
enum ReturnKind {
    /** The call is done when the method returns. */
    VOID {
        @Override
        CompletionStage<@Nullable Object> stageOf(@Nullable Object returned, Method method) {
            return CompletableFuture.completedFuture(null);
        }
    },
    /** The call is done when the returned stage is complete. */
    STAGE {
        @Override
        CompletionStage<@Nullable Object> stageOf(@Nullable Object returned, Method method) {
            return returned == null ? nothingReturned(method) : cast(returned);
        }
    },
    /**
     * The call is done when the stage is, if the returned future is a stage. Any other future must be done when the
     * method returns it: waiting for its end would block a thread.
     */
    FUTURE {
        @Override
        CompletionStage<@Nullable Object> stageOf(@Nullable Object returned, Method method) {
            if (returned == null) {
                return nothingReturned(method);
            }
            if (returned instanceof CompletionStage) {
                return cast(returned);
            }
            Future<?> future = (Future<?>) returned;
            return future.isDone() ? outcomeOf(future) : notDone(method);
        }
    };

    abstract CompletionStage<@Nullable Object> stageOf(@Nullable Object returned, Method method);

    /** Returns the kind of a method, or throws if calls of it cannot be tasks. */
    static ReturnKind of(Method method) {
        Class<?> type = method.getReturnType();
        Class<?>[] parameters = method.getParameterTypes();
        if (parameters.length > 0
                && parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation")) {
            throw new InvalidOrderedAsyncException(
                    "@OrderedAsync on " + describe(method) + ": a suspend function cannot be an ordered task",
                    "Make it a plain function that returns CompletableFuture, of a coroutine's future { } for "
                            + "instance.");
        }
        if (type == void.class) {
            return VOID;
        }
        if (type == CompletableFuture.class || type == CompletionStage.class) {
            return STAGE;
        }
        if (type == Future.class) {
            return FUTURE;
        }
        throw new InvalidOrderedAsyncException(
                "@OrderedAsync on " + describe(method) + " returns " + type.getTypeName()
                        + ", but the caller does not wait for the result",
                "Return void, CompletableFuture, CompletionStage or Future; or, if the annotation is on the "
                        + "type, move it to the"
                        + " methods that it is meant for.");
    }

    @SuppressWarnings("unchecked")
    private static CompletionStage<@Nullable Object> cast(Object stage) {
        return (CompletionStage<@Nullable Object>) stage;
    }

    private static CompletionStage<@Nullable Object> nothingReturned(Method method) {
        return CompletableFuture.failedFuture(
                new NullPointerException(describe(method) + " returned null instead of a future"));
    }

    private static CompletionStage<@Nullable Object> notDone(Method method) {
        return CompletableFuture.failedFuture(new IllegalStateException(describe(method)
                + " returned a future that is not done and is not a CompletionStage, so its end cannot be known "
                + "without blocking a"
                + " thread; declare and return CompletableFuture"));
    }

    private static CompletionStage<@Nullable Object> outcomeOf(Future<?> done) {
        try {
            return CompletableFuture.completedFuture(done.get());
        } catch (InterruptedException e) {
            // get() of a done future does not wait, but some implementations first check for an interrupt
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(e);
        } catch (ExecutionException e) {
            return CompletableFuture.failedFuture(e.getCause() == null ? new CompletionException(e) : e.getCause());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
