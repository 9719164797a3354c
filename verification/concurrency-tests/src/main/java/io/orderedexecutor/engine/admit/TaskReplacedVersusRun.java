package io.orderedexecutor.engine.admit;

import io.orderedexecutor.WhenBusy;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The queued task of a slot is replaced, or it starts and the later one is behind it. */
@JCStressTest
@Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "replaced")
@Outcome(id = "12, 2", expect = Expect.ACCEPTABLE, desc = "started; the later one has run behind it")
@State
public class TaskReplacedVersusRun {
    private final HandRunStripe stripe = new HandRunStripe();

    public TaskReplacedVersusRun() {
        stripe.executor.with(WhenBusy.latest("slot")).execute(HandRunStripe.KEY, stripe.task(1));
    }

    @Actor
    public void run() {
        stripe.run(0);
    }

    @Actor
    public void replace() {
        stripe.executor.with(WhenBusy.latest("slot")).execute(HandRunStripe.KEY, stripe.task(2));
    }

    @Arbiter
    public void rest(II_Result result) {
        result.r1 = stripe.rest();
        result.r2 = stripe.ends();
    }
}
