package io.orderedexecutor.engine.task;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * How many open reservations each thread has, in all executors: a thread without any cannot hold up others by them.
 * Changed by any thread, since any may use a reservation.
 */
public final class ReservedPlaces {
    private static final ThreadLocal<@Nullable AtomicInteger> OF_THREAD = new ThreadLocal<>();

    private ReservedPlaces() {}

    static boolean areOfThisThread() {
        AtomicInteger open = OF_THREAD.get();
        return open != null && open.get() > 0;
    }

    /**
     * Counts a reservation of the calling thread.
     *
     * @return the counter, for {@link #end}
     */
    public static AtomicInteger begin() {
        AtomicInteger open = OF_THREAD.get();
        if (open == null) {
            open = new AtomicInteger();
            OF_THREAD.set(open);
        }
        open.incrementAndGet();
        return open;
    }

    /** Called by any thread when a reservation is used or ends. */
    public static void end(AtomicInteger ofOwner) {
        if (ofOwner.decrementAndGet() == 0 && OF_THREAD.get() == ofOwner) {
            OF_THREAD.remove();
        }
    }
}
