package io.orderedexecutor.engine.admit;

import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A task that is run and cancelled at the same time holds up none, and ends once. */
@JCStressTest
@Outcome(id = "12, 2", expect = Expect.ACCEPTABLE, desc = "it has run")
@Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "it was cancelled before")
@State
public class TaskRunVersusCancelled {
    private final HandRunStripe stripe = new HandRunStripe();
    private final CompletableFuture<Integer> first = stripe.executor.submit(HandRunStripe.KEY, () -> stripe.digit(1));

    public TaskRunVersusCancelled() {
        stripe.executor.execute(HandRunStripe.KEY, stripe.task(2));
    }

    @Actor
    public void run() {
        stripe.run(0);
    }

    @Actor
    public void cancel() {
        first.cancel(true);
    }

    @Arbiter
    public void rest(II_Result result) {
        result.r1 = stripe.rest();
        result.r2 = stripe.ends();
    }
}
