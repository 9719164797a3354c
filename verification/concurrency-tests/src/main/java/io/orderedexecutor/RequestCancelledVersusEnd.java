package io.orderedexecutor;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Who gives up a wait while there is room has a ticket, or has none; none is lost. */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "it was given up, and the next one gets the ticket")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "it has the ticket, and there is no other")
@State
public class RequestCancelledVersusEnd {
    private final TicketSequencer sequencer = new TicketSequencer(1);
    private final Reservation first = Objects.requireNonNull(sequencer.tryNext());
    private final CompletableFuture<Reservation> second = sequencer.nextAsync();

    @Actor
    public void end() {
        first.close();
    }

    @Actor
    public void giveUp() {
        second.cancel(false);
    }

    @Arbiter
    public void rest(II_Result result) {
        result.r1 = second.isCancelled() ? 0 : 1;
        result.r2 = sequencer.tryNext() == null ? 0 : 1;
    }
}
