package io.orderedexecutor.engine.strand;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.pool.ServesTasks;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.task.TaskEnd;
import org.jspecify.annotations.Nullable;

/**
 * The life of a task, once it has been taken from its queue: it is run and ends; or it is asynchronous and its future
 * holds the strand until it is done; or it fails, and {@link AfterFailure} decides what follows.
 *
 * <p>What it has to remember from one attempt to the next is kept in the strand, and most often there is nothing.
 *
 * <p>Linking a task behind the one before it, so that the finished one starts the next, is Jeff Hain's answer to the
 * author of http-kit on the concurrency-interest list.
 */
public final class TaskLife implements ServesTasks {
    private static final String NO_ROOM_TO_END =
            "this task has run, but its result is lost: memory or stack had run out when it ended";

    private TaskLife() {}

    // running

    /**
     * Runs the task of a link, or puts it back, and contains what it throws; and what our own code throws, if memory or
     * stack run out.
     *
     * @param endedAt when the task before this one has ended; 0 if there is none, or something has come in between
     * @return whether this thread still holds the strand
     */
    static boolean perform(Strand strand, Link link, Thread thread, long endedAt) {
        Runnable task = null;
        Object work = null;
        AsyncAttempt hold = null;
        Progress progress = Progress.TAKEN;
        try {
            task = strand.claimFrom(link);
            if (task == null) {
                return true;
            }
            strand.onTaken();
            Throwable failure;
            if (task instanceof WorkFuture<?> future) {
                work = future.take();
                if (work == null || future.isDone()) {
                    progress = Progress.ENDS;
                    strand.host().reporter().skip(strand.key, future, work);
                    return true;
                }
                start(strand, link, work, endedAt);
                progress = Progress.STARTED;
                failure = null;
                try {
                    beforeBody(strand);
                    hold = future.attempt(work);
                } catch (Throwable thrown) {
                    failure = thrown;
                }
                Thread.interrupted();
                if (failure == null && hold != null) {
                    if (!hold.isOver() && holdFor(strand, hold, link, work, thread)) {
                        return false;
                    }
                    failure = hold.failure;
                }
            } else {
                work = task;
                start(strand, link, work, endedAt);
                progress = Progress.STARTED;
                failure = run(strand, task);
                Thread.interrupted();
            }
            if (failure == null) {
                progress = Progress.ENDS;
                end(strand, task, null);
                return true;
            }
            return AfterFailure.goOn(strand, link, task, hold, work, failure, thread);
        } catch (Throwable ofOurs) {
            if (task == null) {
                throw ofOurs;
            }
            if (progress == Progress.TAKEN) {
                // it has not run, and whoever comes next finds it again
                if (task instanceof WorkFuture<?> future && work != null) {
                    future.putBack(work);
                }
                link.putBack(task);
                strand.onTaking(-1);
                strand.onPutBack();
                throw ofOurs;
            }
            try {
                return goOnAfter(strand, link, task, work, hold, progress == Progress.ENDS, ofOurs, thread);
            } catch (Throwable again) {
                // writes and no calls, as there may be no stack for any
                if (strand.holder == thread && task instanceof WorkFuture && link.waiting() == null) {
                    strand.holder = hold == null ? task : hold;
                }
                throw again;
            }
        }
    }

    private static void start(Strand strand, Link link, Object work, long endedAt) {
        TaskRun run = strand.host().reporter().tellStart(strand.key, work, link.queuedAt(), strand.run, endedAt);
        if (run != null) {
            strand.setRun(run);
            Thread.interrupted();
        }
        // a shutdown that has come before interrupts nobody any more: neither while the listener is told, nor a task
        // that was accepted late
        if (strand.host().isStopping()) {
            Thread.currentThread().interrupt();
        }
    }

    private static void beforeBody(Strand strand) {
        if (strand.run != null) {
            strand.host().platform().beforeTask();
        }
    }

    private static @Nullable Throwable run(Strand strand, Runnable task) {
        try {
            beforeBody(strand);
            task.run();
            return null;
        } catch (Throwable failure) {
            return failure;
        }
    }

    /** Ends a task that has run. */
    static void end(Strand strand, Runnable task, @Nullable Throwable failure) {
        strand.forgetAttempts();
        TaskReporter reporter = strand.host().reporter();
        TaskEnd end = reporter.countEnd(task, failure);
        TaskRun run = strand.run;
        if (run != null) {
            reporter.tellEnd(strand.key, run, task, end, failure);
        }
        if (failure != null && !(task instanceof WorkFuture<?> future && future.hasCaller())) {
            UncaughtFailures.report(failure);
        }
    }

