package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.pool.ServesTasks;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.task.RejectionCounts;
import org.jspecify.annotations.Nullable;

/**
 * A thread's time with a strand: how it gets the right to run tasks, takes them in turn, and gives the right back.
 *
 * <p>There is one way in, {@link #enter}, and what was taken there is given back there, whatever is thrown on the way:
 * the thread tries again, or another one is found, or the strand is marked as {@linkplain Strand#unattended
 * unattended}, for those who come next. Tasks are contained further inside, by {@link TaskLife}; what arrives here is
 * memory or stack that have run out in our own code.
 */
public final class Serving implements ServesTasks {
    /** How often a thread goes on although memory or stack run out in our own code; with memory, for half a second. */
    static final int MOST_TRIES = 10;

    /** How far a thread has come. */
    private enum Served {
        /** It still holds the strand, and there is more to do. */
        IN_PART,
        /** The strand is held by another, or waits for something. */
        LEFT,
        /** The strand has ended. */
        TO_THE_END
    }

    private Serving() {}

    // the way in

    /**
     * What each kind of strand does when it is run: serves it, if it waits for a thread. A second run of one hand-over,
     * or one after the end, does nothing.
     */
    public static void run(Strand strand) {
        if (!enter(strand, Strand.READY, null, false)) {
            adoptIfUnattended(strand);
        }
    }

    /**
     * Hands a strand to the workers, for the submitter that opened it. If they refuse, that submitter takes its task
     * back and gets the refusal. Tasks of others may have been accepted behind it: they are offered to the workers once
     * more, and if need be served by this thread, since nobody else is left to do it.
     *
     * @param first the link that the strand was opened with
     */
    public static void handOver(Strand strand, Link first) {
        try {
            strand.workers().handOver(strand);
        } catch (Throwable refusal) { // a checked one too: not all languages declare them
            if (!withdraw(strand, first)) {
                // the task has been run or taken all the same, so its submitter must not be told otherwise
                UncaughtFailures.report(refusal);
                passOn(strand);
                return;
            }
            try {
                strand.host().reporter().rejections().count(RejectionCounts.Reason.NO_THREAD);
            } finally {
                passOn(strand);
            }
            throw refusal;
        }
    }

    /**
     * Takes the first task back, for the submitter that opened a strand with it and could not get on. What comes of the
     * strand is up to the caller.
     *
     * @return false if the task has been run or taken out all the same
     */
    public static boolean withdraw(Strand strand, Link first) {
        Runnable task = first.waitingAsPlaced();
        if (task == null || !strand.takeOut(first, task)) {
            return false;
        }
        strand.onTaken();
        // the submitter gives its permit back, as it does whatever the reason
        strand.onPutBack();
        return true;
    }

    /** What a thread that has entered does before it serves the strand, in place of {@link TaskLife#goOnFrom}. */
    public interface FirstStep {

        /** Returns whether that thread still holds the strand. */
        boolean take(Thread holder);
    }

    /**
     * Makes this thread the holder, if {@code holderBefore} is what the strand has waited for, and serves the strand.
     *
     * @param first done before anything else, and not again; null to end the task that the strand has waited for. If it
     *     throws, the strand waits for what it has waited for before
     * @param onlyPassOn whether this thread should not stay
     * @return false if the strand waits for something else
     */
    public static boolean enter(
            Strand strand, @Nullable Object holderBefore, @Nullable FirstStep first, boolean onlyPassOn) {
        Thread thread = Thread.currentThread();
        if (!strand.enter(holderBefore, thread)) {
            return false;
        }
        Object holderAfter = holderBefore;
        FirstStep toTake = first;
        for (int tries = 0; ; tries++) {
            Throwable thrown;
            try {
                if (toTake == null ? TaskLife.goOnFrom(strand, holderAfter, thread) : toTake.take(thread)) {
                    toTake = null;
                    holderAfter = Strand.READY;
                    serve(strand, thread, onlyPassOn);
                }
                return true;
            } catch (Throwable failure) {
                thrown = failure;
            }
            // writes and no calls, as there may be no stack for any; what this thread does not hold was given back
            // before, or has ended
            if (strand.holder == thread) {
                strand.holder = holderAfter;
            }
            strand.unattended = true;
            strand.host.hasUnattended = true;
            UncaughtFailures.report(thrown);
            if (!isForAnyThread(strand.holder) || isPassedOn(strand) || tries == MOST_TRIES) {
                return true;
            }
            // no other thread will: this one tries again, unless it is in vain
            if (thrown instanceof OutOfMemoryError) {
                strand.host().platform().awaitMemory(tries);
            }
            toTake = null;
            holderAfter = strand.holder;
            if (!isForAnyThread(holderAfter) || !strand.enter(holderAfter, thread)) {
                return true;
            }
        }
    }

