package io.orderedexecutor.engine.ticket;

import io.orderedexecutor.Ticket;
import io.orderedexecutor.TicketSequencer;
import java.util.Objects;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A ticket that is run and given up at the same time holds up nobody, and is used once. */
@JCStressTest
@Outcome(id = "12", expect = Expect.ACCEPTABLE, desc = "it was run first")
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "it was given up first")
@State
public class TicketRunVersusGivenUp {
    private final TicketSequencer sequencer = TicketSequencer.builder()
            .window(4)
            // refuses in its way, so that whoever gives the ticket up goes on here
            .executor(Runnable::run)
            .build();
    private final QueuedTicket first = (QueuedTicket) Objects.requireNonNull(sequencer.tryNext());
    private final Ticket second = Objects.requireNonNull(sequencer.tryNext());

    /** Written by one output after the other. */
    private int written;

    public TicketRunVersusGivenUp() {
        second.run(() -> written = 10 * written + 2);
    }

    @Actor
    public void run() {
        try {
            first.run(() -> written = 10 * written + 1);
        } catch (IllegalStateException givenUp) {
            // it does not run then
        }
    }

    @Actor
    public void giveUp() {
        first.giveUp();
    }

    @Arbiter
    public void rest(I_Result result) {
        result.r1 = written;
    }
}
