package io.orderedexecutor.engine.strand;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.executor.Limits;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** The queued task of a slot is replaced, or it starts and the later one is behind it: always one of the two. */
@JCStressTest
@Outcome(id = "0, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "replaced, and cancelled")
@Outcome(id = "1, 1, 0, 2", expect = Expect.ACCEPTABLE, desc = "started; the later one has run behind it")
@Outcome(id = "1, 0, 0, 1", expect = Expect.ACCEPTABLE, desc = "over before; the later one opens a new strand")
@State
public class ReplaceVersusStart {
    private final AtomicInteger oldRuns = new AtomicInteger();
    private final AtomicInteger newRuns = new AtomicInteger();
    private final TaskFuture<Integer> old = new CallFuture<>(oldRuns::incrementAndGet);
    private final SteppedStrand strand =
            new SteppedStrand(new SlotLink(old, "slot", 0, false), FailurePolicy.proceed());
    private final SlotLink later = new SlotLink(new CallFuture<>(newRuns::incrementAndGet), "slot", 0, false);

    @Actor
    public void run() {
        strand.run();
    }

    @Actor
    public void replace() {
        later.placeIn(strand, Limits.UNLIMITED);
    }

    @Arbiter
    public void rest(IIII_Result result) {
        int ends = strand.runToTheEnd()[1];
        result.r1 = oldRuns.get();
        result.r2 = newRuns.get();
        result.r3 = old.isCancelled() ? 1 : 0;
        // a replaced task has an end, too
        result.r4 = ends - result.r3;
    }
}
