package io.orderedexecutor.engine.admit;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A piece is finished while the one before it is written: it is left to that thread, or has its turn. */
@JCStressTest
@Outcome(id = "12", expect = Expect.ACCEPTABLE, desc = "both, in order")
@State
public class PieceFinishedVersusFinished {
    private final HandRunOutput pieces = new HandRunOutput();

    public PieceFinishedVersusFinished() {
        pieces.submit(1);
        pieces.submit(2);
    }

    @Actor
    public void first() {
        pieces.run(0);
    }

    @Actor
    public void second() {
        pieces.run(1);
    }

    @Arbiter
    public void rest(I_Result result) {
        int written = pieces.rest();
        result.r1 = pieces.output.flush().isDone() ? written : -1;
    }
}
