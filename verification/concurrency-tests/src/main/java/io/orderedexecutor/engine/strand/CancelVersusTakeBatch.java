package io.orderedexecutor.engine.strand;

import io.orderedexecutor.FailurePolicy;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** The only item is cancelled, or runs: it ends once, and its batch is not left behind without it. */
@JCStressTest
@Outcome(id = "0, 0, 1, 0", expect = Expect.ACCEPTABLE, desc = "cancelled before: nothing runs")
@Outcome(id = "1, 1, 1, 0", expect = Expect.ACCEPTABLE, desc = "taken, and its future cancelled before the batch ended")
@Outcome(id = "1, 0, 1, 0", expect = Expect.ACCEPTABLE, desc = "over before")
@State
public class CancelVersusTakeBatch {

    /** Notes the batches; used by the holder of the strand. */
    private final class Noting extends Batching {
        Noting() {
            super(10, 0, 0, false);
        }

        @Override
        protected @Nullable CompletionStage<?> handle(Object stripe, List<?> items) {
            ran += items.size();
            return null;
        }

        @Override
        protected Runnable asSubmitted(Object stripe, Object item) {
            throw new AssertionError("nothing is given back");
        }
    }

    private final BatchItem item = new BatchItem("item", new Noting(), 1);
    private final SteppedStrand strand = new SteppedStrand(new BatchLink("key", item, null), FailurePolicy.proceed());
    private int ran;

    @Actor
    public void take() {
        strand.run();
    }

    @Actor
    public void cancel() {
        item.cancel(false);
    }

    @Arbiter
    public void rest(IIII_Result result) {
        int ends = strand.runToTheEnd()[1];
        result.r1 = ran;
        // one that has not run is cancelled in any case
        result.r2 = ran > 0 && item.isCancelled() ? 1 : 0;
        result.r3 = ends;
        result.r4 = strand.queued();
    }
}
