package io.orderedexecutor.engine.admit;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A piece that is cancelled while it gets the slot of another one leaves it to the next. */
@JCStressTest
@Outcome(id = "13", expect = Expect.ACCEPTABLE, desc = "the piece that came last has got the slot")
@State
public class PieceSlotVersusCancelled {
    private final HandRunOutput pieces = new HandRunOutput(output -> output.concurrency(1));
    private final CompletableFuture<Integer> second;

    public PieceSlotVersusCancelled() {
        pieces.submit(1);
        pieces.submit(2);
        second = Objects.requireNonNull(pieces.last);
    }

    @Actor
    public void run() {
        pieces.run(0);
    }

    @Actor
    public void cancel() {
        second.cancel(true);
    }

    @Arbiter
    public void rest(I_Result result) {
        pieces.submit(3);
        result.r1 = pieces.rest();
    }
}
