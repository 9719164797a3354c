package io.orderedexecutor.engine.strand;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What follows when a task has failed, as the {@link FailurePolicy} says: it has failed for good; or it is put back
 * into its link, to be retried after a delay, or parked until somebody resumes or skips.
 */
final class AfterFailure {
    private AfterFailure() {}

    /**
     * Proceeds, has the task run again, or parks, as the policy says.
     *
     * @param hold the attempt, if its task is asynchronous and has got as far as its stage
     * @return whether this thread still holds the strand
     */
    static boolean goOn(
            Strand strand,
            Link link,
            Runnable task,
            @Nullable AsyncAttempt hold,
            @Nullable Object work,
            Throwable failure,
            Thread thread) {
        FailurePolicy policy = strand.failurePolicy();
        Attempts attempts = strand.attemptsAt(link);
        int failures = ++attempts.failures;
        attempts.heldWork = null;
        WorkFuture.endIfSuperseded(task);
        boolean retries = policy.retriesAfter(failures);
        boolean ends = strand.host().isStopping() || !(retries || policy.parks());
        if (ends || work == null || (task instanceof WorkFuture<?> done && done.isDone())) {
            return endAfterFailure(strand, link, task, hold, failure, thread);
        }
        putBack(strand, link, task, work);
        if (task instanceof WorkFuture<?> done && done.isDone()) {
            // whoever has completed it meanwhile has not found it here, and so does not end a suspension
            return true;
        }
        Duration pause = retries ? policy.pauseAfter(failures) : null;
        strand.host().reporter().tellPutBack(strand.key, work, failures, pause, failure);
        return pause == null ? park(strand, failure, thread) : backOff(strand, pause, failure, thread);
    }

    private static boolean endAfterFailure(
            Strand strand, Link link, Runnable task, @Nullable AsyncAttempt hold, Throwable failure, Thread thread) {
        if (hold != null && task instanceof WorkFuture<?> future) {
            future.fail(failure);
            strand.settleAt(link);
            if (!TaskLife.staysAfter(strand, hold, thread)) {
                return false;
            }
        }
        TaskLife.end(strand, task, failure);
        return true;
    }

    private static void putBack(Strand strand, Link link, Runnable task, Object work) {
        if (task instanceof WorkFuture<?> future) {
            future.putBack(work);
        }
        link.putBack(task);
        strand.settleAt(link);
        strand.onTaking(-1);
        strand.onPutBack();
    }

    private static boolean backOff(Strand strand, Duration pause, Throwable failure, Thread thread) {
        // asked again, since a shutdown that has looked for what waits before this was put back does not look again
        if (pause.isZero() && !strand.host().isStopping()) {
            return true;
        }
        long until = strand.host().platform().nanoTime() + Turn.nanos(pause);
        Suspension suspension = Suspension.backingOff(failure, until);
        strand.leave(suspension);
        if (strand.host().isStopping()) {
            return giveUpAgain(strand, suspension, thread);
        }
        if (strand.head().isVacated() || WorkFuture.isSuperseded(strand.head().waiting())) {
            // taken out or superseded before the suspension could be seen: nothing is left to wait for
            return strand.enter(suspension, thread);
        }
        try {
            strand.host().platform().schedule(Turn.nanos(pause), () -> Serving.goOnElsewhere(strand, suspension));
            return false;
        } catch (Throwable noTimer) {
            // the pause is lost, the task is not
            UncaughtFailures.report(noTimer);
            return strand.enter(suspension, thread);
        }
    }

    private static boolean park(Strand strand, Throwable failure, Thread thread) {
        strand.attempts = null;
        Suspension suspension = new Suspension(Suspension.Reason.PARKED, failure);
        strand.leave(suspension);
        if (strand.host().isShutdown()) {
            return giveUpAgain(strand, suspension, thread);
        }
        // taken out before the suspension could be seen: nobody is left to decide on
        return strand.head().isVacated() && strand.enter(suspension, thread);
    }

    /**
     * For a suspension that a shutdown may have come too early to see: it is asked for after the holder was written,
     * and written before the shutdown looks.
     */
    private static boolean giveUpAgain(Strand strand, Suspension suspension, Thread thread) {
        boolean mine = strand.enter(suspension, thread);
        if (mine) {
            endFailed(strand, suspension);
            if (!strand.host().isStopping()) {
                // else what waits behind it is taken back by the shutdown, which returns it
                strand.cancelFollowers();
            }
        }
        return mine;
    }

    /** For the holder of a strand that was parked: the failed task has failed for good. */
    static void endFailed(Strand strand, Suspension parked) {
        Runnable failed = strand.claimFrom(strand.head());
        if (failed == null) {
            return;
        }
        strand.onTaken();
        Object work = failed;
        if (failed instanceof WorkFuture<?> future) {
            work = future.take();
            if (work == null) {
                // it is being cancelled at the same time, by a thread that has taken the work and tells of its end
                strand.host().reporter().skip(strand.key, future, null);
                return;
            }
        }
        TaskRun run = strand.run;
        if (run != null) {
            run.keepOnly(work);
        }
        TaskLife.endForSure(strand, failed, Objects.requireNonNull(parked.failure));
    }
}
