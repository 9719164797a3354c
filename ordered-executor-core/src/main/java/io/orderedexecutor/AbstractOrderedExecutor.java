package io.orderedexecutor;

import io.orderedexecutor.engine.executor.Engine;
import io.orderedexecutor.engine.executor.Settings;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.task.Reasons;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.Explanation.Place;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** An executor in front of its {@link Engine}: what does not depend on what makes tasks conflict. */
abstract sealed class AbstractOrderedExecutor implements OrderedExecutor permits StripeControl {
    private final Engine<?> engine;

    AbstractOrderedExecutor(Engine<?> engine) {
        this.engine = engine;
    }

    @Override
    public final String name() {
        return engine.name();
    }

    /** Returns the name and the statistics, as a text for people to read. */
    @Override
    public final String toString() {
        return name() + " " + stats() + (isTerminated() ? " terminated" : isShutdown() ? " shut down" : " running");
    }

    // Live control

    @Override
    public final void pause() {
        engine.pause();
    }

    @Override
    public final void resume() {
        engine.resume();
    }

    @Override
    public final boolean isPaused() {
        return engine.isPaused();
    }

    @Override
    public final void setThreads(int threads) {
        engine.workers().setThreads(Settings.checkedThreads(threads));
    }

    @Override
    public final void setTurn(int tasks, Duration time) {
        engine.workers().setTurn(Turn.of(tasks, time));
    }

    @Override
    public final void setCapacity(int capacity) {
        engine.requireLimits("capacity").setCapacity(Settings.checked("capacity", capacity));
    }

    @Override
    public final boolean drain(Duration limit) throws InterruptedException {
        return engine.drain(limit);
    }

    @Override
    public final OrderedExecutorSettings settings() {
        return engine.settings();
    }

    @Override
    public final List<RunningTask> runningTasks() {
        return engine.runningTasks();
    }

    @Override
    public final Explanation explain(Object key, boolean stacks) {
        return engine.explain(Objects.requireNonNull(key, "key"), stacks);
    }

    @Override
    public final Explanation explainTask(Future<?> future, boolean stacks) {
        Explanation explanation = Reasons.ofTask(future, stacks);
        return explanation == null ? Reasons.idle(new Place(name(), engine.keyType(), null)) : explanation;
    }

    @Override
    public final List<Explanation> explainStuck(Duration atLeast) {
        if (Objects.requireNonNull(atLeast, "atLeast").isNegative()) {
            throw new IllegalArgumentException("atLeast is " + atLeast + ", but must not be negative");
        }
        return engine.explainStuck(atLeast);
    }

    @Override
    public final Optional<Duration> oldestQueuedAge() {
        return engine.oldestQueuedAge();
    }

    @Override
    public final Rejections rejections() {
        return engine.rejections();
    }

    // Lifecycle

    @Override
    public final void shutdown() {
        engine.lifecycle().shutdown();
    }

    @Override
    public final List<Runnable> shutdownNow() {
        return engine.lifecycle().shutdownNow();
    }

    @Override
    public final boolean isShutdown() {
        return engine.lifecycle().isShutdown();
    }

    @Override
    public final boolean isTerminated() {
        return engine.lifecycle().isTerminated();
    }

    @Override
    public final boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return engine.lifecycle().awaitTermination(timeout, unit);
    }

    @Override
    public final void close() {
        engine.lifecycle().close();
    }
}