    /** Whether a thread that finds a strand with this holder may go on. */
    private static boolean isForAnyThread(@Nullable Object holder) {
        return holder == Strand.READY
                || holder instanceof WorkFuture
                || (holder instanceof AsyncAttempt attempt && attempt.isOver());
    }

    private static boolean isPassedOn(Strand strand) {
        try {
            return strand.workers().passOn(strand);
        } catch (Throwable noMemory) {
            return false;
        }
    }

    /** For a thread that should not stay: serves a strand that is ready, only as far as no other thread will. */
    static void passOn(Strand strand) {
        passOn(strand, Strand.READY);
    }

    /** As {@link #passOn(Strand)}, if {@code holderBefore} is what the strand has waited for. */
    static void passOn(Strand strand, @Nullable Object holderBefore) {
        enter(strand, holderBefore, null, true);
    }

    /** For the holder, in the midst of a task that it has ended: serves as {@link #passOn(Strand)} does. */
    public static void goOn(Strand strand, Thread holder) {
        serve(strand, holder, true);
    }

    /** As {@link #passOn(Strand, Object)}, for a thread that must not serve a strand, whatever happens. */
    static void goOnElsewhere(Strand strand, Object holderBefore) {
        if (strand.becomeReady(holderBefore)) {
            try {
                strand.workers().runElsewhere(strand);
            } catch (Throwable noMemory) {
                strand.unattended = true;
                strand.host.hasUnattended = true;
                UncaughtFailures.report(noMemory);
            }
        }
    }

    /** For a thread that comes by: sees to a strand that no thread may know of although it is ready. */
    public static void adoptIfUnattended(Strand strand) {
        if (!strand.unattended) {
            return;
        }
        strand.unattended = false;
        try {
            Object waitsFor = strand.holder;
            if (isForAnyThread(waitsFor)) {
                passOn(strand, waitsFor);
            }
        } catch (Throwable noStack) {
            // writes and no calls: the next one has to adopt it
            strand.unattended = true;
            strand.host.hasUnattended = true;
            throw noStack;
        }
    }

    // turns

    /**
     * Takes turns until another holds the strand or it has ended. An interrupt that is meant for a task stays with that
     * task; one that the thread brought along is meant for none, and given back to the thread.
     *
     * @param thread the calling thread, which is the holder
     * @param onlyPassOn whether it should not stay
     */
    private static void serve(Strand strand, Thread thread, boolean onlyPassOn) {
        boolean interrupted = strand.takeInterrupt();
        Served served = takeTurn(strand, thread, onlyPassOn);
        while (served == Served.IN_PART) {
            strand.leave(Strand.READY);
            boolean mine = !strand.workers().passOn(strand) && strand.enter(Strand.READY, thread);
            served = mine ? takeTurn(strand, thread, false) : Served.LEFT;
        }
        if (served == Served.TO_THE_END) {
            end(strand, !onlyPassOn);
        }
        if (interrupted) {
            thread.interrupt();
        }
    }

    /** Says that a strand has ended; if there is no memory or stack for that, a thread has to come and end it again. */
    private static void end(Strand strand, boolean mayStay) {
        try {
            strand.onEnd(mayStay);
        } catch (VirtualMachineError failure) {
            // a write and no call: no other thread takes a strand that has ended
            strand.holder = Strand.READY;
            throw failure;
        }
    }

