package io.orderedexecutor.engine.task;

import io.orderedexecutor.stats.Rejections;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the submissions that an executor has rejected, by reason. */
public final class RejectionCounts {

    /** See {@link Rejections}. */
    public enum Reason {
        CAPACITY,
        KEY_CAPACITY,
        SHUTDOWN,
        NO_THREAD
    }

    /** Never changed after construction; its values are thread-safe. */
    private final Map<Reason, LongAdder> counts = new EnumMap<>(Reason.class);

    public RejectionCounts() {
        for (Reason reason : Reason.values()) {
            counts.put(reason, new LongAdder());
        }
    }

    public void count(Reason reason) {
        adder(reason).increment();
    }

    public Rejections counted() {
        return new Rejections(
                adder(Reason.CAPACITY).sum(),
                adder(Reason.KEY_CAPACITY).sum(),
                adder(Reason.SHUTDOWN).sum(),
                adder(Reason.NO_THREAD).sum());
    }

    @SuppressWarnings("NullAway") // there is one for each reason
    private LongAdder adder(Reason reason) {
        return counts.get(reason);
    }
}
