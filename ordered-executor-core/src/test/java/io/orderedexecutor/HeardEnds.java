package io.orderedexecutor;

import java.time.Duration;
import java.util.Objects;

/** Notes with each watched task what is heard of it, and throws now and then, which must harm nobody. */
final class HeardEnds implements TaskListener {
    private final EverythingRound round;
    private final boolean throwing;

    HeardEnds(EverythingRound round, boolean throwing) {
        this.round = round;
        this.throwing = throwing;
    }

    private void hear(HeardTasks.Kind kind, Object stripe, Object submitted) {
        if (!(submitted instanceof SubmissionWay.Guise guise)) {
            round.report(submitted + " was heard of as " + kind + ", but was never submitted");
            return;
        }
        WatchedTask task = guise.task;
        Object key = task.plan().way().isStriped() ? task.stripe().key() : null;
        if (!Objects.equals(key, stripe)) {
            task.report("was heard of with stripe " + stripe);
        }
        task.hear(kind);
        if (throwing && (task.number() + kind.name().length()) % 7 == 0) {
            throw new ThrownOnPurpose();
        }
    }

    private void hearFailure(HeardTasks.Kind kind, Object stripe, Object submitted, Throwable failure) {
        hear(kind, stripe, submitted);
        if (failure instanceof TaskFault fault && fault.task() != ((SubmissionWay.Guise) submitted).task) {
            round.report(submitted + " was heard of with the failure of " + fault.task());
        }
    }

    @Override
    public void queued(Object stripe, Object task) {
        hear(HeardTasks.Kind.QUEUED, stripe, task);
    }

    @Override
    public void started(Object stripe, Object task, long nanosQueued) {
        if (nanosQueued < 0) {
            round.report(task + " was queued for " + nanosQueued + " ns");
        }
        hear(HeardTasks.Kind.STARTED, stripe, task);
    }

    @Override
    public void finished(Object stripe, Object task, long nanosRun) {
        hear(HeardTasks.Kind.FINISHED, stripe, task);
    }

    @Override
    public void failed(Object stripe, Object task, long nanosRun, Throwable failure) {
        hearFailure(HeardTasks.Kind.FAILED, stripe, task, failure);
    }

    @Override
    public void rejected(Object stripe, Object task, Throwable reason) {
        hear(HeardTasks.Kind.REJECTED, stripe, task);
    }

    @Override
    public void dropped(Object stripe, Object task) {
        hear(HeardTasks.Kind.DROPPED, stripe, task);
    }

    @Override
    public void cancelled(Object stripe, Object task) {
        hear(HeardTasks.Kind.CANCELLED, stripe, task);
    }

    @Override
    public void parked(Object stripe, Object task, Throwable failure) {
        hearFailure(HeardTasks.Kind.PARKED, stripe, task, failure);
    }

    @Override
    public void retried(Object stripe, Object task, int failures, Duration pause, Throwable failure) {
        hearFailure(HeardTasks.Kind.RETRIED, stripe, task, failure);
    }
}
