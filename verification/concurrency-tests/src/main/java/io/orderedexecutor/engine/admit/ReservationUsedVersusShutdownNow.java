package io.orderedexecutor.engine.admit;

import io.orderedexecutor.Reservation;
import java.util.concurrent.RejectedExecutionException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** A place is used while it is given back by a shutdown: its task ends, or is refused. */
@JCStressTest
@Outcome(id = "0, true", expect = Expect.ACCEPTABLE, desc = "refused, or taken back")
@State
public class ReservationUsedVersusShutdownNow {
    private final HandRunStripe stripe = new HandRunStripe();
    private final Reservation place = stripe.executor.reserve(HandRunStripe.KEY);
    private boolean isAccepted;

    @Actor
    public void use() {
        try {
            place.execute(stripe.task(1));
            isAccepted = true;
        } catch (RejectedExecutionException refused) {
            isAccepted = false;
        }
    }

    @Actor
    public void stop() {
        stripe.executor.shutdownNow();
    }

    @Arbiter
    public void rest(IZ_Result result) {
        result.r1 = stripe.rest();
        result.r2 = stripe.executor.isTerminated() && stripe.ends() == (isAccepted ? 1 : 0);
    }
}
