package io.orderedexecutor.engine.admit;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A task comes while the last one before it ends, and its stripe is about to be empty. */
@JCStressTest
@Outcome(id = "12, 2", expect = Expect.ACCEPTABLE, desc = "both, in order, and nothing is left")
@State
public class TaskSubmittedVersusEnd {
    private final HandRunStripe stripe = new HandRunStripe();

    public TaskSubmittedVersusEnd() {
        stripe.executor.execute(HandRunStripe.KEY, stripe.task(1));
    }

    @Actor
    public void first() {
        stripe.run(0);
    }

    @Actor
    public void second() {
        stripe.executor.execute(HandRunStripe.KEY, stripe.task(2));
    }

    @Arbiter
    public void rest(II_Result result) {
        result.r1 = stripe.rest();
        result.r2 = stripe.ends();
    }
}
