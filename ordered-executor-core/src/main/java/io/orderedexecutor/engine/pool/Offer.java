package io.orderedexecutor.engine.pool;

import org.jspecify.annotations.Nullable;

/**
 * Work that a thread gives to an executor of the application; detects whether the executor runs it inline, which is on
 * that thread and between {@link #begin} and {@link #ends}. An executor may pass it on to one underneath, whose offer
 * is then inside this one.
 */
public abstract class Offer implements Runnable, Keyed {

    /** The innermost offer that a thread gives to an executor just now; null for a thread that gives none. */
    private static final ThreadLocal<@Nullable Offer> GIVEN = new ThreadLocal<>();

    private final Runnable work;

    /** The offer that this one is inside of. Read and written by the giver only. */
    private @Nullable Offer outer;

    /** Read and written by the giver only. */
    private boolean ranInline;

    protected Offer(Runnable work) {
        this.work = work;
    }

    /** The innermost offer that the current thread gives to an executor just now; null if it gives none. */
    public static @Nullable Offer given() {
        return GIVEN.get();
    }

    /** Runs work that is not part of what the current thread gives to an executor, if it gives anything. */
    static void runOutside(Runnable work) {
        Offer given = GIVEN.get();
        GIVEN.set(null);
        try {
            work.run();
        } finally {
            GIVEN.set(given);
        }
    }

    protected final Runnable work() {
        return work;
    }

    /** For the giver: the offer that this one is inside of. */
    public final @Nullable Offer outer() {
        return outer;
    }

    @Override
    public final @Nullable Object key() {
        return work instanceof Keyed keyed ? keyed.key() : null;
    }

    /** For the giver, before it calls the executor. */
    public final void begin() {
        outer = GIVEN.get();
        GIVEN.set(this);
    }

    /**
     * For the giver, when the executor has returned or thrown: what runs on this thread from now on is not inline.
     *
     * @return whether this offer was
     */
    public final boolean ends() {
        // null stays as the value, since to set one anew allocates
        GIVEN.set(outer);
        outer = null;
        forget();
        return ranInline;
    }

    @Override
    public final void run() {
        Offer given = GIVEN.get();
        if (isAmong(given)) {
            ranInline = true;
            runInline();
            return;
        }
        forget();
        if (given == null) {
            work.run();
        } else {
            // the executor has a queue that its callers empty
            runOutside(work);
        }
    }

    private boolean isAmong(@Nullable Offer given) {
        Offer current = given;
        while (current != null && current != this) {
            current = current.outer;
        }
        return current != null;
    }

    /**
     * For what only {@link #runInline} needs: called when that can be called no more, as the pool may hold this for
     * long; on a thread of the pool, too, at the same time.
     */
    protected void forget() {}

    /** Called instead of the work, on the thread that offers it. */
    protected abstract void runInline();
}
