package io.orderedexecutor;

import io.orderedexecutor.engine.admit.Sequencer;
import io.orderedexecutor.engine.admit.SequencerSettings;
import io.orderedexecutor.stats.SequencerSnapshot;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A {@link TicketSequencer} for inputs that have numbers already, such as the messages of a session: outputs run in the
 * order of their numbers, in whatever order the tickets are issued and used.
 *
 * <pre>{@code
 * NumberedSequencer sequencer = NumberedSequencer.builder(1).window(64).build();
 *
 * // on any number of threads, in any order
 * try (Reservation ticket = sequencer.at(message.number())) {
 *     Reply reply = process(message); // in parallel
 *     ticket.execute(() -> send(reply)); // in the order of the numbers
 * }
 * }</pre>
 *
 * <p>All outputs wait for a missing number, for ever: a {@linkplain NumberedSequencerBuilder#lease lease} begins only
 * when a ticket is issued. To give up a number {@code n}, and those before it that no caller has requested, call
 * {@link #advanceTo advanceTo(n + 1)}; {@link #snapshot()} tells which number all outputs wait for.
 *
 * <p>The window begins at the first number that is not done, so a thread that asks for this number never waits. Do not
 * call {@link #at} on the threads of a pool while numbers within the window are still in the queue of that pool: all
 * threads may then wait for numbers that no thread can process. Use {@link #tryAt} or {@link #atAsync} there.
 *
 * <p>All other promises, such as on which thread an output runs, are those of a {@link TicketSequencer}.
 *
 * <h2>Memory consistency effects</h2>
 *
 * <p>Actions in a thread before it uses or closes a ticket, and its output, <i>happen-before</i> the outputs of tickets
 * with higher numbers.
 *
 * <p>All methods may be called from any thread, from outputs too.
 */
public final class NumberedSequencer {
    private final Sequencer sequencer;

    NumberedSequencer(SequencerSettings settings) {
        this.sequencer = settings.build();
    }

    /**
     * Returns a builder.
     *
     * @param first the first number, at least 0
     * @return a new builder
     * @throws IllegalArgumentException if {@code first} is negative
     */
    public static NumberedSequencerBuilder builder(long first) {
        return new NumberedSequencerBuilder(first);
    }

    /**
     * Issues the ticket of a number. If the number is beyond the window, waits until all numbers up to {@code number}
     * minus the window are done. While it waits, the calling thread may run outputs that other threads have left, for a
     * turn. If such an output leaves the thread interrupted, the wait ends as by any other interrupt. If the wait ends
     * without a ticket, the number can be requested again.
     *
     * @param number the number
     * @return its ticket, to be used once or closed
     * @throws InterruptedException if the calling thread is interrupted while it waits; then no ticket is issued
     * @throws IllegalArgumentException if the ticket of this number was issued before, if a caller waits for it, if
     *     {@link #advanceTo} has passed it, or if it is less than the first number of this sequencer or is
     *     {@link Long#MAX_VALUE}; only the message tells which
     * @throws SelfWaitException if there is no room, and the calling thread runs an output of this sequencer, or a
     *     dependent action of one of its futures: only the end of that can make room
     * @throws RejectedExecutionException if this sequencer was stopped, whatever the number, or is stopped during the
     *     wait
     */
    public Reservation at(long number) throws InterruptedException {
        return sequencer.await(number);
    }

    /**
     * Like {@link #at(long)}, but waits only for a limited time. The limit is not checked while the calling thread runs
     * outputs, so the call may take as long as these.
     *
     * @param number the number
     * @param limit how long to wait at most; zero or less does not wait
     * @return its ticket, to be used once or closed
     * @throws TimeoutException if the number was still beyond the window after {@code limit}
     * @throws InterruptedException if the calling thread is interrupted while it waits; then no ticket is issued
     * @throws IllegalArgumentException as {@link #at(long)}
     * @throws SelfWaitException if there is no room, and the calling thread runs an output of this sequencer, or a
     *     dependent action of one of its futures: only the end of that can make room
     * @throws RejectedExecutionException if this sequencer was stopped, or is stopped during the wait
     * @throws NullPointerException if {@code limit} is null
     */
    public Reservation at(long number, Duration limit) throws InterruptedException, TimeoutException {
        return sequencer.await(number, TimeUnit.NANOSECONDS.convert(Objects.requireNonNull(limit, "limit")));
    }

    /**
     * Issues the ticket of a number if the number is in the window.
     *
     * @param number the number
     * @return its ticket, to be used once or closed; null if the number is beyond the window
     * @throws IllegalArgumentException as {@link #at(long)}
     * @throws RejectedExecutionException if this sequencer was stopped
     */
    public @Nullable Reservation tryAt(long number) {
        return sequencer.tryIssue(number);
    }

    /**
     * Like {@link #at(long)}, but for callers that must not wait. Dependent actions without an executor of their own
     * run on the thread that makes room, between two outputs, or on one that just calls {@code at}, {@code atAsync},
     * {@code flush} or {@code stop}; they should be quick. Cancelling the future gives up the wait, and the number can
     * be requested again. Once the ticket is issued, the future can no longer be cancelled.
     *
     * @param number the number
     * @return a future of its ticket, which is done at once if the number is in the window; it fails with a
     *     {@link RejectedExecutionException} if this sequencer was stopped, or is stopped before there is room. This
     *     method does not throw that exception
     * @throws IllegalArgumentException as {@link #at(long)}
     */
    public CompletableFuture<Reservation> atAsync(long number) {
        return sequencer.request(number);
    }

    /**
     * Declares that numbers that are less than this one, and that no caller has requested, will not come. Tickets that
     * were issued, and callers that wait for one, are not affected. The call has no effect if all numbers below
     * {@code number} were requested or passed before. If outputs were waiting for such a number, the calling thread
     * runs them, for a turn.
     *
     * @param number the first number that may come
     * @throws IllegalArgumentException if {@code number} is less than the first number, with which this sequencer was
     *     built
     */
    public void advanceTo(long number) {
        sequencer.advanceTo(number);
    }

    /**
     * Returns a future that is done when all tickets that were issued so far are done, and all numbers before the last
     * of them. Does not wait. A thread runs no outputs while it waits for the future, so do not wait on a thread on
     * which outputs may depend.
     *
     * @return a future that is done when each of these tickets is
     */
    public CompletableFuture<@Nullable Void> flush() {
        return sequencer.flush();
    }

    /**
     * Stops this sequencer for good: a thread that waits for a ticket, or requests or uses one from now on, gets a
     * {@link RejectedExecutionException}, missing numbers are passed, and outputs that are still waiting do not run.
     * For each of these outputs, in its turn, the {@linkplain NumberedSequencerBuilder#onFailure handler} or its future
     * gets a {@link CancellationException}. An output that has begun goes on to its end. Does not wait, but the calling
     * thread may run handlers and dependent actions; the future of {@link #flush()} is done when all tickets are.
     */
    public void stop() {
        sequencer.stop();
    }

    /**
     * Returns a snapshot of this sequencer.
     *
     * @return the state at this moment
     */
    public SequencerSnapshot snapshot() {
        return sequencer.snapshot();
    }

    /** Returns the state as readable text. */
    @Override
    public String toString() {
        return "NumberedSequencer" + sequencer;
    }
}
