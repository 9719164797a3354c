package io.orderedexecutor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RunnableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A task with a result.
 *
 * <p>The work belongs to whoever takes it out of {@code work}: the thread that starts it, or a cancellation, which frees
 * what the work refers to at once. The end is known when the future is done.
 *
 * @param <T> the type of the result
 */
abstract sealed class TaskFuture<T extends @Nullable Object> extends CompletableFuture<T> implements RunnableFuture<T> {
    private static final VarHandle WORK;

    static {
        try {
            WORK = MethodHandles.lookup().findVarHandle(TaskFuture.class, "work", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What is to be done; taken by an atomic exchange. */
    private volatile @Nullable Object work;

    /** The thread that does it. Written by that thread; who interrupts it, or is about to leave it, holds this monitor. */
    private volatile @Nullable Thread runner;

    /** How the work itself came out. Written by the runner and read by the holder of the chain. */
    private TaskEnd end = TaskEnd.CANCELLED;

    private TaskFuture(Object work) {
        WORK.set(this, work);
    }

    static <T extends @Nullable Object> TaskFuture<T> of(Callable<T> callable) {
        return new OfCallable<>(callable);
    }

    static <T extends @Nullable Object> TaskFuture<T> of(Runnable runnable, T result) {
        return new OfRunnable<>(runnable, result);
    }

    static <T extends @Nullable Object> TaskFuture<T> ofStage(Supplier<? extends CompletionStage<T>> supplier) {
        return new OfStage<>(supplier);
    }
}
