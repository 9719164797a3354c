package io.orderedexecutor;

import io.orderedexecutor.engine.admit.KeyedEngine;
import io.orderedexecutor.engine.admit.KeyedEngine.KeyType;
import io.orderedexecutor.engine.run.Settings;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link GroupedExecutor}. */
public final class GroupedExecutorBuilder extends OrderedExecutorBuilder<GroupedExecutorBuilder> {
    private static final AtomicInteger NAMES = new AtomicInteger();

    private int keyCapacity = Settings.UNLIMITED;
    private @Nullable Duration reservationLease;

    GroupedExecutorBuilder() {
        super("grouped", NAMES);
    }

    @Override
    GroupedExecutorBuilder self() {
        return this;
    }

    /**
     * Sets how many tasks may be queued in each group, counted as for {@link #capacity}. A task with several groups
     * counts in each of them. A task that only has a group within the group does not count, nor does one that has all
     * groups, {@linkplain Groups#all() exclusively} or {@linkplain Groups#allShared() shared}.
     *
     * @param keyCapacity from 1 to 1,000,000,000; unlimited by default
     * @return this builder
     * @throws IllegalArgumentException if {@code keyCapacity} is out of range
     */
    public GroupedExecutorBuilder keyCapacity(int keyCapacity) {
        this.keyCapacity = Settings.checked("keyCapacity", keyCapacity);
        return this;
    }

    /**
     * Sets how long a {@linkplain GroupedExecutor#reserve reserved} place may hold up the tasks behind it. The lease
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
    public GroupedExecutorBuilder reservationLease(Duration reservationLease) {
        this.reservationLease = Settings.checkedLease(reservationLease);
        return this;
    }

    @Override
    public GroupedExecutor build() {
        Settings settings = settings(keyCapacity, false, reservationLease);
        return new GroupedExecutor(buildFor(
                settings, (workers, onTerminated) -> new KeyedEngine(KeyType.GROUP, settings, workers, onTerminated)));
    }
}
