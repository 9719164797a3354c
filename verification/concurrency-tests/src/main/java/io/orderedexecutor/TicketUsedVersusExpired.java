package io.orderedexecutor;

import io.orderedexecutor.engine.pool.Platform;
import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A ticket that is used when its lease ends is used or reported, and not both. */
@JCStressTest
@Outcome(id = "12", expect = Expect.ACCEPTABLE, desc = "it was used first")
@Outcome(id = "92", expect = Expect.ACCEPTABLE, desc = "its lease was over first")
@State
public class TicketUsedVersusExpired {
    /** The end of the lease, for the thread that plays the timer. */
    private @Nullable Runnable timer;

    /** Work that the sequence hands to its executor. */
    private final Queue<Runnable> handedOver = new ConcurrentLinkedQueue<>();

    /** Written by one output after the other, and by the report. */
    private int written;

    private final TicketSequencer sequencer = TicketSequencer.builder()
            .lease(Duration.ofNanos(1))
            .executor(handedOver::add)
            .platform(new Platform() {
                @Override
                public Runnable scheduleAsync(long nanos, Runnable action) {
                    timer = action;
                    return () -> {};
                }
            })
            .onFailure((number, over) -> written = 10 * written + 9)
            .build();
    private final Reservation first = Objects.requireNonNull(sequencer.tryNext());

    public TicketUsedVersusExpired() {
        Objects.requireNonNull(sequencer.tryNext()).execute(() -> written = 10 * written + 2);
    }

    @Actor
    public void use() {
        try {
            first.execute(() -> written = 10 * written + 1);
        } catch (IllegalStateException over) {
            // it does not run then
        }
    }

    @Actor
    public void end() {
        Objects.requireNonNull(timer).run();
        runHandedOver();
    }

    private void runHandedOver() {
        for (Runnable work = handedOver.poll(); work != null; work = handedOver.poll()) {
            work.run();
        }
    }

    @Arbiter
    public void rest(I_Result result) {
        runHandedOver();
        result.r1 = written;
    }
}
