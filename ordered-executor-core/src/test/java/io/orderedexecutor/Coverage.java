package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What a stress test has met with; one that never meets a feature does not test it. */
final class Coverage {

    enum Feature {
        COMPLETED,
        FAILED,
        CANCELLED,
        REFUSED,
        TAKEN_BACK,
        DROPPED,
        PARKED,
        RETRIED,
        SKIPPED,
        SELF_WAIT,
        CANCELLED_WHILE_HELD,
        COMPLETED_FROM_OUTSIDE,
        UNCAUGHT
    }

    private final Map<Feature, LongAdder> counts = new EnumMap<>(Feature.class);

    Coverage() {
        for (Feature feature : Feature.values()) {
            counts.put(feature, new LongAdder());
        }
    }

    void count(Feature feature) {
        count(feature, 1);
    }

    void count(Feature feature, long times) {
        counts.get(feature).add(times);
    }

    void assertAllMet() {
        assertThat(counts)
                .allSatisfy((feature, count) -> assertThat(count.sum()).isPositive());
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
