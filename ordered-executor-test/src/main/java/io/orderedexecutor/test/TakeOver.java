package io.orderedexecutor.test;

import io.orderedexecutor.engine.pool.Platform;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Once this class is loaded, each executor that is built checks at run time whether the thread that uses it is part of
 * a simulation.
 */
final class TakeOver extends Platform {
    static {
        Platform.takeOver(new TakeOver());
    }

    private TakeOver() {}

    /** Begins the take-over by loading this class. */
    static void begin() {}

    @Override
    protected Platform platformOf(String name) {
        SimulatedThread me = SimulatedThread.current();
        return new TakenPlatform(name, me == null ? null : me.scheduler);
    }

    @Override
    protected long onWait(CompletableFuture<?> future, long nanos, boolean interruptibly) {
        SimulatedThread me = SimulatedThread.current();
        if (me == null) {
            return nanos;
        }
        me.scheduler.await(me, "a future", future::isDone, nanos, interruptibly);
        return future.isDone() ? nanos : nanos == Long.MAX_VALUE ? nanos : 0;
    }

    @Override
    protected Executor asyncExecutorHere() {
        SimulatedThread me = SimulatedThread.current();
        return me == null ? super.asyncExecutorHere() : me.scheduler.async();
    }
}
