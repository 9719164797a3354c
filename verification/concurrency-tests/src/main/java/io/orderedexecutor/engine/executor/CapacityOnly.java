package io.orderedexecutor.engine.executor;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.strand.Strand;
import java.util.List;
import java.util.Set;

/** What {@link Permits} need of an executor that limits its tasks, but not those of a key. */
final class CapacityOnly {
    static final KeyHashes<Object> NO_KEYS = new KeyHashes<>() {
        @Override
        public Set<Integer> of(Object target, int hash) {
            return Set.of();
        }

        @Override
        public Set<Integer> ofTakenFrom(Strand strand) {
            return Set.of();
        }
    };

    private CapacityOnly() {}

    static Settings settings(int capacity) {
        return new Settings(
                "limited",
                capacity,
                Limits.UNLIMITED,
                false,
                Overflow.reject(),
                FailurePolicy.proceed(),
                List.of(),
                Platform.JDK);
    }
}
