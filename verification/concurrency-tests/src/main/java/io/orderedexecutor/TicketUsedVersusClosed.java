package io.orderedexecutor;

import java.util.Objects;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A ticket that is used and closed at the same time holds up nobody, and is used once. */
@JCStressTest
@Outcome(id = "12", expect = Expect.ACCEPTABLE, desc = "it was used first")
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "it was closed first")
@State
public class TicketUsedVersusClosed {
    private final TicketSequencer sequencer = new TicketSequencer(4);
    private final Reservation first = Objects.requireNonNull(sequencer.tryNext());

    /** Written by one output after the other. */
    private int written;

    public TicketUsedVersusClosed() {
        Objects.requireNonNull(sequencer.tryNext()).execute(() -> written = 10 * written + 2);
    }

    @Actor
    public void use() {
        try {
            first.execute(() -> written = 10 * written + 1);
        } catch (IllegalStateException closed) {
            // it does not run then
        }
    }

    @Actor
    public void close() {
        first.close();
    }

    @Arbiter
    public void rest(I_Result result) {
        result.r1 = written;
    }
}
