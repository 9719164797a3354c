package io.orderedexecutor;

import io.orderedexecutor.stats.ParkedStripe;
import io.orderedexecutor.stats.StripeSnapshot;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The chain of one stripe of a {@link StripedExecutor}: an entry of its table while there are tasks, and no longer. */
final class Stripe extends Chain implements KeyQueue {

    private static final VarHandle NEXT_IN_BIN;

    static {
        try {
            NEXT_IN_BIN = MethodHandles.lookup().findVarHandle(Stripe.class, "nextInBin", Stripe.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Object key;

    /** The spread hash of the key at the time of its submission; a key that changes later cannot lose its stripe. */
    final int hash;

    /**
     * The next stripe in the same bin. Written before this stripe is found, and then under the lock of the bins;
     * searches read it without.
     */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private @Nullable Stripe nextInBin;

    /** See {@link #queuedAt()}: of the first task, which needs no link of its own. */
    private final long openedAt;

    /** Whether this stripe is paused. It then stays in the table without tasks. */
    private volatile boolean paused;

    Stripe(StripedEngine engine, Object key, int hash, @Nullable Runnable first) {
        super(engine, first);
        this.key = key;
        this.hash = hash;
        this.openedAt = engine.events() == null ? 0 : System.nanoTime();
    }

    /** A field of its own would make every open stripe larger. */
    private StripedEngine engine() {
        return (StripedEngine) host();
    }

    @Override
    long queuedAt() {
        return openedAt;
    }

    @Override
    Object key() {
        return key;
    }

    @Override
    public int hash() {
        return hash;
    }

    @Nullable
    Stripe nextInBinAcquire() {
        return (Stripe) NEXT_IN_BIN.getAcquire(this);
    }

    /** Before this stripe can be found. */
    void setNextInBin(@Nullable Stripe stripe) {
        nextInBin = stripe;
    }

    void setNextInBinRelease(@Nullable Stripe stripe) {
        NEXT_IN_BIN.setRelease(this, stripe);
    }

    @Override
    FailurePolicy failurePolicy() {
        FailurePolicy policy = super.failurePolicy();
        // nobody could name it to resume it
        return key == NO_KEY ? policy.withoutParking() : policy;
    }

    @Override
    boolean isPaused() {
        return paused || engine().isPaused();
    }

    /** Whether it is paused even if its executor is not. */
    boolean isPausedItself() {
        return paused;
    }

    @Override
    boolean isKeptOpen() {
        return paused;
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

    @Override
    void onShutdown() {
        paused = false;
        super.onShutdown();
    }

    @Override
    public boolean dropOldest() {
        Runnable oldest = takeOutOldest();
        if (oldest == null) {
            return false;
        }
        drop(oldest);
        Link head = head();
        if (head.isVacated()) {
            // if it was the one that had failed, nobody has to decide on it any more
            onTakenOut(head);
        }
        return true;
    }

    @Override
    public String describe() {
        return "stripe " + toString(key) + " of executor " + engine().name();
    }

    @Override
    void onEnd(boolean mayStay) {
        engine().onEnd(this);
    }

    @Nullable
    ParkedStripe parked() {
        Throwable failure = parkedWith();
        return failure == null ? null : new ParkedStripe(key, queued(), failure);
    }

    StripeSnapshot snapshot() {
        return new StripeSnapshot(key, queued(), isActive());
    }
}
