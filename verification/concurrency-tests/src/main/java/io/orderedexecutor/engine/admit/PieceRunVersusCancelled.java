package io.orderedexecutor.engine.admit;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZI_Result;

/** A piece that is run and cancelled at the same time holds up none, and is written or left out, and ends once. */
@JCStressTest
@Outcome(id = "12, false, 2", expect = Expect.ACCEPTABLE, desc = "it was written first")
@Outcome(id = "12, true, 2", expect = Expect.ACCEPTABLE, desc = "it was cancelled while it was written")
@Outcome(id = "2, true, 2", expect = Expect.ACCEPTABLE, desc = "it was cancelled first")
@State
public class PieceRunVersusCancelled {
    private final HandRunOutput pieces = new HandRunOutput();
    private final CompletableFuture<Integer> first;

    public PieceRunVersusCancelled() {
        pieces.submit(1);
        first = Objects.requireNonNull(pieces.last);
        pieces.submit(2);
        pieces.run(1);
    }

    @Actor
    public void run() {
        pieces.run(0);
    }

    @Actor
    public void cancel() {
        first.cancel(true);
    }

    @Arbiter
    public void rest(IZI_Result result) {
        result.r1 = pieces.rest();
        result.r2 = first.isCancelled();
        result.r3 = pieces.ends();
    }
}
