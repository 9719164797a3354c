package io.orderedexecutor.engine.strand;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.executor.Limits;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIIII_Result;

/** An item joins the batch that waits, or is behind the batch that has been taken: it is neither lost nor run twice. */
@JCStressTest
@Outcome(id = "1, 2, 1, 1, 2", expect = Expect.ACCEPTABLE, desc = "joined: one batch of two")
@Outcome(id = "2, 2, 1, 1, 2", expect = Expect.ACCEPTABLE, desc = "taken before: two batches")
@Outcome(id = "1, 1, 0, 0, 1", expect = Expect.ACCEPTABLE, desc = "over before: the later one opens a new strand")
@State
public class SubmitVersusTakeBatch {

    /** Notes the batches; used by the holder of the strand. */
    private final class Noting extends Batching {
        Noting() {
            super(10, 0, 0, false);
        }

        @Override
        protected @Nullable CompletionStage<?> handle(Object stripe, List<?> items) {
            batches++;
            ran += items.size();
            return null;
        }

        @Override
        protected Runnable asSubmitted(Object stripe, Object item) {
            throw new AssertionError("nothing is given back");
        }
    }

    private final Batching batching = new Noting();
    private final BatchItem first = new BatchItem("first", batching, 1);
    private final BatchItem second = new BatchItem("second", batching, 1);
    private final SteppedStrand strand = new SteppedStrand(new BatchLink("key", first, null), FailurePolicy.proceed());
    private int batches;
    private int ran;
    private int accepted;

    @Actor
    public void take() {
        strand.run();
    }

    @Actor
    public void submit() {
        Placed placed = BatchLink.join(strand, second, null, Limits.UNLIMITED);
        if (placed == null) {
            placed = new BatchLink("key", second, null).placeIn(strand, Limits.UNLIMITED);
        }
        accepted = placed == Placed.ENDED ? 0 : 1;
    }

    @Arbiter
    public void rest(IIIII_Result result) {
        int ends = strand.runToTheEnd()[1];
        result.r1 = batches;
        result.r2 = ran;
        // one that is lost was accepted, and is not done
        result.r3 = accepted;
        result.r4 = second.isDone() ? 1 : 0;
        result.r5 = ends;
    }
}
