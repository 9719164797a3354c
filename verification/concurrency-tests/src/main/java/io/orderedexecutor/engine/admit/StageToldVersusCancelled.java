package io.orderedexecutor.engine.admit;

import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** The stage of a piece is complete while the piece is started, and while its future is cancelled. */
@JCStressTest
@Outcome(id = "12, false", expect = Expect.ACCEPTABLE, desc = "it was finished first")
@Outcome(id = "2, true", expect = Expect.ACCEPTABLE, desc = "it was cancelled first")
@State
public class StageToldVersusCancelled {
    private final HandRunOutput pieces = new HandRunOutput();
    private final CompletableFuture<Integer> stage = new CompletableFuture<>();
    private final CompletableFuture<Integer> first = pieces.output.submitAsync(() -> stage);

    public StageToldVersusCancelled() {
        pieces.submit(2);
        pieces.run(1);
    }

    @Actor
    public void start() {
        pieces.run(0);
    }

    @Actor
    public void tell() {
        stage.complete(1);
    }

    @Actor
    public void cancel() {
        first.cancel(true);
    }

    @Arbiter
    public void rest(IZ_Result result) {
        result.r1 = pieces.rest();
        result.r2 = first.isCancelled();
    }
}
