package io.orderedexecutor;

import io.orderedexecutor.engine.admit.SequencerSettings;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

/**
 * Settings of a {@link NumberedSequencer}. Each has a default; an invalid value is rejected at once with a message that
 * names the setting; null is rejected with a {@link NullPointerException}.
 *
 * <p>A builder is not thread-safe, and can be used for any number of sequencers.
 */
public final class NumberedSequencerBuilder {
    private final SequencerSettings settings;

    NumberedSequencerBuilder(long first) {
        if (first < 0) {
            throw new IllegalArgumentException("the first number is " + first + ", but must be at least 0");
        }
        this.settings = new SequencerSettings(first);
    }

    /**
     * Sets how many numbers are in the window, which begins at the first number that is not done. Tickets are issued
     * only for numbers in the window.
     *
     * @param window from 1 to 1,000,000,000; 1024 if it is not set
     * @return this builder
     * @throws IllegalArgumentException if {@code window} is out of range
     */
    public NumberedSequencerBuilder window(int window) {
        settings.setWindow(window);
        return this;
    }

    /**
     * Sets how long other tickets wait for a ticket that is not used, as {@link TicketSequencerBuilder#lease}. A number
     * that no caller has requested has no lease.
     *
     * @param lease more than zero; for ever if it is not set
     * @return this builder
     * @throws IllegalArgumentException if {@code lease} is not positive
     */
    public NumberedSequencerBuilder lease(Duration lease) {
        settings.setLease(lease);
        return this;
    }

    /**
     * Sets how long a thread goes on with outputs that other threads have left, as {@link TicketSequencerBuilder#turn}.
     *
     * @param outputs at least 1; 64 if it is not set
     * @param time more than zero; 1 ms if it is not set
     * @return this builder
     * @throws IllegalArgumentException if {@code outputs} is less than 1 or {@code time} is not positive
     */
    public NumberedSequencerBuilder turn(int outputs, Duration time) {
        settings.setTurn(Turn.ofOutputs(outputs, time));
        return this;
    }

    /**
     * Sets the executor that continues when a turn is over, as {@link TicketSequencerBuilder#executor}.
     *
     * @param executor the JDK's common pool if it is not set
     * @return this builder
     */
    public NumberedSequencerBuilder executor(Executor executor) {
        settings.setExecutor(executor);
        return this;
    }

    /**
     * Sets a handler for failures of outputs and lost tickets, as {@link TicketSequencerBuilder#onFailure}.
     *
     * @param handler gets the number of the ticket and the failure
     * @return this builder
     */
    public NumberedSequencerBuilder onFailure(BiConsumer<? super Long, ? super Throwable> handler) {
        settings.setHandler(handler);
        return this;
    }

    /**
     * Stops the sequence when an output fails, as {@link TicketSequencerBuilder#stopOnFailure}.
     *
     * @return this builder
     */
    public NumberedSequencerBuilder stopOnFailure() {
        settings.setStopsOnFailure();
        return this;
    }

    /** For tests, which control the clock, the timers and parked threads. */
    NumberedSequencerBuilder platform(Platform platform) {
        settings.setPlatform(platform);
        return this;
    }

    /**
     * Builds the sequencer, without starting a thread.
     *
     * @return a new sequencer
     */
    public NumberedSequencer build() {
        return new NumberedSequencer(settings);
    }
}
