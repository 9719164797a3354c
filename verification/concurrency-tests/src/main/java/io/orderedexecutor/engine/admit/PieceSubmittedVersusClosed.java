package io.orderedexecutor.engine.admit;

import java.util.concurrent.RejectedExecutionException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** A piece that comes while the output is stopped is refused or cancelled, and the output ends. */
@JCStressTest
@Outcome(id = "0, true", expect = Expect.ACCEPTABLE, desc = "it was refused or cancelled")
@State
public class PieceSubmittedVersusClosed {
    private final HandRunOutput pieces = new HandRunOutput();

    @Actor
    public void submit() {
        try {
            pieces.submit(1);
        } catch (RejectedExecutionException refused) {
            // as it may be
        }
    }

    @Actor
    public void stop() {
        pieces.output.stop();
    }

    @Arbiter
    public void rest(IZ_Result result) {
        result.r1 = pieces.rest();
        result.r2 = pieces.output.flush().isDone() && pieces.busyOutputs() == 0;
    }
}
