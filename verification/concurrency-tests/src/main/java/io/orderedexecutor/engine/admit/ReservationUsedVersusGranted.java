package io.orderedexecutor.engine.admit;

import io.orderedexecutor.Reservation;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A place is used while the one before it ends: its task runs once, behind that one. */
@JCStressTest
@Outcome(id = "12, 2", expect = Expect.ACCEPTABLE, desc = "both, in order")
@State
public class ReservationUsedVersusGranted {
    private final HandRunStripe stripe = new HandRunStripe();
    private final Reservation place;

    public ReservationUsedVersusGranted() {
        stripe.executor.execute(HandRunStripe.KEY, stripe.task(1));
        place = stripe.executor.reserve(HandRunStripe.KEY);
    }

    @Actor
    public void run() {
        stripe.run(0);
    }

    @Actor
    public void use() {
        place.execute(stripe.task(2));
    }

    @Arbiter
    public void rest(II_Result result) {
        result.r1 = stripe.rest();
        result.r2 = stripe.ends();
    }
}
