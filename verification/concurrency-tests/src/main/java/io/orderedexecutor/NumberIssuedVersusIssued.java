package io.orderedexecutor;

import java.util.Objects;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** One number that two threads ask for, of which one brings the number before it. */
@JCStressTest
@Outcome(id = "12, 1", expect = Expect.ACCEPTABLE, desc = "both outputs, in order, and one refusal")
@State
public class NumberIssuedVersusIssued {
    private final NumberedSequencer sequencer =
            NumberedSequencer.builder(0).window(4).build();

    /** Written by one output after the other. */
    private int written;

    /** Written by the one of two threads that is refused. */
    private volatile int refused;

    @Actor
    public void one() {
        issueSecond();
    }

    @Actor
    public void firstAndOther() {
        Objects.requireNonNull(sequencer.tryAt(0)).execute(() -> written = 10 * written + 1);
        issueSecond();
    }

    private void issueSecond() {
        try {
            Objects.requireNonNull(sequencer.tryAt(1)).execute(() -> written = 10 * written + 2);
        } catch (IllegalArgumentException twice) {
            refused = 1;
        }
    }

    @Arbiter
    public void rest(II_Result result) {
        result.r1 = written;
        result.r2 = refused;
    }
}
