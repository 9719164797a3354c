package io.orderedexecutor.test;

import io.orderedexecutor.engine.pool.Platform;
import java.util.concurrent.CompletableFuture;

/** Lets all executors that are built from now on ask whether the thread that uses them is part of a simulation. */
final class TakeOver extends Platform {
    static {
        Platform.takeOver(new TakeOver());
    }

    private TakeOver() {}

    /** Loads this class, which is all. */
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
}
