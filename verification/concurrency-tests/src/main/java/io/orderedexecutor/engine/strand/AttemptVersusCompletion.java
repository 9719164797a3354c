package io.orderedexecutor.engine.strand;

import io.orderedexecutor.FailurePolicy;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A strand whose asynchronous task is completed while the thread that has started it leaves goes on. */
@JCStressTest
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "the task behind it has run")
@State
public class AttemptVersusCompletion {
    private final TaskFuture<Integer> future = new StageFuture<>(CompletableFuture::new);
    private final SteppedStrand strand = new SteppedStrand(future, FailurePolicy.proceed());

    @Actor
    public void run() {
        strand.run();
    }

    @Actor
    public void complete() {
        future.complete(1);
    }

    @Arbiter
    public void rest(II_Result result) {
        int[] seen = strand.runToTheEnd();
        result.r1 = seen[0];
        result.r2 = seen[1];
    }
}
