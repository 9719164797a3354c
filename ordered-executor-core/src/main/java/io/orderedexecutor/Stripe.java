package io.orderedexecutor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The chain of one stripe of a {@link StripedExecutor}: an entry of its table while there are tasks, and no longer. */
final class Stripe extends Chain {

    /** Stands for the stripe of a task that has none: equal to no other, and never looked up. */
    static final Object NONE = new Object() {
        @Override
        public String toString() {
            return "no stripe";
        }
    };

    private static final VarHandle NEXT_IN_BIN;

    static {
        try {
            NEXT_IN_BIN = MethodHandles.lookup().findVarHandle(Stripe.class, "nextInBin", Stripe.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final StripedEngine engine;

    final Object key;

    /** The spread hash of the key at the time of its submission; a key that changes later cannot lose its stripe. */
    final int hash;

    /** The next stripe in the same bin. Written under the monitor of the segment; searches read it without. */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private @Nullable Stripe nextInBin;

    /** See {@link #queuedAt()}: of the first task, which needs no link of its own. */
    private final long openedAt;

    /** Whether this stripe is paused. It then stays in the table without tasks. */
    private volatile boolean paused;

    Stripe(StripedEngine engine, Object key, int hash, @Nullable Runnable first) {
        super(first);
        this.engine = engine;
        this.key = key;
        this.hash = hash;
        this.openedAt = engine.events() == null ? 0 : System.nanoTime();
    }

    @Override
    long queuedAt() {
        return openedAt;
    }

    @Override
    @Nullable
    TaskEvents events() {
        return engine.events();
    }

    @Override
    Object key() {
        return key;
    }

    @Nullable
    Stripe nextInBinAcquire() {
        return (Stripe) NEXT_IN_BIN.getAcquire(this);
    }

    void setNextInBinRelease(@Nullable Stripe stripe) {
        NEXT_IN_BIN.setRelease(this, stripe);
    }

    @Override
    Workers workers() {
        return engine.workers();
    }

    @Override
    FailurePolicy failurePolicy() {
        FailurePolicy policy = engine.failurePolicy();
        // nobody could name it to resume it
        return key == NONE ? policy.withoutParking() : policy;
    }

    @Override
    Timer timer() {
        return engine.timer();
    }

    @Override
    boolean isPaused() {
        return paused || engine.isPaused();
    }

    @Override
    boolean isKeptOpen() {
        return paused;
    }

    @Override
    boolean isShutdown() {
        return engine.isShutdown();
    }

    /**
     * Pauses this stripe.
     *
     * @return false if it has ended, and another one has to be opened in its place
     */
    boolean pause() {
        if (paused) {
            return !hasEnded();
        }
        paused = true;
        // the server cannot end the queue before it has passed this link, and sees the pause when it looks for the next
        return enqueueVacated();
    }

    /** Lets this stripe go on; false if it was not paused. */
    boolean resume() {
        boolean wasPaused = paused;
        paused = false;
        unpause();
        return wasPaused;
    }

    /** Called when no more tasks are accepted. */
    void onShutdown() {
        paused = false;
        unpause();
        giveUpIfParked();
    }

    /** Makes room; false if no task waits. */
    boolean dropOldest() {
        Runnable oldest = takeOutOldest();
        if (oldest == null) {
            return false;
        }
        drop(oldest);
        return true;
    }

    @Override
    void onTaken() {
        engine.onTaken();
    }

    @Override
    void onPutBack() {
        engine.onPutBack();
    }

    @Override
    void onTaskEnd(TaskEnd end) {
        engine.onTaskEnd(end);
    }

    @Override
    void onRejected() {
        // the submitter gives it back, as it does whatever the reason
        engine.onPutBack();
        engine.onRejected();
    }

    @Override
    boolean isStopping() {
        return engine.isStopping();
    }

    @Override
    String describe() {
        return "stripe " + toString(key) + " of executor " + engine.name();
    }

    @Override
    void onEnd() {
        engine.onEnd(this);
    }

    StripeSnapshot snapshot() {
        return new StripeSnapshot(key, queued(), isActive());
    }
}