    /**
     * Memory or stack have run out in our own code.
     *
     * @param ends whether the task was about to end
     * @return whether this thread still holds the strand
     */
    private static boolean goOnAfter(
            Strand strand,
            Link link,
            Runnable task,
            @Nullable Object work,
            @Nullable AsyncAttempt hold,
            boolean ends,
            Throwable ofOurs,
            Thread thread) {
        UncaughtFailures.report(ofOurs);
        if (strand.isHeldBy(thread)
                && hold != null
                && work != null
                && !hold.isOver()
                && holdFor(strand, hold, link, work, thread)) {
            return false;
        }
        if (!strand.isHeldBy(thread) && !(hold != null && hold.isOver() && strand.enter(hold, thread))) {
            return false;
        }
        if (link.waiting() != null) {
            // the pause is lost, the task is not
            return true;
        }
        if (task instanceof WorkFuture<?> future ? !future.isDone() : !ends) {
            endForSure(strand, task, ofOurs);
        }
        return true;
    }

    /**
     * Ends a task that has run and has failed, for the holder. If there is no memory for that, it is tried again; if it
     * is in vain, or there is no stack, the strand waits for a thread that can do it.
     */
    static void endForSure(Strand strand, Runnable task, Throwable failure) {
        for (int tries = 0; ; tries++) {
            try {
                end(strand, task, failure);
                return;
            } catch (Throwable noMemory) {
                if (!(task instanceof WorkFuture<?> future)) {
                    // it has no future that could be lost, and may be counted
                    throw noMemory;
                }
                if (!(noMemory instanceof OutOfMemoryError) || tries == Serving.MOST_TRIES) {
                    // a write and no call
                    strand.holder = task;
                    throw noMemory;
                }
                strand.host().platform().awaitMemory(tries);
                if (future.isDone()) {
                    return;
                }
            }
        }
    }

    /**
     * Ends the task that a strand has waited for, if it has waited for one.
     *
     * @param holderBefore what it has waited for
     * @return whether this thread, which has entered, still holds the strand
     */
    static boolean goOnFrom(Strand strand, @Nullable Object holderBefore, Thread thread) {
        if (holderBefore instanceof AsyncAttempt hold) {
            return endAttempt(strand, hold, thread);
        }
        if (holderBefore instanceof WorkFuture<?> unended) {
            Throwable failure = unended.isDone() ? null : new IllegalStateException(NO_ROOM_TO_END);
            end(strand, unended, failure);
        }
        return true;
    }

    // asynchronous tasks

    /**
     * Leaves the strand to an asynchronous task.
     *
     * @return false if the task has ended before this thread had left
     */
    private static boolean holdFor(Strand strand, AsyncAttempt hold, Link link, Object work, Thread thread) {
        if (strand.failurePolicy() != FailurePolicy.proceed()) {
            try {
                strand.attemptsAt(link).heldWork = work;
            } catch (OutOfMemoryError noMemory) {
                // the task will not be run again; the strand is held until its stage is complete all the same
                UncaughtFailures.report(noMemory);
            }
        }
        strand.settleAt(link);
        strand.leave(hold);
        Thread.interrupted();
        if (strand.host().isStopping()) {
            // the shutdown may have looked before the hold became the holder, and has then not cancelled it
            hold.future.cancel(true);
        }
        // read after the write in leave: one who completes the future has either seen this hold, or is seen here
        return !hold.isOver() || !strand.enter(hold, thread);
    }

    /**
     * Goes on after an asynchronous task, unless the strand does not wait for it, or the one who started it is still
     * here to do so.
     */
    static void goOnAfter(Strand strand, AsyncAttempt hold) {
        Serving.passOn(strand, hold);
    }

    /** For a thread that has entered for an asynchronous task; returns whether it still holds the strand. */
    public static boolean endAttempt(Strand strand, AsyncAttempt hold, Thread thread) {
        if (!staysAfter(strand, hold, thread)) {
            return false;
        }
        Throwable failure = hold.failure;
        Runnable task = hold.future;
        if (failure == null || hold.future.isDone()) {
            end(strand, task, null);
            return true;
        }
        Attempts attempts = strand.attempts;
        Object work = attempts == null ? null : attempts.heldWork;
        return AfterFailure.goOn(strand, strand.head(), task, hold, work, failure, thread);
    }

    /**
     * Leaves the strand to an asynchronous task again if that is not over: another thread may have completed its future
     * while this one entered to do so, and still run the dependent actions; or nobody has completed it after all.
     *
     * @return whether this thread still holds the strand
     */
    static boolean staysAfter(Strand strand, AsyncAttempt hold, Thread thread) {
        if (hold.isOver()) {
            return true;
        }
        strand.leaveAgain(hold);
        // read after the write in leaveAgain, as in holdFor
        return hold.isOver() && strand.enter(hold, thread);
    }
}
