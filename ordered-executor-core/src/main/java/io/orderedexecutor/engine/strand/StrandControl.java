package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What an executor does with a strand from outside: live control, overflow and shutdown. Called by any thread. */
public final class StrandControl {
    private StrandControl() {}

    // live control

    /** Lets a paused strand go on. */
    public static void unpause(Strand strand) {
        Suspension paused = strand.suspension();
        if (paused != null && paused.reason == Suspension.Reason.PAUSED) {
            Serving.passOn(strand, paused);
        }
    }

    /** What the parked task has failed with; null if the strand is not parked. */
    public static @Nullable Throwable parkedWith(Strand strand) {
        Suspension parked = parked(strand);
        return parked == null ? null : parked.failure;
    }

    /**
     * Lets a parked strand go on.
     *
     * @param again whether the failed task is run again; else it has failed for good
     * @return false if the strand is not parked
     */
    public static boolean unpark(Strand strand, boolean again) {
        Suspension parked = parked(strand);
        return parked != null
                && Serving.enter(
                        strand,
                        parked,
                        thread -> {
                            if (!again) {
                                AfterFailure.endFailed(strand, parked);
                            }
                            return true;
                        },
                        true);
    }

    private static @Nullable Suspension parked(Strand strand) {
        Suspension suspension = strand.suspension();
        return suspension == null || suspension.reason != Suspension.Reason.PARKED ? null : suspension;
    }

    /** Lets a strand go on that waits for a retry. */
    static void endRetryPause(Strand strand) {
        Suspension pause = strand.suspension();
        if (pause != null && pause.reason == Suspension.Reason.BACKING_OFF) {
            Serving.passOn(strand, pause);
        }
    }

    /** Lets a strand go on that waits for more of what waits already. */
    private static void endLinger(Strand strand) {
        Suspension linger = strand.suspension();
        if (linger != null && linger.reason == Suspension.Reason.LINGERING) {
            Serving.passOn(strand, linger);
        }
    }

    // overflow

    /** Takes out the task that has waited longest, to make room; false if none waits. */
    public static boolean dropOldest(Strand strand) {
        Runnable oldest = takeOutOldest(strand);
        if (oldest == null) {
            return false;
        }
        strand.onTaken();
        TaskReporter reporter = strand.host().reporter();
        Object work = reporter.cancel(oldest);
        if (work != null) {
            reporter.tellDropped(strand.key, work);
        }
        Link head = strand.head();
        if (head.isVacated()) {
            // if it was the one that had failed, nobody has to decide on it any more
            afterTakingOut(strand, head);
        }
        return true;
    }

    /** Takes out the task that has waited longest; null if none waits, but for places that are reserved. */
    private static @Nullable Runnable takeOutOldest(Strand strand) {
        for (Link link = strand.head(); link != null; link = link.isPassed() ? strand.head() : link.next()) {
            Runnable waiting = link.waiting();
            if (waiting != null && !(waiting instanceof ReservedPlace) && strand.takeOut(link, waiting)) {
                return waiting;
            }
        }
        return null;
    }

    // tasks that are taken out

    /** Takes out a task that is done before its turn, so that nothing of it is left. */
    static void takeOutDone(Strand strand, Link link, WorkFuture<?> done, Object work) {
        strand.host().reporter().tellCancelled(strand.key, work);
        if (strand.takeOut(link, done)) {
            strand.onTaken();
            strand.host().reporter().countTakenOut(done);
            afterTakingOut(strand, link);
        }
    }

    /** Takes out a place that has ended without a task. */
    static void takeOutUnused(Strand strand, Link link, ReservedPlace place) {
        if (strand.takeOut(link, place)) {
            strand.onTaken();
            afterTakingOut(strand, link);
        }
    }

    /** What has waited for a task that was taken out need not wait any longer. */
    private static void afterTakingOut(Strand strand, Link link) {
        Suspension suspension = strand.suspension();
        if (suspension != null
                && suspension.reason != Suspension.Reason.PAUSED
                && strand.head() == link
                && link.waiting() == null) {
            Serving.passOn(strand, suspension);
        }
        endIfTakenOut(strand);
    }

    /** Ends a strand at once whose tasks were all taken out, if something waits for its end. */
    public static void endIfTakenOut(Strand strand) {
        if (strand.isAwaited() && strand.hasNoTask()) {
            Suspension suspension = strand.suspension();
            if (suspension != null) {
                Serving.passOn(strand, suspension);
            }
            if (strand.isHeldBy(Strand.WAITING) && strand.mayEndWaiting()) {
                Serving.passOn(strand, Strand.WAITING);
            }
            Serving.passOn(strand);
        }
    }

    // shutdown

    /**
     * Called when no more tasks are accepted. A parked strand ends the failed task, and cancels what waits behind it.
     */
    public static void onShutdown(Strand strand) {
        Serving.adoptIfUnattended(strand);
        unpause(strand);
        endLinger(strand);
        Suspension parked = parked(strand);
        if (parked != null) {
            giveUp(strand, parked);
        }
    }

    private static void giveUp(Strand strand, Suspension parked) {
        Serving.enter(
                strand,
                parked,
                thread -> {
                    AfterFailure.endFailed(strand, parked);
                    strand.cancelFollowers();
                    return true;
                },
                true);
    }

    /** Takes back all tasks that wait; a few that come meanwhile may find no room there if memory runs out. */
    public static void takeBack(Strand strand, TakenBack unstarted) {
        unstarted.makeRoom(strand.queued());
        strand.takeOutAll(task -> {
            try {
                if (task instanceof ReservedPlace) {
                    return;
                }
                if (!(task instanceof WorkFuture<?> future)) {
                    unstarted.add(task);
                } else if (!future.isDone()) {
                    unstarted.add(future.asSubmitted());
                }
            } finally {
                strand.cancelTaken(task);
            }
        });
    }

    /**
     * For a shutdown that has taken back all tasks: interrupts or cancels the task that runs, and ends the strand if it
     * waits for something: nothing is left to wait for.
     */
    public static void stop(Strand strand) {
        AsyncAttempt running = strand.hold();
        if (running != null) {
            running.future.cancel(true);
        }
        Suspension suspension = strand.suspension();
        if (suspension != null) {
            Serving.passOn(strand, suspension);
        }
        strand.interruptHolder();
        Serving.adoptIfUnattended(strand);
        // a pool that was stopped too may never run a strand that waits for a thread
        Serving.passOn(strand);
        endIfTakenOut(strand);
    }

    // observation

    /** What runs in a strand at this moment; null if nothing does. */
    static @Nullable RunningTask runningTask(Strand strand) {
        return runningTask(strand, strand.host().platform().nanoTime());
    }

    /**
     * The same, seen together with others.
     *
     * @param now when all of them are looked at, or the order of their ages would depend on when each was
     */
    public static @Nullable RunningTask runningTask(Strand strand, long now) {
        if (!strand.isActive()) {
            return null;
        }
        TaskRun run = strand.run;
        Object work = run == null ? null : run.task();
        Object task = work instanceof TakenItems items ? items.works() : work;
        Duration age = run == null || task == null ? null : run.ageAt(now);
        Object key = strand.key == TaskEvents.NO_KEY ? null : strand.key;
        return new RunningTask(key, strand.holdingThread(), task, age);
    }
}
