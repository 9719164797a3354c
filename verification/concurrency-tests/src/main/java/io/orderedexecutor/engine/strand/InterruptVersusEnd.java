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
import org.openjdk.jcstress.infra.results.III_Result;

/** A task that is interrupted while it ends has one end, and the interrupt never reaches the one that it is for. */
@JCStressTest
@Outcome(id = "1, 0, 2", expect = Expect.ACCEPTABLE, desc = "the later one has run, and was not interrupted")
@Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "the first was over, and the later one opens a new strand")
@State
public class InterruptVersusEnd {
    private final AtomicInteger laterRuns = new AtomicInteger();
    private final AtomicInteger laterInterrupted = new AtomicInteger();
    private final SteppedStrand strand =
            new SteppedStrand(new SlotLink(new CallFuture<>(() -> null), "slot", 0, false), FailurePolicy.proceed());
    private final SlotLink later = new SlotLink(
            new CallFuture<>(() -> {
                if (Thread.currentThread().isInterrupted()) {
                    laterInterrupted.incrementAndGet();
                }
                return laterRuns.incrementAndGet();
            }),
            "slot",
            0,
            true);

    @Actor
    public void run() {
        strand.run();
    }

    @Actor
    public void interrupt() {
        later.placeIn(strand, Limits.UNLIMITED);
    }

    @Arbiter
    public void rest(III_Result result) {
        int ends = strand.runToTheEnd()[1];
        result.r1 = laterRuns.get();
        result.r2 = laterInterrupted.get();
        result.r3 = ends;
    }
}
