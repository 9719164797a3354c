package io.orderedexecutor.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One run of a test.
 *
 * @param failure null if it has passed
 * @param decisions the decisions up to the failure
 * @param steps the steps of the threads
 * @param isBlocked whether a thread has blocked, so that threads of this run may be left
 */
record Run(@Nullable Throwable failure, List<Decision> decisions, List<Step> steps, boolean isBlocked) {
    private static final long LOOK_MILLIS = 20;
    private static final long MILLIS_TO_END = 1000;

    /** The code of a test. */
    interface Test {
        void run(Simulation simulation) throws Throwable;
    }

    boolean hasFailed() {
        return failure != null && !isAborted();
    }

    /** Whether an assumption of the test did not hold. Compares only the name, since JUnit may be missing. */
    boolean isAborted() {
        return failure != null && failure.getClass().getName().equals("org.opentest4j.TestAbortedException");
    }

    /** Runs a test, on a thread of its own, and watches it. */
    static Run of(Test test, Choices choices, Duration blockedAfter) {
        TakeOver.begin();
        Scheduler scheduler = new Scheduler(choices);
        SimulatedThread first = new SimulatedThread(scheduler, scheduler.names().unique("test"));
        CountDownLatch ended = new CountDownLatch(1);
        Thread thread = new Thread(
                null,
                () -> {
                    try {
                        first.run(() -> runFirst(test, scheduler, first));
                    } finally {
                        ended.countDown();
                    }
                },
                "test of a simulation",
                0,
                false);
        thread.setDaemon(true);
        // the thread of the test may itself run tasks, on an executor that runs them on the caller, or give up parked
        // tasks: the failures of these tasks come here
        thread.setUncaughtExceptionHandler((any, thrown) -> scheduler.failUncaught(thrown));
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        first.setThread(thread);
        thread.start();
        scheduler.begin(first);
        Throwable blocked = watch(scheduler, ended, blockedAfter);
        return blocked == null
                ? new Run(scheduler.failure(), scheduler.decisions(), scheduler.steps(), false)
                : giveUp(scheduler, ended, blocked);
    }

    private static void runFirst(Test test, Scheduler scheduler, SimulatedThread first) {
        try {
            test.run(new Simulation(scheduler));
            scheduler.await(first, SimulatedThread.Until.END);
            scheduler.failIfStuck();
            String mistake = scheduler.history().findMistake();
            if (mistake != null) {
                List<String> hints = scheduler.handOvers().hints();
                scheduler.fail(new AssertionError(mistake + (hints.isEmpty() ? "" : "; " + String.join("; ", hints))));
            }
        } catch (SimulationAborted end) {
            // the failure is known
        } catch (Throwable failure) {
            scheduler.fail(failure);
        } finally {
            scheduler.letGo(first);
        }
    }

    /** Waits for the end of a run. Returns null if the run has ended, or the reason why it cannot end. */
    private static @Nullable Throwable watch(Scheduler scheduler, CountDownLatch ended, Duration blockedAfter) {
        long seen = -1;
        long since = System.nanoTime();
        try {
            while (!ended.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                long progress = scheduler.progress();
                if (progress != seen) {
                    seen = progress;
                    since = System.nanoTime();
                } else if (System.nanoTime() - since > blockedAfter.toNanos()) {
                    return blocked(scheduler, blockedAfter);
                }
            }
            return null;
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            return new AssertionError("Interrupted while a simulation was running", interrupt);
        }
    }

    private static Throwable blocked(Scheduler scheduler, Duration blockedAfter) {
        SimulatedThread running = scheduler.running();
        if (running == null) {
            return new AssertionError("The simulation did not begin within " + blockedAfter);
        }
        AssertionError blocked = new AssertionError("Thread '" + running.name + "' has come to no yield point for "
                + blockedAfter + ". It waits for something that is not part of the simulation, such as a latch, a lock,"
                + " a sleep or a future of the JDK's own: use simulation.await(...) or simulation.sleep(...) there. Or"
                + " it computes for long. The cause has its stack");
        blocked.initCause(Stuck.stackOf(running));
        return blocked;
    }

    /** Ends a run that does not end by itself, so that its threads do not disturb the next run. */
    private static Run giveUp(Scheduler scheduler, CountDownLatch ended, Throwable reason) {
        // copied before the abort, since the threads go on to their ends after it
        List<Decision> decisions = List.copyOf(scheduler.decisions());
        List<Step> steps = List.copyOf(scheduler.steps());
        scheduler.abort(reason);
        SimulatedThread running = scheduler.running();
        if (running != null) {
            running.thread().interrupt();
        }
        try {
            boolean unused = ended.await(MILLIS_TO_END, TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
        // an earlier failure wins: it is the reason why the run did not end
        return new Run(scheduler.failure(), decisions, steps, true);
    }
}
