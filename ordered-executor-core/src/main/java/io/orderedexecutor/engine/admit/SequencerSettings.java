package io.orderedexecutor.engine.admit;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.run.Settings;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The settings of a {@link Sequencer}. A builder writes them; each sequencer has a copy, which does not change. */
public final class SequencerSettings {
    /** The first number, if callers number the tickets; otherwise {@link Sequencer#NEXT}. */
    final long first;

    int window = 1024;

    /** Null for no lease. */
    @Nullable
    Duration lease;

    Turn turn = Turn.DEFAULT;
    Executor executor = ForkJoinPool.commonPool();
    BiConsumer<? super Long, ? super Throwable> handler = (number, failure) -> UncaughtFailures.report(failure);
    boolean stopsOnFailure;
    private @Nullable Platform platform;

    public SequencerSettings(long first) {
        this.first = first;
    }

    private SequencerSettings(SequencerSettings built) {
        this(built.first);
        window = built.window;
        lease = built.lease;
        turn = built.turn;
        executor = built.executor;
        handler = built.handler;
        stopsOnFailure = built.stopsOnFailure;
    }

    public void setWindow(int window) {
        this.window = Settings.checkedWindow(window);
    }

    public void setLease(Duration lease) {
        if (Objects.requireNonNull(lease, "lease").isZero() || lease.isNegative()) {
            throw new IllegalArgumentException("lease is " + lease + ", but must be more than zero");
        }
        this.lease = lease;
    }

    public void setTurn(Turn turn) {
        this.turn = turn;
    }

    public void setExecutor(Executor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
    }

    public void setHandler(BiConsumer<? super Long, ? super Throwable> handler) {
        this.handler = Objects.requireNonNull(handler, "handler");
    }

    public void setStopsOnFailure() {
        stopsOnFailure = true;
    }

    /** For tests, which control the clock, timers and parked threads. */
    public void setPlatform(Platform platform) {
        this.platform = platform;
    }

    public Sequencer build() {
        return new Sequencer(new SequencerSettings(this), platform == null ? Platform.of("tickets") : platform);
    }
}
