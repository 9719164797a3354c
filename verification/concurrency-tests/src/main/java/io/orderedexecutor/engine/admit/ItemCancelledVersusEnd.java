package io.orderedexecutor.engine.admit;

import io.orderedexecutor.Batcher;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * One of two items is cancelled while a thread runs the batch: the batch leaves its order when both items have ended,
 * and only then the task behind it starts.
 */
@JCStressTest
@Outcome(id = "13, 3", expect = Expect.ACCEPTABLE, desc = "cancelled before: only the other item runs")
@Outcome(id = "123, 3", expect = Expect.ACCEPTABLE, desc = "both have run")
@State
public class ItemCancelledVersusEnd {
    private final HandRunStripe stripe = new HandRunStripe();
    private final Batcher<Object, Integer> batcher = stripe.executor
            .<Object, Integer>batchTo((key, items) -> items.forEach(stripe::digit))
            .build();
    private final CompletableFuture<?> kept = batcher.submit(HandRunStripe.KEY, 1);
    private final CompletableFuture<?> item = batcher.submit(HandRunStripe.KEY, 2);

    public ItemCancelledVersusEnd() {
        stripe.executor.execute(HandRunStripe.KEY, () -> stripe.digit(kept.isDone() && itemsHaveEnded() ? 3 : 4));
    }

    private boolean itemsHaveEnded() {
        OrderedExecutorStats stats = stripe.executor.inspect().stats();
        return stats.completed() + stats.cancelled() == 2;
    }

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