    /**
     * Serves links until the turn is over.
     *
     * @param onlyPassOn whether the turn is over as soon as a task is found
     */
    private static Served takeTurn(Strand strand, Thread thread, boolean onlyPassOn) {
        Workers workers = strand.workers();
        // no object: the JIT compiler may put its fields into registers, and if there is no memory for it when the
        // compiled code is left, the JVM drops this frame and those of the task that is being ended
        int served = 0;
        long begunAt = 0;
        long endedAt = 0;
        for (Link link = strand.head(); ; ) {
            if (strand.isPaused() && suspendAt(strand, link, thread)) {
                return Served.LEFT;
            }
            Runnable waiting = link.waiting();
            if (waiting instanceof ReservedPlace place && awaitTask(strand, link, place, thread)) {
                return Served.LEFT;
            }
            if (link instanceof ArrivalLink lingering && linger(strand, lingering, thread)) {
                return Served.LEFT;
            }
            if (onlyPassOn && waiting != null) {
                strand.settleAt(link);
                return Served.IN_PART;
            }
            if (!link.isServed()) {
                if (!TaskLife.perform(strand, link, thread, endedAt)) {
                    return Served.LEFT;
                }
                endedAt = strand.endedAt();
                // whatever an interrupt was meant for, it was not the next task
                Thread.interrupted();
                served++;
            }
            if (link.isServed()) {
                if (link.next() != null) {
                    link = strand.advance(link);
                } else if (link.isClosed() || (!strand.isPausedItself() && link.close())) {
                    // closed before, by a thread that had no stack for the next line
                    strand.leave(Strand.ENDED);
                    return Served.TO_THE_END;
                }
            }
            // one that only passes on runs nothing: it passes by what was taken out, and no other thread may come for
            // that
            if (served > 0 && !onlyPassOn && workers.isWantedElsewhere()) {
                long now = endedAt == 0 ? workers.platform().nanoTime() : endedAt;
                begunAt = begunAt == 0 ? now : begunAt;
                if (workers.turn().isOver(served, now - begunAt)) {
                    strand.settleAt(link);
                    return Served.IN_PART;
                }
            }
        }
    }

    /**
     * Stops before the next task.
     *
     * @return false if there is nothing to stop before, or this thread has the strand again
     */
    private static boolean suspendAt(Strand strand, Link link, Thread thread) {
        if (!stopsAt(strand, link)) {
            return false;
        }
        Suspension suspension = new Suspension(Suspension.Reason.PAUSED, null);
        strand.settleAt(link);
        strand.leave(suspension);
        // read after the write in leave: a thread that resumes, or takes the task out, has either seen this suspension,
        // or is seen here
        return (strand.isPaused() && stopsAt(strand, link)) || !strand.enter(suspension, thread);
    }

    /**
     * Leaves the strand to a reserved place whose task has not come.
     *
     * @return false if the task has come or the place was given back meanwhile, and this thread has the strand again
     */
    private static boolean awaitTask(Strand strand, Link link, ReservedPlace place, Thread thread) {
        place.beginTurn();
        strand.settleAt(link);
        strand.leave(place.suspension());
        // read after the write in leave: who brings the task or gives the place back has either seen this suspension,
        // or is seen here
        return link.waiting() == place || !strand.enter(place.suspension(), thread);
    }

    /**
     * Leaves the strand to a link whose task may start later, since more may belong to it.
     *
     * @return false if it may start now, and this thread has the strand
     */
    private static boolean linger(Strand strand, ArrivalLink link, Thread thread) {
        Suspension suspension = link.linger(strand);
        if (suspension == null) {
            return false;
        }
        strand.settleAt(link);
        strand.leave(suspension);
        // read after the write in leave: who ends the wait has either seen this suspension, or is seen here
        return link.goesOnLingering(strand) || !strand.enter(suspension, thread);
    }

    private static boolean stopsAt(Strand strand, Link link) {
        return link.waiting() != null || (strand.isPausedItself() && link.next() == null);
    }
}
