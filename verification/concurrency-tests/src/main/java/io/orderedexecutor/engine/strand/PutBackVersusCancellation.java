package io.orderedexecutor.engine.strand;

import io.orderedexecutor.FailurePolicy;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A task that is cancelled while it fails, and is put back to be parked, holds up nobody. */
@JCStressTest
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "the task behind it has run")
@State
public class PutBackVersusCancellation {
    private final TaskFuture<Object> future = new CallFuture<>(() -> {
        throw new IllegalStateException("thrown by the test");
    });
    private final SteppedStrand strand = new SteppedStrand(future, FailurePolicy.park());

    @Actor
    public void run() {
        strand.run();
    }

    @Actor
    public void cancel() {
        future.cancel(true);
    }

    @Arbiter
    public void rest(II_Result result) {
        int[] seen = strand.runToTheEnd();
        result.r1 = seen[0];
        result.r2 = seen[1];
    }
}
