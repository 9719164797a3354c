package io.orderedexecutor.engine.admit;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;

/** A task that comes during a shutdownNow is refused or ends, and the executor terminates. */
@JCStressTest
@Outcome(id = "0, 0, true", expect = Expect.ACCEPTABLE, desc = "refused")
@Outcome(id = "0, 1, true", expect = Expect.ACCEPTABLE, desc = "accepted, and taken back")
@State
public class TaskSubmittedVersusShutdownNow {
    private final HandRunStripe stripe = new HandRunStripe();
    private boolean isAccepted;

    @Actor
    public void submit() {
        isAccepted = stripe.isAccepted(1);
    }

    @Actor
    public void stop() {
        stripe.executor.shutdownNow();
    }

    @Arbiter
    public void rest(IIZ_Result result) {
        result.r1 = stripe.rest();
        result.r2 = stripe.ends();
        result.r3 = stripe.executor.isTerminated() && stripe.ends() == (isAccepted ? 1 : 0);
    }
}
