package io.orderedexecutor.engine.admit;

import io.orderedexecutor.WhenBusy;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A task that is interrupted while it ends ends once, and no other sees the interrupt. */
@JCStressTest
@Outcome(id = "2, 2, 0", expect = Expect.ACCEPTABLE, desc = "replaced before it started")
@Outcome(id = "12, 2, 0", expect = Expect.ACCEPTABLE, desc = "it has run")
@State
public class TaskInterruptedVersusEnd {
    private final HandRunStripe stripe = new HandRunStripe();

    public TaskInterruptedVersusEnd() {
        stripe.executor.with(WhenBusy.latest("slot")).execute(HandRunStripe.KEY, stripe.task(1));
    }

    @Actor
    public void run() {
        stripe.run(0);
    }

    @Actor
    public void interrupt() {
        stripe.executor.with(WhenBusy.interrupt("slot")).execute(HandRunStripe.KEY, stripe.task(2));
    }

    @Arbiter
    public void rest(III_Result result) {
        result.r1 = stripe.rest();
        result.r2 = stripe.ends();
        result.r3 = stripe.interrupted();
    }
}
