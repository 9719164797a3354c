package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.stats.StripedExecutorStats;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** When all is over: whether each task has exactly one end, and everybody tells the same of it. */
final class EndsAudit {
    private final EverythingRound round;
    private final EverythingSettings settings;
    private long completed;
    private long failed;
    private long cancelled;

    /** Tasks that failed or were cancelled: without a future and a listener, nobody tells which. */
    private long failedOrCancelled;

    private long refused;
    private long failedWhileParked;

    EndsAudit(EverythingRound round) {
        this.round = round;
        this.settings = round.settings();
    }

    void run() {
        auditTakenBack();
        for (WatchedTask task : round.tasks()) {
            if (task.isAccepted()) {
                auditAccepted(task);
            } else {
                auditRefused(task);
            }
        }
        for (WatchedStripe stripe : round.stripes()) {
            check(!stripe.lostUpdates(), stripe + " has not seen what its tasks did before");
        }
        auditStats();
        auditFailures();
    }

    private void check(boolean kept, Object otherwise) {
        if (!kept) {
            throw new AssertionError(otherwise + "; " + round.description());
        }
    }

    private void auditTakenBack() {
        IdentityHashMap<Object, WatchedTask> byFuture = new IdentityHashMap<>();
        for (WatchedTask task : round.tasks()) {
            if (task.future() != null) {
                byFuture.put(task.future(), task);
            }
        }
        Set<Runnable> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Runnable unstarted : round.takenBack()) {
            check(distinct.add(unstarted), unstarted + " was taken back twice");
            WatchedTask task = unstarted instanceof SubmissionWay.Guise guise ? guise.task : byFuture.get(unstarted);
            check(task != null, unstarted + " was taken back, but never submitted");
            task.onTakenBack();
        }
        round.coverage().count(Coverage.Feature.TAKEN_BACK, distinct.size());
        // the executor's listener knows the round, and would keep them for the executor
        round.takenBack().clear();
    }

    private void auditRefused(WatchedTask task) {
        refused++;
        check(task.attempts() == 0 && task.takenBack() == 0, "refused, and yet there: " + task);
        for (HeardTasks.Kind kind : HeardTasks.Kind.values()) {
            boolean toldSo = settings.isListening() && kind == HeardTasks.Kind.REJECTED;
            check(task.heard(kind) == (toldSo ? 1 : 0), "refused, and heard of as something else: " + task);
        }
    }

    private void auditAccepted(WatchedTask task) {
        check(task.successes() <= 1 && task.takenBack() <= 1, "ended twice: " + task);
        boolean putBack = settings.policy().putsBack();
        boolean parks = settings.policy().parks && task.plan().way().isStriped();
        check(parks || task.attempts() <= settings.policy().attempts, "ran too often: " + task);
        check(task.takenBack() == 0 || task.attempts() == 0 || putBack, "taken back after its start: " + task);
        check(task.takenBack() == 0 || task.successes() == 0, "taken back after its end: " + task);
        check(task.attempts() > 0 || task.successes() == 0, "succeeded without a start: " + task);
        TaskEnd end = task.plan().way().hasFuture() ? endOfFuture(task) : endOfRunnable(task);
        if (end == null) {
            failedOrCancelled++;
        } else {
            switch (end) {
                case COMPLETED -> completed++;
                case FAILED -> failed++;
                case CANCELLED -> cancelled++;
            }
        }
        if (end == TaskEnd.FAILED && task.intrudedBy() == null) {
            check(
                    round.isStopping() || task.attempts() >= settings.policy().attempts,
                    "failed before its last attempt: " + task);
            failedWhileParked += parks ? 1 : 0;
        }
        if (settings.isListening()) {
            auditHeard(task, end);
        }
    }

    // how it has ended

    /** Null if it did not succeed, and nobody tells whether it ran. */
    private TaskEnd endOfRunnable(WatchedTask task) {
        boolean mayBeCancelled = task.takenBack() == 1 || mayBeCancelledByExecutor();
        check(task.attempts() > 0 || mayBeCancelled, "lost: " + task);
        TaskEnd end = task.successes() == 1 ? TaskEnd.COMPLETED : null;
        if (end == null && settings.isListening()) {
            end = task.heard(HeardTasks.Kind.FAILED) == 1 ? TaskEnd.FAILED : TaskEnd.CANCELLED;
            check(task.uncaught() == (end == TaskEnd.FAILED ? 1 : 0), "failure not reported once: " + task);
            check(end == TaskEnd.FAILED || mayBeCancelled, "cancelled by nobody: " + task);
            check(end == TaskEnd.CANCELLED || task.attempts() > 0, "failed without a start: " + task);
        }
        check(task.takenBack() == 0 || end != TaskEnd.FAILED, "taken back, and failed: " + task);
        check(task.uncaught() <= (task.successes() == 1 ? 0 : 1), "failure reported too often: " + task);
        round.coverage().count(Coverage.Feature.UNCAUGHT, task.uncaught());
        return end;
    }

    private TaskEnd endOfFuture(WatchedTask task) {
        CompletableFuture<Object> future = task.future();
        check(future.isDone(), "never done: " + task);
        check(task.uncaught() == 0, "reported although its future tells: " + task);
        TaskPlan.Intrusion by = task.intrudedBy();
        if (future.isCancelled()) {
            boolean wanted = by != null && by.cancels();
            check(wanted || mayBeCancelledByExecutor(), "cancelled by nobody: " + task);
            if (task.attempts() > 0 && task.plan().way().isAsynchronous()) {
                round.coverage().count(Coverage.Feature.CANCELLED_WHILE_HELD);
            }
            return TaskEnd.CANCELLED;
        }
        if (future.isCompletedExceptionally()) {
            Throwable failure = failureOf(future);
            boolean outside = by == TaskPlan.Intrusion.FAIL;
            boolean own = failure instanceof TaskFault fault && fault.task() == task;
            boolean missing =
                    failure instanceof NullPointerException && task.plan().stage() == TaskPlan.Stage.MISSING;
            check(outside ? !own && !missing : by == null && (own || missing), "failed with " + failure + ": " + task);
            check(outside || task.attempts() > 0, "failed without a start: " + task);
            return TaskEnd.FAILED;
        }
        Object result = future.join();
        if (result == WatchedTask.OUTSIDE) {
            check(by == TaskPlan.Intrusion.COMPLETE || by == null, "completed otherwise: " + task);
            round.coverage().count(Coverage.Feature.COMPLETED_FROM_OUTSIDE);
        } else {
            check(by == null && task.successes() == 1, "completed without success: " + task);
            Object own = task.plan().way() == SubmissionWay.SERVICE_RUNNABLE ? null : task;
            check(result == own, "completed with " + result + ": " + task);
        }
        return TaskEnd.COMPLETED;
    }

    private boolean mayBeCancelledByExecutor() {
        return settings.discards() || mayBeCancelledByShutdown();
    }

    private boolean mayBeCancelledByShutdown() {
        boolean givenUp = settings.end() == EverythingSettings.End.SHUTDOWN && settings.policy().parks;
        return givenUp || round.isStopping();
    }

    private static Throwable failureOf(CompletableFuture<?> future) {
        try {
            future.join();
            throw new AssertionError("has not failed");
        } catch (CompletionException failure) {
            return failure.getCause();
        }
    }

    // what was told

    private void auditHeard(WatchedTask task, TaskEnd end) {
        int finished = task.heard(HeardTasks.Kind.FINISHED);
        int failures = task.heard(HeardTasks.Kind.FAILED);
        int cancels = task.heard(HeardTasks.Kind.CANCELLED);
        int drops = task.heard(HeardTasks.Kind.DROPPED);
        check(task.heard(HeardTasks.Kind.QUEUED) == 1, "not heard of as queued: " + task);
        check(task.heard(HeardTasks.Kind.REJECTED) == 0, "heard of as rejected: " + task);
        check(finished + failures + cancels + drops == 1, "not heard of with one end: " + task);
        check(drops == 0 || settings.discards(), "dropped, though nothing discards: " + task);
        boolean intruded = task.future() != null && isOutside(task);
        check(cancels == 0 || intruded || mayBeCancelledByShutdown(), "not heard of as dropped: " + task);
        // a future that was completed before a start says so itself; the work has then not been done
        boolean completedInstead = task.attempts() == 0 || settings.policy().putsBack();
        check(
                switch (end) {
                    case COMPLETED -> finished == 1 || (completedInstead && intruded);
                    case FAILED -> failures == 1 || (completedInstead && intruded);
                    case CANCELLED -> cancels == 1 || drops == 1;
                },
                "heard of with another end than " + end + ": " + task);
        int started = task.heard(HeardTasks.Kind.STARTED);
        int putBack = task.heard(HeardTasks.Kind.PARKED) + task.heard(HeardTasks.Kind.RETRIED);
        // one that was completed while the listener was told of its start has not begun
        int notBegun = started - task.attempts();
        check(notBegun == 0 || (notBegun == 1 && intruded), "not heard of with each attempt: " + task);
        check(started == putBack || started == putBack + 1, "not heard of with each failure: " + task);
        round.coverage().count(Coverage.Feature.DROPPED, drops);
        round.coverage().count(Coverage.Feature.PARKED, task.heard(HeardTasks.Kind.PARKED));
        round.coverage().count(Coverage.Feature.RETRIED, task.heard(HeardTasks.Kind.RETRIED));
    }

    private static boolean isOutside(WatchedTask task) {
        CompletableFuture<Object> future = task.future();
        return task.intrudedBy() != null
                || (!future.isCompletedExceptionally() && future.join() == WatchedTask.OUTSIDE);
    }

    /** As long as the executor runs, a parked task fails for good only if somebody skips it. */
    private void auditFailures() {
        if (settings.end() == EverythingSettings.End.DRAIN) {
            check(failedWhileParked <= round.skips(), failedWhileParked + " failed, " + round.skips() + " skipped");
        }
        round.coverage().count(Coverage.Feature.SKIPPED, round.skips());
    }

    private void auditStats() {
        StripedExecutorStats stats = round.executor().stats();
        String context = stats + "; " + round.description();
        assertThat(stats.stripes() + stats.queued() + stats.active())
                .as(context)
                .isZero();
        assertThat(stats.rejected()).as("rejected in %s", context).isEqualTo(refused);
        assertThat(stats.completed()).as("completed in %s", context).isEqualTo(completed);
        assertThat(stats.failed() + stats.cancelled())
                .as("failed and cancelled in %s", context)
                .isEqualTo(failed + cancelled + failedOrCancelled);
        if (failedOrCancelled == 0) {
            assertThat(stats.failed()).as("failed in %s", context).isEqualTo(failed);
        }
        round.coverage().count(Coverage.Feature.COMPLETED, completed);
        round.coverage().count(Coverage.Feature.FAILED, failed);
        round.coverage().count(Coverage.Feature.CANCELLED, cancelled);
        round.coverage().count(Coverage.Feature.REFUSED, refused);
    }
}
