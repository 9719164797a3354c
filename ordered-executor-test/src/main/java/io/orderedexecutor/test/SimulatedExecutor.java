package io.orderedexecutor.test;

import java.util.Objects;
import java.util.concurrent.Executor;

/** Runs each task on a new thread of a simulation. */
final class SimulatedExecutor implements Executor {
    private final Scheduler scheduler;
    private final String name;

    SimulatedExecutor(Scheduler scheduler, String name) {
        this.scheduler = scheduler;
        this.name = name;
    }

    @Override
    public void execute(Runnable task) {
        Objects.requireNonNull(task, "task");
        SimulatedThread me = SimulatedThread.current();
        if (me == null || me.scheduler != scheduler) {
            throw new IllegalStateException("this executor belongs to a simulation, and thread '"
                    + Thread.currentThread().getName() + "' does not");
        }
        scheduler.start(scheduler.names().numbered(name), task);
        if (!me.handsOver) {
            scheduler.letOthersGoOn(me);
        }
    }

    @Override
    public String toString() {
        return "threads '" + name + "' of a simulation";
    }
}
