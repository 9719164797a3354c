package io.orderedexecutor;

import io.orderedexecutor.stats.ParkedStripe;
import io.orderedexecutor.stats.StripeSnapshot;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The strand of one stripe of a {@link StripedExecutor}: an entry of its table while there are tasks, and no longer.
 */
final class Stripe extends Strand implements KeyQueue {

    /** The engine of a stripe. */
    interface Owner {

        /** Removes a stripe that has ended. */
        void onEnd(Stripe stripe);
    }

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

    /** Whether this stripe is paused. It then stays in the table without tasks. */
    private volatile boolean paused;

    Stripe(Engine<?> engine, Object key, int hash, Link first) {
        this(engine, key, hash, first, READY);
    }

    private Stripe(Engine<?> engine, Object key, int hash, Link first, @Nullable Object holder) {
        super(engine, first, holder);
        this.key = key;
        this.hash = hash;
    }

    /** A stripe without tasks, which is paused. */
    static Stripe paused(Engine<?> engine, Object key, int hash) {
        Stripe opened = new Stripe(engine, key, hash, new Link(null), new Suspension(Suspension.Reason.PAUSED, null));
        opened.paused = true;
        return opened;
    }

    /** A field of its own would make every open stripe larger. */
    private Engine<?> engine() {
        return (Engine<?>) host();
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
        return isKeptOpen() || engine().isPaused();
    }

    /** Whether it is paused even if its executor is not. */
    boolean isPausedItself() {
        return paused;
    }

    @Override
    boolean isKeptOpen() {
        return paused && !engine().isShutdown();
    }

    /**
     * Pauses this stripe.
     *
     * @return false if it has ended, and another one has to be opened in its place
     */
    boolean pause() {
        paused = true;
        // the server cannot end the queue before it has passed such a link, and sees the pause when it looks for the
        // next
        return isVacatedAtTheEnd() || enqueueVacated();
    }

    /** Lets this stripe go on; false if it was not paused. */
    boolean resume() {
        boolean wasPaused = paused;
        paused = false;
        unpause();
        return wasPaused;
    }

    @Override
    public boolean dropOldest() {
        return dropOldestTask();
    }

    @Override
    public String describe() {
        return "stripe " + TaskReporter.toString(key) + " of executor " + engine().name();
    }

    @Override
    void onEnd(boolean mayStay) {
        ((Owner) host()).onEnd(this);
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
