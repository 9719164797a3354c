package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The wait of a batch for more items, from its turn to its claim. The server leaves the strand to the suspension, which
 * is the same each time: to go on without need does no harm, since the next server leaves the strand to it again. One
 * timer runs meanwhile. It looks again when the time was over that it knew of, and items have come since.
 *
 * <p>A batch that is claimed is forgotten: the timer keeps nothing alive but this object and the strand's shell.
 */
final class Linger implements Runnable {
    private final Suspension suspension = new Suspension(Suspension.Reason.LINGERING, null);

    /**
     * Whether a timer runs. Set by the server after it has left the strand, cleared by the timer before it asks whether
     * the strand was left: so one of the two goes on.
     */
    private final AtomicBoolean isTimed = new AtomicBoolean();

    /** Whether there is no reason to wait any longer. Written by submitters. */
    private volatile boolean isOver;

    /** Null when the batch was claimed. Written by the holder. */
    private volatile @Nullable Batch batch;

    private volatile @Nullable Strand strand;

    Linger(Batch batch, Strand strand) {
        this.batch = batch;
        this.strand = strand;
    }

    Suspension suspension() {
        return suspension;
    }

    /** For the holder, who has claimed the batch. */
    void forget() {
        batch = null;
        strand = null;
    }

    /** Lets the strand go on. */
    void end() {
        isOver = true;
        Strand waiting = strand;
        if (waiting != null) {
            // a server that leaves the strand from now on sees the write above
            Serving.passOn(waiting, suspension);
        }
    }

    private long left(Platform platform) {
        Batch waiting = batch;
        return isOver || waiting == null ? 0 : waiting.leftToLinger(platform.nanoTime());
    }

    /** For the server that has left the strand: whether there is time left, and a timer runs. */
    boolean goesOn() {
        Strand left = strand;
        if (left == null) {
            return false;
        }
        Platform platform = left.host().platform();
        long nanos = left(platform);
        if (nanos <= 0) {
            return false;
        }
        return !isTimed.compareAndSet(false, true) || isScheduled(platform, nanos);
    }

    private boolean isScheduled(Platform platform, long nanos) {
        try {
            platform.schedule(nanos, this);
            return true;
        } catch (Throwable noTimer) {
            // the wait is lost, the items are not
            isOver = true;
            isTimed.set(false);
            UncaughtFailures.report(noTimer);
            return false;
        }
    }

    /** For the timer. */
    @Override
    public void run() {
        Strand waiting = strand;
        if (waiting == null) {
            return;
        }
        Platform platform = waiting.host().platform();
        long nanos = left(platform);
        if (nanos > 0 && isScheduled(platform, nanos)) {
            return;
        }
        isTimed.set(false);
        Serving.goOnElsewhere(waiting, suspension);
    }
}
