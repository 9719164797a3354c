package io.orderedexecutor;

import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.ticket.NumberedTickets;
import io.orderedexecutor.engine.ticket.QueuedTicket;
import io.orderedexecutor.engine.ticket.Sequencer;
import io.orderedexecutor.engine.ticket.TicketSettings;
import io.orderedexecutor.engine.ticket.TicketWaiters;
import io.orderedexecutor.stats.SequencerSnapshot;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Lets threads work in parallel and write in order. A thread takes a {@link Ticket} when it takes something to work on,
 * and when it is done, {@linkplain Ticket#run runs} its output with that ticket: outputs run one at a time, in the
 * order of their tickets.
 *
 * <pre>{@code
 * TicketSequencer sequencer = new TicketSequencer(64);
 *
 * // on any number of threads
 * Ticket ticket;
 * Frame frame;
 * synchronized (camera) {
 *     ticket = sequencer.next();
 *     frame = camera.read();
 * }
 * try (ticket) {
 *     byte[] encoded = encode(frame);
 *     ticket.run(() -> write(encoded));
 * }
 * }</pre>
 *
 * <h2>What it promises</h2>
 *
 * <ul>
 *   <li><b>Order.</b> Outputs run in the order in which their tickets were issued, one at a time, each once.
 *   <li><b>No waiting for a turn.</b> A thread that comes too early leaves its output, and the thread that runs the one
 *       before runs it too. A thread that runs outputs of others does so for a bounded
 *       {@linkplain TicketSequencerBuilder#turn turn}. Then another goes on: one that waits for a ticket in
 *       {@link #next()} or {@link #issue}, which has nothing better to do, or else one of the
 *       {@linkplain TicketSequencerBuilder#executor executor}.
 *   <li><b>Bounds.</b> At most so many tickets are open at once as the window says: issued, and not done. So an output
 *       that takes long holds up the threads that run ahead, and memory is bounded.
 *   <li><b>Failures.</b> What an output throws is told to the {@linkplain TicketSequencerBuilder#onFailure handler},
 *       and the next one runs; or the sequence {@linkplain TicketSequencerBuilder#stopOnFailure() stops}.
 *   <li><b>Lost tickets.</b> A ticket that is closed without a use is skipped, and one that is never closed is skipped
 *       when others have waited for it as long as its {@linkplain TicketSequencerBuilder#lease lease} says. A second
 *       use of a ticket is refused and harms no other.
 *   <li><b>Memory.</b> A sequencer holds its open tickets, and nothing of those that are done. Without open tickets it
 *       is a few objects.
 * </ul>
 *
 * <h2>Numbers from outside</h2>
 *
 * <p>Where what is worked on has numbers already, as the messages of a session have, the sequencer takes them:
 *
 * <pre>{@code
 * TicketSequencer sequencer = TicketSequencer.builder().numberedFrom(1).window(64).build();
 *
 * // on any number of threads, in any order
 * try (Ticket ticket = sequencer.issue(message.number())) {
 *     Reply reply = process(message);
 *     ticket.run(() -> send(reply)); // in the order of the numbers
 * }
 * }</pre>
 *
 * <p>Then all outputs wait for a missing number; {@link #skipTo} says that it will not come. The window counts from the
 * first number that is not done: so the thread that has that number never waits. Do not call {@link #issue} on the
 * threads of a pool while numbers within the window are still in the queue of that pool: all threads may then wait for
 * numbers that no thread can process. Use {@link #tryIssue} or {@link #issueAsync} there.
 *
 * <p>Interrupts are left as they are: an output runs with the interrupt status of the thread that happens to run it.
 *
 * <h2>Memory consistency effects</h2>
 *
 * <p>Actions in a thread before it {@linkplain Ticket#run runs} or {@linkplain Ticket#skip skips} a ticket, and its
 * output, <i>happen-before</i> the outputs of later tickets.
 *
 * <p>All methods may be called from any thread, from outputs too.
 */
public final class TicketSequencer {
    /** What gives tickets their order, in one of two ways: this or the other is null. */
    private final @Nullable TicketWaiters waiters;

    private final @Nullable NumberedTickets numbers;

    private final Sequencer sequencer;

    /**
     * Makes a sequencer with the defaults of {@link TicketSequencerBuilder} for all but the window.
     *
     * @param window how many tickets may be open at once, from 1 to 1,000,000,000
     * @throws IllegalArgumentException if {@code window} is out of range
     */
    public TicketSequencer(int window) {
        this(builder().window(window).settings());
    }

    TicketSequencer(TicketSettings settings) {
        Long first = settings.numberedFrom();
        if (first == null) {
            this.waiters = new TicketWaiters(settings);
            this.numbers = null;
            this.sequencer = waiters.sequencer();
        } else {
            this.waiters = null;
            this.numbers = new NumberedTickets(settings, first);
            this.sequencer = numbers.sequencer();
        }
    }

    /**
     * Returns a builder.
     *
     * @return a new builder
     */
    public static TicketSequencerBuilder builder() {
        return new TicketSequencerBuilder();
    }

    // The next ticket

    /**
     * Issues the next ticket, and waits for room in the window if there is none, first come, first served. While it
     * waits, the calling thread may be asked to run outputs that were left, for a turn.
     *
     * @return a ticket, to be used once or closed
     * @throws InterruptedException if the calling thread is interrupted while it waits; then no ticket is issued to it
     * @throws SelfWaitException if an output of this sequencer would wait for room that only its own end can make
     * @throws RejectedExecutionException if this sequencer was stopped
     * @throws IllegalStateException if the tickets are numbered from outside
     */
    public Ticket next() throws InterruptedException {
        try {
            return waiters().next(Long.MAX_VALUE);
        } catch (TimeoutException after292Years) {
            throw new IllegalStateException(after292Years);
        }
    }

    /**
     * As {@link #next()}, for a limited time.
     *
     * @param limit how long to wait at most; zero or less does not wait
     * @return a ticket, to be used once or closed
     * @throws TimeoutException if there was no room within {@code limit}
     * @throws InterruptedException if the calling thread is interrupted while it waits; then no ticket is issued to it
     * @throws SelfWaitException if an output of this sequencer would wait for room that only its own end can make
     * @throws RejectedExecutionException if this sequencer was stopped
     * @throws IllegalStateException if the tickets are numbered from outside
     */
    public Ticket next(Duration limit) throws InterruptedException, TimeoutException {
        return waiters().next(Turn.nanos(Objects.requireNonNull(limit, "limit")));
    }

    /**
     * Issues the next ticket if there is room in the window and no other caller waits for it.
     *
     * @return a ticket, to be used once or closed; null if there is no room
     * @throws RejectedExecutionException if this sequencer was stopped
     * @throws IllegalStateException if the tickets are numbered from outside
     */
    public @Nullable Ticket tryNext() {
        return waiters().tryNext();
    }

    /**
     * As {@link #next()}, for callers that must not wait. Dependent actions without an executor of their own run on the
     * thread that makes room, between two outputs, and should be quick. Cancelling the future gives up the wait.
     *
     * @return a future of the next ticket, which is done at once if there is room; it fails with a
     *     {@link RejectedExecutionException} if this sequencer is stopped
     * @throws IllegalStateException if the tickets are numbered from outside
     */
    public CompletableFuture<Ticket> nextAsync() {
        return waiters().next();
    }

    private TicketWaiters waiters() {
        if (waiters == null) {
            throw new IllegalStateException("the tickets of this sequencer are numbered from outside: call"
                    + " issue(position), or build it without numberedFrom to take the next ticket");
        }
        return waiters;
    }

    // The ticket of a number

    /**
     * Issues the ticket of a number that comes from outside. If the number is beyond the window, waits until all
     * numbers up to {@code position} minus the window are done. While it waits, the calling thread may be asked to run
     * outputs that were left, for a turn. If it waits in vain, the number can be asked for again.
     *
     * @param position the number
     * @return its ticket, to be used once or closed
     * @throws InterruptedException if the calling thread is interrupted while it waits; then no ticket is issued
     * @throws IllegalArgumentException if the ticket of this number was issued before, or a caller waits for it, or it
     *     was skipped, or is less than the first number
     * @throws SelfWaitException if an output of this sequencer would wait for room that only its own end can make
     * @throws RejectedExecutionException if this sequencer was stopped
     * @throws IllegalStateException if the tickets are not {@linkplain TicketSequencerBuilder#numberedFrom numbered
     *     from outside}
     */
    public Ticket issue(long position) throws InterruptedException {
        try {
            return numbers().issue(position, Long.MAX_VALUE);
        } catch (TimeoutException after292Years) {
            throw new IllegalStateException(after292Years);
        }
    }

    /**
     * As {@link #issue(long)}, for a limited time.
     *
     * @param position the number
     * @param limit how long to wait at most; zero or less does not wait
     * @return its ticket, to be used once or closed
     * @throws TimeoutException if the number was still beyond the window after {@code limit}
     * @throws InterruptedException if the calling thread is interrupted while it waits; then no ticket is issued
     * @throws IllegalArgumentException as {@link #issue(long)}
     * @throws SelfWaitException if an output of this sequencer would wait for room that only its own end can make
     * @throws RejectedExecutionException if this sequencer was stopped
     * @throws IllegalStateException if the tickets are not numbered from outside
     */
    public Ticket issue(long position, Duration limit) throws InterruptedException, TimeoutException {
        return numbers().issue(position, Turn.nanos(Objects.requireNonNull(limit, "limit")));
    }

    /**
     * Issues the ticket of a number if that is in the window.
     *
     * @param position the number
     * @return its ticket, to be used once or closed; null if it is beyond the window
     * @throws IllegalArgumentException as {@link #issue(long)}
     * @throws RejectedExecutionException if this sequencer was stopped
     * @throws IllegalStateException if the tickets are not numbered from outside
     */
    public @Nullable Ticket tryIssue(long position) {
        return numbers().tryIssue(position);
    }

    /**
     * As {@link #issue(long)}, for callers that must not wait. Dependent actions without an executor of their own run
     * on the thread that makes room, between two outputs, and should be quick. Cancelling the future gives up the wait,
     * and the number can be asked for again.
     *
     * @param position the number
     * @return a future of its ticket, which is done at once if it is in the window; it fails with a
     *     {@link RejectedExecutionException} if this sequencer is stopped
     * @throws IllegalArgumentException as {@link #issue(long)}
     * @throws IllegalStateException if the tickets are not numbered from outside
     */
    public CompletableFuture<Ticket> issueAsync(long position) {
        return numbers().issue(position);
    }

    /**
     * Skips all numbers before this one that were not asked for. Tickets that were issued, and callers that wait for
     * one, are not affected. If outputs were waiting for a skipped number, the calling thread runs them, for a turn.
     *
     * @param position the first number that may still come; one that is not beyond those that were asked for has no
     *     effect
     * @throws IllegalArgumentException if {@code position} is less than the first number
     * @throws IllegalStateException if the tickets are not numbered from outside
     */
    public void skipTo(long position) {
        numbers().skipTo(position);
    }

    private NumberedTickets numbers() {
        if (numbers == null) {
            throw new IllegalStateException("the tickets of this sequencer are not numbered from outside: call next(),"
                    + " or build it with TicketSequencer.builder().numberedFrom(first)");
        }
        return numbers;
    }

    // Live control

    /**
     * Changes how many tickets may be open at once. If more are, they stay; there is room again when fewer are.
     *
     * @param window from 1 to 1,000,000,000
     * @throws IllegalArgumentException if {@code window} is out of range
     */
    public void setWindow(int window) {
        sequencer.queue().setWindow(TicketSequencerBuilder.checkedWindow(window));
    }

    // The end

    /**
     * Tells when all tickets are done that were issued up to now: their outputs have run, or they were skipped. Does
     * not wait. A thread that waits for it runs no outputs meanwhile; one that outputs may need should not.
     *
     * @return a future that is done when each of these tickets is, and all numbers before the last of them
     */
    public CompletableFuture<@Nullable Void> flush() {
        QueuedTicket last = numbers == null ? sequencer.queue().latest() : numbers.latest();
        // a copy: what a caller makes of it is no business of others
        return last.whenServed().copy();
    }

    /**
     * Stops this sequencer, for good: who asks for a ticket or uses one from now on gets a
     * {@link RejectedExecutionException}, numbers that are missing are skipped, and outputs that were left do not run.
     * Each of these is told to the {@linkplain TicketSequencerBuilder#onFailure handler} in its turn, with a
     * {@link java.util.concurrent.CancellationException}. An output that has begun goes on to its end. Does not wait;
     * {@link #flush()} tells when all is done.
     */
    public void stop() {
        sequencer.stop();
    }

    // Observation

    /**
     * Looks at this sequencer.
     *
     * @return what it looks like at this moment
     */
    public SequencerSnapshot snapshot() {
        return numbers == null ? sequencer.queue().snapshot() : numbers.snapshot();
    }

    /** Returns the state, as a text for people to read. */
    @Override
    public String toString() {
        return "TicketSequencer[window " + sequencer.queue().window() + ", " + snapshot() + "]";
    }
}
