package io.orderedexecutor;

import io.orderedexecutor.engine.admit.KeyedEngine;
import io.orderedexecutor.engine.task.TaskFuture;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A submitter with its own overflow policy.
 *
 * @param overflow the overflow policy; null for that of the executor
 */
record GroupedView(KeyedEngine engine, @Nullable Overflow overflow) implements GroupedSubmitter {

    @Override
    public void execute(Groups groups, Runnable task) {
        Objects.requireNonNull(groups, "groups");
        engine.submit(groups, TaskFuture.asPlain(Objects.requireNonNull(task, "task")), overflow);
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submit(Groups groups, Callable<T> task) {
        Objects.requireNonNull(groups, "groups");
        TaskFuture<T> future = new TaskFuture.Call<>(Objects.requireNonNull(task, "task"));
        engine.submit(groups, future, overflow);
        return future;
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submitAsync(
            Groups groups, Supplier<? extends CompletionStage<T>> task) {
        Objects.requireNonNull(groups, "groups");
        TaskFuture<T> future = new TaskFuture.Stage<>(Objects.requireNonNull(task, "task"));
        engine.submit(groups, future, overflow);
        return future;
    }

    @Override
    public Reservation reserve(Groups groups) {
        return engine.reserve(Objects.requireNonNull(groups, "groups"), overflow);
    }

    @Override
    public GroupedSubmitter with(Overflow other) {
        return new GroupedView(engine, Objects.requireNonNull(other, "overflow"));
    }

    @Override
    public Executor executorFor(Groups groups) {
        return new OfGroups(this, Objects.requireNonNull(groups, "groups"));
    }

    @Override
    public String toString() {
        return engine.service().name() + (overflow == null ? "" : " with " + overflow);
    }

    private record OfGroups(GroupedView view, Groups groups) implements Executor {
        @Override
        public void execute(Runnable task) {
            view.execute(groups, task);
        }

        @Override
        public String toString() {
            return view.engine.service().name() + "[" + groups + "]";
        }
    }
}
