package io.orderedexecutor.engine.output;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A piece comes while a thread that was called takes the call back, and looks for pieces. */
@JCStressTest
@Outcome(id = "12", expect = Expect.ACCEPTABLE, desc = "the thread has seen it, or was called again")
@State
public class PieceSubmittedVersusLook {
    private final CalledOutput pieces = new CalledOutput();

    public PieceSubmittedVersusLook() {
        pieces.submit(1);
    }

    @Actor
    public void thread() {
        pieces.run(0);
    }

    @Actor
    public void submitter() {
        pieces.submit(2);
    }

    @Arbiter
    public void rest(I_Result result) {
        result.r1 = pieces.rest(1);
    }
}
