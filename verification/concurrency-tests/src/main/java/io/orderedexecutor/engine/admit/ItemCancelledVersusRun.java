package io.orderedexecutor.engine.admit;

import io.orderedexecutor.Batcher;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The only item is cancelled, or runs: it ends once, and its batch is not left behind without it. */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "cancelled before: nothing runs")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "it has run")
@State
public class ItemCancelledVersusRun {
    private final HandRunStripe stripe = new HandRunStripe();
    private final Batcher<Object, Integer> batcher = stripe.executor
            .<Object, Integer>batchTo((key, items) -> items.forEach(stripe::digit))
            .build();
    private final CompletableFuture<?> item = batcher.submit(HandRunStripe.KEY, 1);

    @Actor
    public void run() {
        stripe.run(0);
    }

    @Actor
    public void cancel() {
        item.cancel(false);
    }

    @Arbiter
    public void rest(II_Result result) {
        result.r1 = stripe.rest();
        result.r2 = stripe.ends();
    }
}
