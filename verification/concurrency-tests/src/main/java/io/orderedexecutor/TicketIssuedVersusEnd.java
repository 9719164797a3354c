package io.orderedexecutor;

import java.util.Objects;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A ticket that is issued while the last one before it is served has its turn. */
@JCStressTest
@Outcome(id = "12", expect = Expect.ACCEPTABLE, desc = "both, in order")
@State
public class TicketIssuedVersusEnd {
    private final TicketSequencer sequencer = new TicketSequencer(4);
    private final Reservation first = Objects.requireNonNull(sequencer.tryNext());

    /** Written by one output after the other. */
    private int written;

    @Actor
    public void run() {
        first.execute(() -> written = 10 * written + 1);
    }

    @Actor
    public void issue() {
        Objects.requireNonNull(sequencer.tryNext()).execute(() -> written = 10 * written + 2);
    }

    @Arbiter
    public void rest(I_Result result) {
        result.r1 = written;
    }
}
