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
 * Settings of a {@link TicketSequencer}. All have defaults; an invalid value is rejected at once with a message that
 * names the setting.
 *
 * <p>A builder is not thread-safe, and can be used for any number of sequencers.
 */
public final class TicketSequencerBuilder {
    final SequencerSettings settings = new SequencerSettings(Sequencer.NEXT);

    TicketSequencerBuilder() {}

    /**
     * Sets how many tickets may be open at once: issued, and neither given back nor their output run. A ticket that is
     * given back before its turn counts until its turn.
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
     * Sets how long others wait for a ticket that is not used: if it is still open so much time after its turn has
     * come, it is given back, and the {@linkplain #onFailure handler} gets a {@link TimeoutException}. A ticket that is
     * behind others holds up no other, so its lease does not run. If several tickets in a row are lost, each has a
     * lease of its own. A thread that waits for a ticket, or the {@linkplain #executor executor}, gives the ticket back
     * and runs the outputs behind it; while these are busy, the lease ends late.
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
     * Sets how long a thread that runs its own output goes on with those that were left behind it: until it has run
     * {@code outputs} or, measured between outputs, {@code time} is over. Then another thread goes on.
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
     * is over, and no other thread waits for a ticket. If the executor rejects them, or would run them inline, the
     * thread that has served continues, or after a lease a thread of the sequencer's own. An executor that accepts and
     * then drops what it was given, as a pool does when {@code shutdownNow} empties its queue, stalls the sequence and
     * its leases until a thread waits for a ticket.
     *
     * @param executor {@link ForkJoinPool#commonPool()} if it is not set
     * @return this builder
     */
    public TicketSequencerBuilder executor(Executor executor) {
        settings.setExecutor(executor);
        return this;
    }

    /**
     * Sets a handler for what outputs of {@code execute} throw, and for tickets whose {@linkplain #lease lease} is
     * over. The future of an output of {@code submit} or {@code submitAsync} fails with what the output throws.
     *
     * @param handler gets the number of the ticket, which is how many were issued before it, and the failure; called in
     *     the place of the output, with no lock held: the next output does not run before it returns. What it throws
     *     itself goes to the uncaught exception handler of the thread, which also gets the failures if no handler is
     *     set
     * @return this builder
     */
    public TicketSequencerBuilder onFailure(BiConsumer<? super Long, ? super Throwable> handler) {
        settings.setHandler(handler);
        return this;
    }

    /**
     * Stops the sequence when an output fails, instead of going on with the next. Outputs that were left do not run:
     * for each, the {@linkplain #onFailure handler} or its future gets a {@link CancellationException}. Later outputs,
     * and callers that ask for a ticket, get a {@link RejectedExecutionException}.
     *
     * @return this builder
     */
    public TicketSequencerBuilder stopOnFailure() {
        settings.setStopsOnFailure();
        return this;
    }

    /** For tests: the clock, timers and parked threads that they control. */
    TicketSequencerBuilder platform(Platform platform) {
        settings.setPlatform(platform);
        return this;
    }

    /**
     * Builds the sequencer. It has no threads.
     *
     * @return a new sequencer
     */
    public TicketSequencer build() {
        return new TicketSequencer(settings);
    }
}
