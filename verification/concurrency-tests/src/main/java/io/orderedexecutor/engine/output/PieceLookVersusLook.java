package io.orderedexecutor.engine.output;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** One thread is the server and goes on to the next piece, while another one was called to it. */
@JCStressTest
@Outcome(id = "1234", expect = Expect.ACCEPTABLE, desc = "each once, in order")
@State
public class PieceLookVersusLook {
    private final CalledOutput pieces = new CalledOutput();

    public PieceLookVersusLook() {
        pieces.submit(1);
        pieces.submit(2);
        pieces.submit(3);
        pieces.submit(4);
    }

    @Actor
    public void first() {
        pieces.run(0);
    }

    /** A thread may find that it was called for nothing, and one may come that was called twice. */
    @Actor
    public void second() {
        pieces.run(0);
    }

    @Arbiter
    public void rest(I_Result result) {
        result.r1 = pieces.rest(1);
    }
}
