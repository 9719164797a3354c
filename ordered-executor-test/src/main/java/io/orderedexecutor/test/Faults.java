package io.orderedexecutor.test;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;

/** Lets the faults of a test occur in a run. Used only by the thread that has the baton. */
final class Faults {
    private static final long SLOW = 60_000_000_000L;

    private final Scheduler scheduler;
    private final Set<Fault> wanted = EnumSet.noneOf(Fault.class);

    /** The futures that may be cancelled. */
    private final List<Future<?>> open = new ArrayList<>();

    Faults(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    void want(List<Fault> faults) {
        wanted.addAll(faults);
    }

    boolean occurs(Fault fault) {
        return wanted.contains(fault) && scheduler.fault(1) == 1;
    }

    void submitted(Future<?> future) {
        if (wanted.contains(Fault.CANCELLATION)) {
            open.add(future);
        }
    }

    /** May cancel one of the futures of earlier submissions. */
    void maybeCancel(SimulatedThread me) {
        open.removeIf(Future::isDone);
        if (!open.isEmpty() && occurs(Fault.CANCELLATION)) {
            Future<?> chosen = open.get(scheduler.number(open.size()));
            scheduler.note(me, "cancels a task", null, null);
            chosen.cancel(true);
        }
    }

    /** Lets faults occur. Called before a task runs, and at the yield points of tests. */
    void before(SimulatedThread me, String where) {
        if (wanted.isEmpty()) {
            return;
        }
        maybeCancel(me);
        if (occurs(Fault.SLOWNESS)) {
            scheduler.note(me, "is slow " + where, null, null);
            scheduler.await(me, "a minute to pass", SimulatedThread.NEVER, SLOW, true);
        }
        if (occurs(Fault.INTERRUPT)) {
            scheduler.note(me, "is interrupted " + where, null, null);
            Thread.currentThread().interrupt();
        }
        if (occurs(Fault.EXCEPTION)) {
            scheduler.note(me, "fails " + where, null, null);
            throw new InjectedFault(where);
        }
    }
}
