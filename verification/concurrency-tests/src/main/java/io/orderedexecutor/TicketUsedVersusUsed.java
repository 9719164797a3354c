package io.orderedexecutor;

import java.util.Objects;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Of two tickets that are used at the same time, both outputs run, in order. */
@JCStressTest
@Outcome(id = "12", expect = Expect.ACCEPTABLE, desc = "both, in order")
@State
public class TicketUsedVersusUsed {
    private final TicketSequencer sequencer = new TicketSequencer(4);
    private final Reservation first = Objects.requireNonNull(sequencer.tryNext());
    private final Reservation second = Objects.requireNonNull(sequencer.tryNext());

    /** Written by one output after the other. */
    private int written;

    @Actor
    public void first() {
        first.execute(() -> written = 10 * written + 1);
    }

    @Actor
    public void second() {
        second.execute(() -> written = 10 * written + 2);
    }

    @Arbiter
    public void rest(I_Result result) {
        result.r1 = written;
    }
}
