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

    private final StripedExecutor executor;

    final Object key;

    /** The spread hash of the key at the time of its submission; a key that changes later cannot lose its stripe. */
    final int hash;

    /** The next stripe in the same bin. Written under the monitor of the segment; searches read it without. */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private @Nullable Stripe nextInBin;

    Stripe(StripedExecutor executor, Object key, int hash, Runnable first) {
        super(first);
        this.executor = executor;
        this.key = key;
        this.hash = hash;
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
        return executor.workers();
    }

    @Override
    void onTaskEnd(TaskEnd end) {
        executor.onTaskEnd(end);
    }

    @Override
    void onRejected() {
        executor.onRejected();
    }

    @Override
    boolean isStopping() {
        return executor.isStopping();
    }

    @Override
    String describe() {
        return "stripe " + toString(key) + " of executor " + executor.name();
    }

    @Override
    void onEnd() {
        executor.onEnd(this);
    }

    StripeSnapshot snapshot() {
        return new StripeSnapshot(key, queued(), isActive());
    }
}
