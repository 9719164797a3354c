package io.orderedexecutor.engine.admit;

import io.orderedexecutor.Batcher;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** An item joins the batch that waits, or is behind the batch that runs: it runs once. */
@JCStressTest
@Outcome(id = "12, 2", expect = Expect.ACCEPTABLE, desc = "both, in order")
@State
public class ItemSubmittedVersusRun {
    private final HandRunStripe stripe = new HandRunStripe();
    private final Batcher<Object, Integer> batcher = stripe.executor
            .<Object, Integer>batchTo((key, items) -> items.forEach(stripe::digit))
            .build();

    public ItemSubmittedVersusRun() {
        var unused = batcher.submit(HandRunStripe.KEY, 1);
    }

    @Actor
    public void run() {
        stripe.run(0);
    }

    @Actor
    public void submit() {
        var unused = batcher.submit(HandRunStripe.KEY, 2);
    }

    @Arbiter
    public void rest(II_Result result) {
        result.r1 = stripe.rest();
        result.r2 = stripe.ends();
    }
}
