package io.orderedexecutor.engine.executor;

import io.orderedexecutor.FewStripes;
import io.orderedexecutor.engine.strand.Strand;
import io.orderedexecutor.engine.striped.StripeTable;
import io.orderedexecutor.stats.Explanation;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Of two who want the only permit one gets it, and it can be had again when it is given back. */
@JCStressTest
@Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "the first")
@Outcome(id = "0, 1, 1", expect = Expect.ACCEPTABLE, desc = "the second")
@State
public class PermitVersusPermit {
    private final Permits permits = new Permits(SETTINGS, CapacityOnly.NO_KEYS);
    private final Limits<Object> limits = new Limits<>(ENGINE, SETTINGS, permits);

    private static final Strand TAKEN_FROM = FewStripes.stripe("a");

    @Actor
    public void first(III_Result result) {
        result.r1 = admit();
    }

    @Actor
    public void second(III_Result result) {
        result.r2 = admit();
    }

    @Arbiter
    public void again(III_Result result) {
        permits.onTaken(TAKEN_FROM);
        result.r3 = admit();
    }

    private int admit() {
        try {
            limits.admit("a", 0, () -> {}, null);
            return 1;
        } catch (RejectedExecutionException full) {
            return 0;
        }
    }

    private static final Settings SETTINGS = CapacityOnly.settings(1);

    private static final Anything ENGINE = new Anything();

    /** Accepts every task that has a permit. */
    private static final class Anything extends Engine<Object> {
        Anything() {
            super(
                    "test",
                    SETTINGS,
                    FewStripes.engine().workers(),
                    new LiveStrands(new StripeTable()),
                    CapacityOnly.NO_KEYS,
                    () -> {});
        }

        @Override
        public @Nullable LimitedKey place(Object target, int hash, Runnable task, int keyCapacity) {
            return null;
        }

        @Override
        public String keyType() {
            return "key";
        }

        @Override
        public Explanation explain(Object key, boolean stacks) {
            throw new UnsupportedOperationException("nothing is to be explained");
        }

        @Override
        public boolean dropOldest(Object target, int hash) {
            return false;
        }
    }
}
