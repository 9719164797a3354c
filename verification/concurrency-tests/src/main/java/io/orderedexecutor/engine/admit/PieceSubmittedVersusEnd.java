package io.orderedexecutor.engine.admit;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A piece comes while the last one before it is written, and the output is about to be empty. */
@JCStressTest
@Outcome(id = "12, 0", expect = Expect.ACCEPTABLE, desc = "both, in order, and the executor knows of none")
@State
public class PieceSubmittedVersusEnd {
    private final HandRunOutput pieces = new HandRunOutput();

    public PieceSubmittedVersusEnd() {
        pieces.submit(1);
    }

    @Actor
    public void first() {
        pieces.run(0);
    }

    @Actor
    public void second() {
        pieces.submit(2);
    }

    @Arbiter
    public void rest(II_Result result) {
        result.r1 = pieces.rest();
        result.r2 = (int) pieces.busyOutputs();
    }
}
