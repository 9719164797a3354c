package io.orderedexecutor;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Who asks for a ticket while the last one ends gets it, then or at once. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "there is room")
@State
public class RequestVersusEnd {
    private final TicketSequencer sequencer = new TicketSequencer(1);
    private final Reservation first = Objects.requireNonNull(sequencer.tryNext());
    private volatile @Nullable CompletableFuture<Reservation> second;

    @Actor
    public void end() {
        first.close();
    }

    @Actor
    public void ask() {
        second = sequencer.nextAsync();
    }

    @Arbiter
    public void rest(I_Result result) {
        result.r1 = Objects.requireNonNull(second).isDone() ? 1 : 0;
    }
}
