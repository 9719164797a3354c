package io.orderedexecutor;

import io.orderedexecutor.engine.admit.KeyedEngine;
import io.orderedexecutor.engine.admit.KeyedEngine.KeyType;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.run.Settings;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link StripedExecutor}. */
public final class StripedExecutorBuilder extends OrderedExecutorBuilder<StripedExecutorBuilder> {
    private static final AtomicInteger NAMES = new AtomicInteger();

    private boolean identityStripes;
    private int keyCapacity = Settings.UNLIMITED;
    private @Nullable Duration reservationLease;

    StripedExecutorBuilder() {
        super("striped", NAMES);
    }

    @Override
    StripedExecutorBuilder self() {
        return this;
    }

    /**
     * Compares stripes by identity instead of {@code equals}. Then equal objects are different stripes: strings,
     * numbers and {@link Key}s that are made anew for each call give no order. Pass the same object to
     * {@link ExecutorControl} and {@link ExecutorInspection}, too.
     *
     * @return this builder
     */
    public StripedExecutorBuilder identityStripes() {
        this.identityStripes = true;
        return this;
    }

    /**
     * Sets how many tasks may be queued in each stripe, counted as for {@link #capacity}.
     *
     * @param keyCapacity from 1 to 1,000,000,000; unlimited by default
     * @return this builder
     * @throws IllegalArgumentException if {@code keyCapacity} is out of range
     */
    public StripedExecutorBuilder keyCapacity(int keyCapacity) {
        this.keyCapacity = Settings.checked("keyCapacity", keyCapacity);
        return this;
    }

    /**
     * Lets a thread serve a stripe until the stripe has no more tasks, rather than for one {@linkplain #turn(int,
     * java.time.Duration) turn}. Then a stripe that always has tasks keeps its thread for ever, and if there are as
     * many such stripes as threads, no other stripe runs. Replaces the setting of an earlier call of {@code turn}, and
     * is replaced by a later one.
     *
     * <p>This is for an {@linkplain #executor(java.util.concurrent.Executor) executor that was handed in} and whose
     * {@code execute} waits when it is full. At the end of a turn, threads of that executor would call {@code execute},
     * and could all wait for room that only they can make. With this setting, they need not call it. A stripe that goes
     * on after a pause still calls {@code execute}, on the thread that ends the pause: after the stage of an
     * asynchronous task, before another attempt, when the stripe is resumed, when a reservation is used or given back,
     * or when a batch has lingered. These features need an executor that throws when it is full.
     *
     * @return this builder
     */
    public StripedExecutorBuilder turnUntilEmpty() {
        return turn(Turn.UNTIL_EMPTY);
    }

    /**
     * Sets how long a {@linkplain StripedExecutor#reserve reserved} place may hold up the tasks behind it. The lease
     * begins when the turn of the place comes: a place behind other tasks holds up nothing. When the lease expires, the
     * place is given back, and the uncaught exception handler gets a {@link java.util.concurrent.TimeoutException}; a
     * task that comes later is refused with an {@link IllegalStateException}. A daemon thread that this library starts
     * for its timers gives the place back.
     *
     * @param reservationLease more than zero; unlimited by default
     * @return this builder
     * @throws IllegalArgumentException if {@code reservationLease} is not positive
     * @throws NullPointerException if {@code reservationLease} is null
     */
    public StripedExecutorBuilder reservationLease(Duration reservationLease) {
        this.reservationLease = Settings.checkedLease(reservationLease);
        return this;
    }

    @Override
    public StripedExecutor build() {
        Settings settings = settings(keyCapacity, identityStripes, reservationLease);
        return new StripedExecutor(buildFor(
                settings, (workers, onTerminated) -> new KeyedEngine(KeyType.STRIPE, settings, workers, onTerminated)));
    }
}
