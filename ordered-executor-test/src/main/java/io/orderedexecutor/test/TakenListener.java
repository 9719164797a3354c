package io.orderedexecutor.test;

import io.orderedexecutor.TaskListener;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reports the events of an executor to the simulation whose thread uses it, and lets other threads go on at these
 * points.
 */
final class TakenListener implements TaskListener {
    private final TakenPlatform executor;

    TakenListener(TakenPlatform executor) {
        this.executor = executor;
    }

    private void tell(History.Kind kind, String what, @Nullable Object key, Object task) {
        SimulatedThread me = SimulatedThread.current();
        if (me == null) {
            return;
        }
        Scheduler scheduler = me.scheduler;
        String name = executor.nameIn(scheduler);
        scheduler.note(me, what, name, key);
        scheduler.history().add(kind, name, key, task);
        scheduler.letOthersGoOn(me);
    }

    /**
     * Fails a running simulation if the current thread is not part of it. If a thread that the executor started before
     * the simulation is awake, it may take tasks of the simulation.
     */
    private void failIfOutside() {
        Scheduler running = executor.running();
        if (SimulatedThread.current() == null && running != null) {
            running.fail(Outsider.serves(executor.name(), Thread.currentThread()));
        }
    }

    @Override
    public void queued(@Nullable Object key, Object task) {
        SimulatedThread me = SimulatedThread.current();
        boolean isFilled = me != null && me.filling == task;
        if (me != null && isFilled) {
            me.filling = null;
        }
        if (me != null && me.submitting != null) {
            me.scheduler.faults().submitted(me.submitting);
            me.submitting = null;
        }
        tell(isFilled ? History.Kind.FILLED : History.Kind.QUEUED, "queued", key, task);
    }

    @Override
    public void started(@Nullable Object key, Object task, long nanosQueued) {
        failIfOutside();
        InTurn.started(executor.name(), key, task);
        tell(History.Kind.STARTED, "starts", key, task);
    }

    @Override
    public void finished(@Nullable Object key, Object task, long nanosRun) {
        InTurn.ended(task);
        tell(History.Kind.ENDED, "ends", key, task);
    }

    @Override
    public void failed(@Nullable Object key, Object task, long nanosRun, Throwable failure) {
        InTurn.ended(task);
        failOnAssertion(failure);
        tell(History.Kind.ENDED, "fails", key, task);
    }

    private static void failOnAssertion(Throwable failure) {
        SimulatedThread me = SimulatedThread.current();
        if (me != null && failure instanceof AssertionError) {
            me.scheduler.fail(failure);
        }
    }

    @Override
    public void written(@Nullable Object key, Object task, long nanosWaited, long nanosWritten) {
        tell(History.Kind.WRITTEN, "writes", key, task);
    }

    @Override
    public void rejected(@Nullable Object key, Object task, Throwable reason) {
        tell(History.Kind.REJECTED, "rejected", key, task);
    }

    @Override
    public void dropped(@Nullable Object key, Object task) {
        tell(History.Kind.TAKEN_OUT, "dropped", key, task);
    }

    @Override
    public void cancelled(@Nullable Object key, Object task) {
        InTurn.ended(task);
        tell(History.Kind.TAKEN_OUT, "cancelled", key, task);
    }

    @Override
    public void batched(@Nullable Object key, int items) {
        SimulatedThread me = SimulatedThread.current();
        if (me != null) {
            me.scheduler.history().batched(executor.nameIn(me.scheduler), key, items);
        }
    }

    @Override
    public void parked(@Nullable Object key, Object task, Throwable failure) {
        InTurn.ended(task);
        failOnAssertion(failure);
        tell(History.Kind.PUT_BACK, "fails and parks", key, task);
    }

    @Override
    public void retried(@Nullable Object key, Object task, int failures, Duration pause, Throwable failure) {
        InTurn.ended(task);
        failOnAssertion(failure);
        tell(History.Kind.PUT_BACK, "fails and is retried", key, task);
    }
}
