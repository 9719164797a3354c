package io.orderedexecutor.engine.strand;

import io.orderedexecutor.FailurePolicy;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A task has one end: it has run, or it is cancelled, or it is cancelled while it runs. */
@JCStressTest
@Outcome(id = "0, 1, 2", expect = Expect.ACCEPTABLE, desc = "cancelled before it began")
@Outcome(id = "1, 0, 2", expect = Expect.ACCEPTABLE, desc = "it has run")
@Outcome(id = "1, 1, 2", expect = Expect.ACCEPTABLE, desc = "cancelled while it ran")
@State
public class StartVersusCancellation {
    private final AtomicInteger runs = new AtomicInteger();
    private final TaskFuture<Integer> future = new CallFuture<>(runs::incrementAndGet);
    private final SteppedStrand strand = new SteppedStrand(future, FailurePolicy.proceed());

    @Actor
    public void run() {
        strand.run();
    }

    @Actor
    public void cancel(III_Result result) {
        result.r2 = future.cancel(false) ? 1 : 0;
    }

    @Arbiter
    public void rest(III_Result result) {
        int[] seen = strand.runToTheEnd();
        result.r1 = runs.get();
        result.r3 = seen[0] == 1 ? seen[1] : -1;
    }
}
