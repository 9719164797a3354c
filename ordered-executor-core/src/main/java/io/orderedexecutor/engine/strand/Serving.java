package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.pool.Workers;

/** A thread's way through the tasks of a strand that it holds, until its turn is over. */
final class Serving {
    private Serving() {}

    /** How far a thread has come. */
    private enum Served {
        /** It still holds the strand, and there is more to do. */
        IN_PART,
        /** The strand is held by another, or waits for something. */
        LEFT,
        /** The strand has ended. */
        TO_THE_END
    }

    /**
     * Takes turns until another holds the strand or it has ended. An interrupt that is meant for a task stays with that
     * task; one that the thread brought along is meant for none, and given back to the thread.
     *
     * @param thread the calling thread, which is the holder
     * @param onlyPassOn whether it should not stay
     */
    static void serve(Strand strand, Thread thread, boolean onlyPassOn) {
        boolean interrupted = strand.takeInterrupt();
        Served served = takeTurn(strand, thread, onlyPassOn);
        while (served == Served.IN_PART) {
            strand.leave(Strand.READY);
            boolean mine = !strand.workers().passOn(strand) && strand.enter(Strand.READY, thread);
            served = mine ? takeTurn(strand, thread, false) : Served.LEFT;
        }
        if (served == Served.TO_THE_END) {
            strand.onEnd(!onlyPassOn);
        }
        if (interrupted) {
            thread.interrupt();
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
        for (Link link = strand.head(); ; ) {
            if (strand.isPaused() && suspendAt(strand, link, thread)) {
                return Served.LEFT;
            }
            if (onlyPassOn && link.waiting() != null) {
                strand.settleAt(link);
                return Served.IN_PART;
            }
            if (!link.isServed()) {
                if (!TaskLife.perform(strand, link, thread)) {
                    return Served.LEFT;
                }
                // whatever an interrupt was meant for, it was not the next task
                Thread.interrupted();
                served++;
            }
            if (link.isServed()) {
                if (link.next() != null) {
                    link = strand.advance(link);
                } else if (!strand.isPausedItself() && link.close()) {
                    strand.leave(Strand.ENDED);
                    return Served.TO_THE_END;
                }
            }
            if (served > 0 && workers.isWantedElsewhere()) {
                long now = workers.platform().nanoTime();
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

    private static boolean stopsAt(Strand strand, Link link) {
        return link.waiting() != null || (strand.isPausedItself() && link.next() == null);
    }
}
