package io.orderedexecutor.engine.pool;

import org.jspecify.annotations.Nullable;

/**
 * Work that a thread gives to an executor of the application; detects whether the executor runs it inline, which is on
 * that thread and before {@code execute} has returned.
 */
public abstract class Offer implements Runnable, Keyed {
    private final Runnable work;
    private final Thread giver = Thread.currentThread();

    /** Read and written by the giver only. */
    private boolean giving = true;

    /** Read and written by the giver only. */
    private boolean ranInline;

    protected Offer(Runnable work) {
        this.work = work;
    }

    protected final Runnable work() {
        return work;
    }

    @Override
    public final @Nullable Object key() {
        return work instanceof Keyed keyed ? keyed.key() : null;
    }

    @Override
    public final void run() {
        if (Thread.currentThread() == giver && giving) {
            ranInline = true;
            runInline();
        } else {
            forget();
            work.run();
        }
    }

    /** Called before the work, for what only {@link #runInline} needs: the pool may hold this for the whole turn. */
    protected void forget() {}

    /** Called instead of the work, on the thread that offers it. */
    protected abstract void runInline();

    /**
     * For the giver, when the executor has returned or thrown: what runs on this thread from now on is not inline.
     *
     * @return whether anything was
     */
    public final boolean endsInline() {
        giving = false;
        return ranInline;
    }
}
