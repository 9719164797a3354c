package io.orderedexecutor;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.ticket.TicketSettings;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link TicketSequencer}. All have defaults; an invalid value is rejected at once with a message that
 * names the setting.
 *
 * <p>A builder is not thread-safe, and can be used for any number of sequencers.
 */
public final class TicketSequencerBuilder {
    private int window = 1024;
    private @Nullable Long numberedFrom;
    private @Nullable Duration lease;
    private Turn turn = Turn.DEFAULT;
    private @Nullable Executor executor;
    private BiConsumer<? super Ticket, ? super Throwable> handler =
            (ticket, failure) -> UncaughtFailures.report(failure);
    private boolean stopsOnFailure;
    private @Nullable Platform platform;

    TicketSequencerBuilder() {}

    /**
     * Sets how many tickets may be open at once: issued, and neither skipped nor their output run.
     *
     * @param window from 1 to 1,000,000,000; 1024 if it is not set
     * @return this builder
     * @throws IllegalArgumentException if {@code window} is out of range
     */
    public TicketSequencerBuilder window(int window) {
        this.window = checkedWindow(window);
        return this;
    }

    static int checkedWindow(int window) {
        if (window < 1 || window > 1_000_000_000) {
            throw new IllegalArgumentException("window is " + window + ", but must be from 1 to 1,000,000,000");
        }
        return window;
    }

    /**
     * Orders tickets by external numbers. Take them with {@link TicketSequencer#issue}, {@code tryIssue} or
     * {@code issueAsync} instead of {@link TicketSequencer#next()}.
     *
     * @param first the first number, at least 0
     * @return this builder
     * @throws IllegalArgumentException if {@code first} is negative
     */
    public TicketSequencerBuilder numberedFrom(long first) {
        if (first < 0) {
            throw new IllegalArgumentException("the first number is " + first + ", but must be at least 0");
        }
        this.numberedFrom = first;
        return this;
    }

    /**
     * Sets how long others wait for a ticket that is not used: if it is still open so much time after its turn has
     * come, it is skipped, and the {@linkplain #onFailure handler} gets a
     * {@link java.util.concurrent.TimeoutException}. A ticket that is behind others holds up no other, so its lease
     * does not run. If several tickets in a row are lost, each has a lease of its own. One of the JDK's threads for
     * asynchronous actions, most often one of {@link ForkJoinPool#commonPool()}, skips the ticket and runs the outputs
     * behind it; while all of these threads are busy, the lease ends late, whatever the {@linkplain #executor executor}
     * is.
     *
     * @param lease more than zero; for ever if it is not set
     * @return this builder
     * @throws IllegalArgumentException if {@code lease} is not positive
     */
    public TicketSequencerBuilder lease(Duration lease) {
        if (Objects.requireNonNull(lease, "lease").isZero() || lease.isNegative()) {
            throw new IllegalArgumentException("lease is " + lease + ", but must be more than zero");
        }
        this.lease = lease;
        return this;
    }

    /**
     * Sets how long a thread that runs its own output goes on with those that were left behind it: until it has run
     * {@code outputs} or, measured between outputs, {@code time} is over. Then another thread of the
     * {@linkplain #executor executor} goes on.
     *
     * @param outputs at least 1; 64 if it is not set
     * @param time more than zero; 1 ms if it is not set
     * @return this builder
     * @throws IllegalArgumentException if {@code outputs} is less than 1 or {@code time} is not positive
     */
    public TicketSequencerBuilder turn(int outputs, Duration time) {
        this.turn = Turn.of(outputs, time);
        return this;
    }

    /**
     * Sets the executor that continues with outputs when a thread has served its turn and no other thread waits for a
     * ticket. If the executor rejects them, or would run them inline, that thread continues. An executor that accepts
     * and then drops what it was given, as a pool does when {@code shutdownNow} empties its queue, stalls the sequence.
     *
     * @param executor {@link ForkJoinPool#commonPool()} if it is not set
     * @return this builder
     */
    public TicketSequencerBuilder executor(Executor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
        return this;
    }

    /**
     * Sets a handler for what outputs throw, and for tickets whose {@linkplain #lease lease} is over.
     *
     * @param handler called in the place of the output, with no lock held; the next output does not run before it
     *     returns. What it throws itself goes to the uncaught exception handler of the thread, which is also told of
     *     failures if no handler is set
     * @return this builder
     */
    public TicketSequencerBuilder onFailure(BiConsumer<? super Ticket, ? super Throwable> handler) {
        this.handler = Objects.requireNonNull(handler, "handler");
        return this;
    }

    /**
     * Stops the sequence when an output fails, instead of going on with the next. Outputs that were left are not run,
     * and each is told to the {@linkplain #onFailure handler} with a
     * {@link java.util.concurrent.CancellationException}; later ones, and callers that ask for a ticket, get a
     * {@link java.util.concurrent.RejectedExecutionException}.
     *
     * @return this builder
     */
    public TicketSequencerBuilder stopOnFailure() {
        this.stopsOnFailure = true;
        return this;
    }

    /** For tests: the clock, timers and parked threads that they control. */
    TicketSequencerBuilder platform(Platform platform) {
        this.platform = platform;
        return this;
    }

    /**
     * Builds the sequencer. It has no threads.
     *
     * @return a new sequencer
     */
    public TicketSequencer build() {
        return new TicketSequencer(settings());
    }

    TicketSettings settings() {
        Platform ofTest = platform;
        Platform used = ofTest == null ? Platform.of("tickets") : ofTest;
        Executor given = executor == null ? ForkJoinPool.commonPool() : executor;
        return new TicketSettings(
                window, numberedFrom, lease, turn, used.borrowed("tickets", given), handler, stopsOnFailure, used);
    }
}
