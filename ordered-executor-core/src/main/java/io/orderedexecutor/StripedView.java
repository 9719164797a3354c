package io.orderedexecutor;

import io.orderedexecutor.engine.admit.KeyedEngine;
import io.orderedexecutor.engine.task.TaskFuture;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A submitter with policies of its own.
 *
 * @param overflow the overflow policy; null for that of the executor
 */
record StripedView(
        KeyedEngine engine, WhenBusy whenBusy, @Nullable Overflow overflow) implements StripedSubmitter {

    @Override
    public void execute(Object stripe, Runnable task) {
        Objects.requireNonNull(stripe, "stripe");
        Runnable plain = TaskFuture.asPlain(Objects.requireNonNull(task, "task"));
        Runnable submitted = KeyedEngine.hasSlot(whenBusy) ? TaskFuture.Run.executed(plain) : plain;
        engine.submit(stripe, submitted, whenBusy, overflow);
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submit(Object stripe, Callable<T> task) {
        Objects.requireNonNull(stripe, "stripe");
        return submit(stripe, new TaskFuture.Call<>(Objects.requireNonNull(task, "task")));
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submitAsync(
            Object stripe, Supplier<? extends CompletionStage<T>> task) {
        Objects.requireNonNull(stripe, "stripe");
        Objects.requireNonNull(task, "task");
        return submit(
                stripe,
                whenBusy instanceof WhenBusy.Queue
                        ? new TaskFuture.Stage<>(task)
                        : new TaskFuture.SupersedableStage<>(task));
    }

    private <T extends @Nullable Object> CompletableFuture<T> submit(Object stripe, TaskFuture<T> future) {
        return engine.submit(stripe, future, whenBusy, overflow)
                ? future
                : new RefusedFuture<>(new TaskRefusedException("this task was not accepted: " + engine.describe(stripe)
                        + " is busy, and the task was submitted with WhenBusy.refuse()"));
    }

    @Override
    public Reservation reserve(Object stripe) {
        if (!(whenBusy instanceof WhenBusy.Queue)) {
            throw new UnsupportedOperationException("a reserved place waits in the queue of its stripe, and cannot "
                    + (whenBusy instanceof WhenBusy.Refuse
                            ? "be refused"
                            : whenBusy instanceof WhenBusy.Latest ? "replace a task" : "interrupt a task")
                    + "; reserve it with WhenBusy.queue(), or with the executor itself");
        }
        return engine.reserve(Objects.requireNonNull(stripe, "stripe"), overflow);
    }

    @Override
    public StripedSubmitter with(WhenBusy other) {
        return new StripedView(engine, Objects.requireNonNull(other, "whenBusy"), overflow);
    }

    @Override
    public StripedSubmitter with(Overflow other) {
        return new StripedView(engine, whenBusy, Objects.requireNonNull(other, "overflow"));
    }

    @Override
    public Executor executorFor(Object stripe) {
        return new OfStripe(this, Objects.requireNonNull(stripe, "stripe"));
    }

    @Override
    public String toString() {
        return engine.service().name() + " with " + whenBusy + (overflow == null ? "" : " and " + overflow);
    }

    private record OfStripe(StripedView view, Object stripe) implements Executor {
        @Override
        public void execute(Runnable task) {
            view.execute(stripe, task);
        }

        @Override
        public String toString() {
            return view.engine.service().name() + "[" + stripe + "]";
        }
    }

    /** The future of a task that was refused. Newer JDKs would wrap its exception in another one. */
    private static final class RefusedFuture<T extends @Nullable Object> extends CompletableFuture<T> {
        private final TaskRefusedException refused;

        RefusedFuture(TaskRefusedException refused) {
            this.refused = refused;
            completeExceptionally(refused);
        }

        @Override
        public T get() {
            throw refused;
        }

        @Override
        public T get(long timeout, TimeUnit unit) {
            throw refused;
        }

        @Override
        public T join() {
            throw refused;
        }

        @Override
        public T getNow(T valueIfAbsent) {
            throw refused;
        }
    }
}
