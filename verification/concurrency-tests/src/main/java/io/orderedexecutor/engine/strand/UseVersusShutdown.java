package io.orderedexecutor.engine.strand;

import io.orderedexecutor.FailurePolicy;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A reserved place is used while a shutdown takes back what waits: its task runs, is returned, or is refused. */
@JCStressTest
@Outcome(id = "1, 0, 1, 1", expect = Expect.ACCEPTABLE, desc = "accepted, and has run")
@Outcome(id = "1, 1, 0, 1", expect = Expect.ACCEPTABLE, desc = "accepted, and was returned")
@Outcome(id = "0, 0, 0, 1", expect = Expect.ACCEPTABLE, desc = "refused")
@State
public class UseVersusShutdown {
    private final Host host = SteppedStrand.newHost(FailurePolicy.proceed());
    private final QueuedReservation reservation = new QueuedReservation(host, "key", "executor", null);
    private final SteppedStrand strand = new SteppedStrand(reservation, host);
    private final AtomicInteger ran = new AtomicInteger();
    private final Runnable task = ran::getAndIncrement;
    private final TakenBack unstarted = new TakenBack();

    @Actor
    public void use(IIII_Result result) {
        try {
            reservation.execute(task);
            result.r1 = 1;
        } catch (RejectedExecutionException stopped) {
            result.r1 = 0;
        }
        strand.run();
    }

    @Actor
    public void stop() {
        StrandControl.takeBack(strand, unstarted);
        StrandControl.stop(strand);
    }

    @Arbiter
    public void rest(IIII_Result result) {
        int[] seen = strand.runToTheEnd();
        boolean isReturned = unstarted.tasks().remove(task);
        result.r2 = isReturned ? 1 : 0;
        result.r3 = ran.get();
        result.r4 = seen[0] + unstarted.tasks().size();
    }
}
