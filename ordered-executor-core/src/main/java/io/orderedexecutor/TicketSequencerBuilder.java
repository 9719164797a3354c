package io.orderedexecutor;

import io.orderedexecutor.engine.admit.Sequencer;
import io.orderedexecutor.engine.admit.SequencerSettings;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

/**
 * Settings of a {@link TicketSequencer}. Each has a default; an invalid value is rejected at once with a message that
 * names the setting; null is rejected with a {@link NullPointerException}.
 *
 * <p>A builder is not thread-safe, and can be used for any number of sequencers.
 */
public final class TicketSequencerBuilder {
    final SequencerSettings settings = new SequencerSettings(Sequencer.NEXT);

    TicketSequencerBuilder() {}

    /**
     * Sets how many tickets may be open at once. A ticket is open from its issue until its output has run or it is
     * given back. A ticket that is given back before its turn counts until its turn.
     *
     * @param window from 1 to 1,000,000,000; 1024 if it is not set
     * @return this builder
     * @throws IllegalArgumentException if {@code window} is out of range
     */
    public TicketSequencerBuilder window(int window) {
        settings.setWindow(window);
        return this;
    }

    /**
     * Sets how long other tickets wait for a ticket that is not used: if a ticket is still open when this time has
     * passed since its turn came, it is given back, and the {@linkplain #onFailure handler} gets a
     * {@link TimeoutException}. A ticket behind others holds up no other, so its lease does not run yet. If several
     * tickets in a row are lost, each has its own lease. A thread that waits for a ticket, or a thread of the
     * {@linkplain #executor executor}, gives the ticket back and runs the outputs behind it. While these threads are
     * busy, the lease ends late.
     *
     * @param lease more than zero; for ever if it is not set
     * @return this builder
     * @throws IllegalArgumentException if {@code lease} is not positive
     */
    public TicketSequencerBuilder lease(Duration lease) {
        settings.setLease(lease);
        return this;
    }

    /**
     * Sets how long a thread that has run its own output goes on with the waiting outputs behind it: until it has run
     * {@code outputs} outputs or {@code time} has elapsed, which is checked between outputs. Then another thread goes
     * on.
     *
     * @param outputs at least 1; 64 if it is not set
     * @param time more than zero; 1 ms if it is not set
     * @return this builder
     * @throws IllegalArgumentException if {@code outputs} is less than 1 or {@code time} is not positive
     */
    public TicketSequencerBuilder turn(int outputs, Duration time) {
        settings.setTurn(Turn.ofOutputs(outputs, time));
        return this;
    }

    /**
     * Sets the executor that continues with outputs when a thread has served its turn, or a {@linkplain #lease lease}
     * has expired, and no other thread waits for a ticket. If the executor rejects the outputs, or would run them
     * inline, the thread that has served its turn continues or, after a lease, a new thread of the sequencer. An
     * executor that accepts work and then drops it, as a pool does when {@code shutdownNow} empties its queue, stalls
     * the sequence and its leases until a thread waits for a ticket.
     *
     * @param executor {@link ForkJoinPool#commonPool()} if it is not set
     * @return this builder
     */
    public TicketSequencerBuilder executor(Executor executor) {
        settings.setExecutor(executor);
        return this;
    }

    /**
     * Sets a handler for the exceptions of outputs of {@code execute}, and for tickets whose {@linkplain #lease lease}
     * has expired. The future of an output of {@code submit} or {@code submitAsync} fails with the exception of the
     * output.
     *
     * @param handler gets the number of the ticket, which is how many were issued before it, and the failure; called in
     *     place of the output, with no lock held: the next output does not run before the handler returns. Its own
     *     exceptions go to the uncaught exception handler of the thread, which also gets the failures if no handler is
     *     set
     * @return this builder
     */
    public TicketSequencerBuilder onFailure(BiConsumer<? super Long, ? super Throwable> handler) {
        settings.setHandler(handler);
        return this;
    }

    /**
     * Stops the sequence when an output fails, instead of going on with the next output. Waiting outputs do not run:
     * for each of them, the {@linkplain #onFailure handler} or its future gets a {@link CancellationException}. Later
     * outputs, and callers that request a ticket, get a {@link RejectedExecutionException}.
     *
     * @return this builder
     */
    public TicketSequencerBuilder stopOnFailure() {
        settings.setStopsOnFailure();
        return this;
    }

    /** For tests, which control the clock, the timers and parked threads. */
    TicketSequencerBuilder platform(Platform platform) {
        settings.setPlatform(platform);
        return this;
    }

    /**
     * Builds the sequencer, without starting a thread.
     *
     * @return a new sequencer
     */
    public TicketSequencer build() {
        return new TicketSequencer(settings);
    }
}
