package io.orderedexecutor.engine.executor;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.strand.Strand;
import java.util.List;
import java.util.Set;
import org.jetbrains.lincheck.datastructures.Operation;

/** The permits of an executor are a semaphore. */
public class LinearPermits {
    private static final int CAPACITY = 2;

    private static final Settings SETTINGS = new Settings(
            "permits",
            CAPACITY,
            Limits.UNLIMITED,
            false,
            Overflow.reject(),
            FailurePolicy.proceed(),
            List.of(),
            Platform.JDK);

    private static final KeyHashes<Object> NO_KEYS = new KeyHashes<>() {
        @Override
        public Set<Integer> of(Object target, int hash) {
            return Set.of();
        }

        @Override
        public Set<Integer> ofTakenFrom(Strand strand) {
            return Set.of();
        }
    };

    private final Permits permits = new Permits(SETTINGS, NO_KEYS);

    /** One permit is taken, to be given back. */
    public LinearPermits() {
        permits.tryAcquire();
    }

    @Operation
    public boolean tryAcquire() {
        return permits.tryAcquire();
    }

    @Operation(runOnce = true)
    public void giveBack() {
        permits.giveBackUnused();
    }

    /** What it should be. */
    public static class Specification {
        private int free = CAPACITY - 1;

        public boolean tryAcquire() {
            if (free == 0) {
                return false;
            }
            free--;
            return true;
        }

        public void giveBack() {
            free++;
        }
    }
}
