package io.orderedexecutor.engine.task;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * How many open places each thread has reserved, in all executors: a thread with none need not be looked for among
 * those who hold up others. Changed by any thread, since any may use a place.
 */
public final class ReservedPlaces {
    private static final ThreadLocal<@Nullable AtomicInteger> OF_THREAD = new ThreadLocal<>();

    private ReservedPlaces() {}

    static boolean areOfThisThread() {
        AtomicInteger open = OF_THREAD.get();
        return open != null && open.get() > 0;
    }

    /**
     * Counts one of the calling thread.
     *
     * @return to be given to {@link #end}
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

    /** Counts one less, by any thread. */
    public static void end(AtomicInteger ofOwner) {
        if (ofOwner.decrementAndGet() == 0 && OF_THREAD.get() == ofOwner) {
            OF_THREAD.remove();
        }
    }
}
