package io.orderedexecutor.engine.striped;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.engine.executor.Engine;
import io.orderedexecutor.engine.executor.LimitedKey;
import io.orderedexecutor.engine.strand.Link;
import io.orderedexecutor.engine.strand.LinkQueue;
import io.orderedexecutor.engine.strand.OpenPlaces.Reserved;
import io.orderedexecutor.engine.strand.Serving;
import io.orderedexecutor.engine.strand.Strand;
import io.orderedexecutor.engine.strand.StrandControl;
import io.orderedexecutor.engine.strand.StrandReasons;
import io.orderedexecutor.engine.strand.TaskReporter;
import io.orderedexecutor.engine.task.Reason;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.ParkedStripe;
import io.orderedexecutor.stats.StripeSnapshot;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The strand of one stripe of a {@link StripedExecutor}: an entry of its table while there are tasks, and no longer.
 */
public final class Stripe extends Strand implements LimitedKey {

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

    /** The spread hash of the key at the time of its submission; a key that changes later cannot lose its stripe. */
    public final int hash;

    /**
     * The next stripe in the same bin. Written before this stripe is found, and then under the lock of the bins;
     * searches read it without.
     */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private @Nullable Stripe nextInBin;

    public Stripe(Engine<?> engine, Object key, int hash, Link first) {
        super(engine, key, first, READY, key != TaskEvents.NO_KEY, false);
        this.hash = hash;
    }

    /** Opens a stripe without tasks, which is paused. */
    Stripe(Engine<?> engine, Object key, int hash) {
        super(engine, key);
        this.hash = hash;
    }

    /** A field of its own would make every open stripe larger. */
    private Engine<?> engine() {
        return (Engine<?>) host();
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

    /**
     * Pauses this stripe.
     *
     * @return false if it has ended, and another one has to be opened in its place
     */
    boolean pause() {
        setPausedItself(true);
        // the server cannot end the queue before it has passed such a link, and sees the pause when it looks for the
        // next
        return isVacatedAtTheEnd() || enqueueVacated();
    }

    /** Lets this stripe go on; false if it was not paused. */
    public boolean resume() {
        boolean wasPaused = isPausedItself();
        setPausedItself(false);
        StrandControl.unpause(this);
        return wasPaused;
    }

    @Override
    public boolean dropOldest() {
        return StrandControl.dropOldest(this);
    }

    @Override
    public Reason fullBecause(int capacity) {
        return new Reason(new Explanation.NoRoom(StrandReasons.placeOf(this), capacity), this);
    }

    @Override
    public String describe() {
        return "stripe " + TaskReporter.toString(key) + " of executor " + engine().name();
    }

    @Override
    public String toString() {
        return describe();
    }

    @Override
    public void run() {
        Serving.run(this);
    }

    @Override
    public void onEnd(boolean mayStay) {
        ((Owner) host()).onEnd(this);
    }

    @Nullable
    ParkedStripe parked() {
        Throwable failure = StrandControl.parkedWith(this);
        return failure == null ? null : new ParkedStripe(key, queued(), failure);
    }

    @Override
    public boolean hasReserved() {
        return host().openPlaces().areIn(this);
    }

    /** What is seen of it at this moment, given what is reserved in each stripe. */
    StripeSnapshot snapshot(Map<LinkQueue, Reserved> reservedByStripe) {
        Reserved reserved = reservedByStripe.getOrDefault(this, Reserved.NONE);
        return new StripeSnapshot(key, queued(), reserved.count(), reserved.age(), isActive());
    }

    public StripeSnapshot snapshot() {
        return snapshot(host().openPlaces().byQueue(host().platform().nanoTime()));
    }
}
