package io.orderedexecutor.engine.strand;

import io.orderedexecutor.FailurePolicy;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * A reserved place is used while its lease ends and its strand is served: one of the two, and what is behind it runs.
 */
@JCStressTest
@Outcome(id = "1, 0, 1, 1", expect = Expect.ACCEPTABLE, desc = "used: its task has run, then the one behind it")
@Outcome(
        id = "0, 1, 0, 1",
        expect = Expect.ACCEPTABLE,
        desc = "expired: the task is refused, the one behind it has run")
@State
public class UseVersusLease {
    private final Host host = SteppedStrand.newHost(FailurePolicy.proceed());
    private final QueuedReservation reservation = new QueuedReservation(host, "key", "executor", null);
    private final SteppedStrand strand = new SteppedStrand(reservation, host);
    private final AtomicInteger ran = new AtomicInteger();

    @Actor
    public void use(IIII_Result result) {
        try {
            reservation.execute(ran::getAndIncrement);
            result.r1 = 1;
        } catch (IllegalStateException expired) {
            result.r1 = 0;
        }
    }

    @Actor
    public void expire(IIII_Result result) {
        result.r2 = reservation.giveBack(ReservedPlace.State.EXPIRED) ? 1 : 0;
        strand.run();
    }

    @Arbiter
    public void rest(IIII_Result result) {
        int[] seen = strand.runToTheEnd();
        result.r3 = ran.get();
        result.r4 = seen[0];
    }
}
