package io.orderedexecutor.engine.pool;

import org.jspecify.annotations.Nullable;

/**
 * Work that a thread, the giver, gives to an executor of the application. An offer detects whether the executor runs it
 * inline: on the giver, between {@link #begin} and {@link #ends}. If the executor passes the offer on to another of our
 * executors, that makes an offer inside this one.
 */
public abstract class Offer implements Runnable, Keyed {

    /** The innermost offer that the thread is giving to an executor; null if it is giving none. */
    private static final ThreadLocal<@Nullable Offer> GIVEN = new ThreadLocal<>();

    private final Runnable work;

    /** The offer around this one. Read and written by the giver only. */
    private @Nullable Offer outer;

    /** Read and written by the giver only. */
    private boolean ranInline;

    protected Offer(Runnable work) {
        this.work = work;
    }

    /** The innermost offer that the current thread is giving to an executor; null if it is giving none. */
    public static @Nullable Offer given() {
        return GIVEN.get();
    }

    /** Runs work that does not belong to the offers of the current thread. */
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

    /** For the giver: the offer around this one. */
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
     * Ends the offer. Called by the giver after {@code execute} has returned or thrown; the offer can no longer run
     * inline.
     *
     * @return whether it ran inline
     */
    public final boolean ends() {
        // set to null, not removed: to set a removed value again allocates
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
            // this thread empties the queue of an executor while it gives another offer to that executor
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
     * Drops what only {@link #runInline} needs, since the pool may keep this offer for long. Called by the giver when
     * the executor has returned or thrown, and by the thread of the pool that runs the offer, perhaps at the same time.
     */
    protected void forget() {}

    /** Called on the giver, instead of the work, when the executor runs this offer inline. */
    protected abstract void runInline();
}
