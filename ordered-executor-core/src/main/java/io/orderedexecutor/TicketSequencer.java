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
 * Lets threads work in parallel and write in order. A thread takes a ticket, which is a {@link Reservation}, when it
 * takes something to work on; when it is done, it uses the ticket for its output. Outputs run one at a time, in the
 * order of their tickets.
 *
 * <pre>{@code
 * TicketSequencer sequencer = new TicketSequencer(64);
 *
 * // on any number of threads
 * Reservation ticket;
 * Frame frame;
 * synchronized (camera) {
 *     ticket = sequencer.next();
 *     frame = camera.read();
 * }
 * try (ticket) {
 *     byte[] encoded = encode(frame); // in parallel
 *     ticket.execute(() -> write(encoded)); // in order
 * }
 * }</pre>
 *
 * <p>If the inputs have numbers already, use a {@link NumberedSequencer}.
 *
 * <h2>Guarantees</h2>
 *
 * <ul>
 *   <li><b>Order.</b> Outputs run in the order in which their tickets were issued, one at a time, each once.
 *   <li><b>No waiting for a turn.</b> An output runs on the thread that makes it ready. If its turn has come, this is
 *       the submitting thread, before {@code execute} returns. If its turn has not come, the submitting thread leaves
 *       the output, and the thread that ends the previous output, or gives back the previous ticket, runs it. A thread
 *       runs outputs of other threads for a bounded {@linkplain TicketSequencerBuilder#turn turn}. Then another thread
 *       continues: a thread that waits for a ticket, or else a thread of the
 *       {@linkplain TicketSequencerBuilder#executor executor}. The thread that completes the stage or the future of an
 *       asynchronous output runs the outputs behind it, too, for a turn. That may be an I/O thread or, after
 *       {@code orTimeout}, the one timer thread of the JDK. If outputs may take long, put the time-out on the stage,
 *       not on the future, and return {@code stage.whenCompleteAsync((result, failure) -> {}, pool)}.
 *   <li><b>Bounds.</b> The window limits how many tickets are open (issued and not done) at once. So a slow output
 *       holds up the threads that run ahead, and memory is bounded.
 *   <li><b>Failures.</b> The {@linkplain TicketSequencerBuilder#onFailure handler} gets the exception of an output of
 *       {@code execute}; the future of an output of {@code submit} or {@code submitAsync} fails with the exception of
 *       the output. Then the next output runs, or the sequence {@linkplain TicketSequencerBuilder#stopOnFailure()
 *       stops}.
 *   <li><b>Lost tickets.</b> A ticket that is closed without a use holds up no other. A ticket that is neither used nor
 *       closed is given back when its {@linkplain TicketSequencerBuilder#lease lease} has passed since its turn came. A
 *       second use of a ticket is refused and harms no other.
 *   <li><b>Memory.</b> A sequencer refers to its open tickets, but not to tickets that are done.
 * </ul>
 *
 * <p>An output runs with the interrupt status of the thread that happens to run it, and the sequencer does not change
 * this status. Only an interrupt that was caused by cancelling the future of the output is cleared when the output
 * ends. A thread that has a ticket open, and waits for the future of a later one, gets no {@link SelfWaitException}.
 *
 * <h2>Memory consistency effects</h2>
 *
 * <p>Actions in a thread before it uses or closes a ticket, and its output, <i>happen-before</i> the outputs of later
 * tickets.
 *
 * <p>All methods may be called from any thread, from outputs too.
 */
public final class TicketSequencer {
    private final Sequencer sequencer;

    /**
     * Creates a sequencer with the defaults of {@link TicketSequencerBuilder}, except for the window.
     *
     * @param window how many tickets may be open at once, from 1 to 1,000,000,000
     * @throws IllegalArgumentException if {@code window} is out of range
     */
    public TicketSequencer(int window) {
        this(builder().window(window).settings);
    }

    TicketSequencer(SequencerSettings settings) {
        this.sequencer = settings.build();
    }

    /**
     * Returns a builder.
     *
     * @return a new builder
     */
    public static TicketSequencerBuilder builder() {
        return new TicketSequencerBuilder();
    }

    /**
     * Issues the next ticket, and waits for room in the window if there is none, first come, first served. While it
     * waits, the calling thread may run outputs that other threads have left, for a turn. If such an output leaves the
     * thread interrupted, the wait ends as by any other interrupt.
     *
     * @return a ticket, to be used once or closed
     * @throws InterruptedException if the calling thread is interrupted while it waits; then no ticket is issued to it
     * @throws SelfWaitException if there is no room, and the calling thread runs an output of this sequencer, or a
     *     dependent action of one of its futures: only the end of that can make room
     * @throws RejectedExecutionException if this sequencer was stopped, or is stopped during the wait
     */
    public Reservation next() throws InterruptedException {
        return sequencer.await(Sequencer.NEXT);
    }

    /**
     * Like {@link #next()}, but waits only for a limited time. The limit is not checked while the calling thread runs
     * outputs, so the call may take as long as these.
     *
     * @param limit how long to wait at most; zero or less does not wait
     * @return a ticket, to be used once or closed
     * @throws TimeoutException if there was no room within {@code limit}
     * @throws InterruptedException if the calling thread is interrupted while it waits; then no ticket is issued to it
     * @throws SelfWaitException if there is no room, and the calling thread runs an output of this sequencer, or a
     *     dependent action of one of its futures: only the end of that can make room
     * @throws RejectedExecutionException if this sequencer was stopped, or is stopped during the wait
     * @throws NullPointerException if {@code limit} is null
     */
    public Reservation next(Duration limit) throws InterruptedException, TimeoutException {
        return sequencer.await(Sequencer.NEXT, TimeUnit.NANOSECONDS.convert(Objects.requireNonNull(limit, "limit")));
    }

    /**
     * Issues the next ticket if there is room in the window and no other caller waits for it.
     *
     * @return a ticket, to be used once or closed; null if there is no room, or if another caller waits for it
     * @throws RejectedExecutionException if this sequencer was stopped
     */
    public @Nullable Reservation tryNext() {
        return sequencer.tryIssue(Sequencer.NEXT);
    }

    /**
     * Like {@link #next()}, but for callers that must not wait. Dependent actions without an executor of their own run
     * on the thread that makes room, between two outputs, or on one that just calls {@code next}, {@code nextAsync},
     * {@code flush} or {@code stop}; they should be quick. Cancelling the future gives up the wait. Once its ticket is
     * issued, the future can no longer be cancelled.
     *
     * @return a future of the next ticket, which is done at once if there is room; it fails with a
     *     {@link RejectedExecutionException} if this sequencer is stopped
     */
    public CompletableFuture<Reservation> nextAsync() {
        return sequencer.request(Sequencer.NEXT);
    }

    /**
     * Returns a future that is done when all tickets that were issued so far are done: their outputs have run, or the
     * tickets were given back. Does not wait. A thread that waits for the future runs no outputs meanwhile, so a thread
     * that outputs may need should not wait.
     *
     * @return a future that is done when each of these tickets is
     */
    public CompletableFuture<@Nullable Void> flush() {
        return sequencer.flush();
    }

    /**
     * Stops this sequencer for good: a thread that waits for a ticket, or requests or uses one from now on, gets a
     * {@link RejectedExecutionException}, and outputs that are still waiting do not run. For each of these outputs, in
     * its turn, the {@linkplain TicketSequencerBuilder#onFailure handler} or its future gets a
     * {@link CancellationException}. An output that has begun goes on to its end. Does not wait, but the calling thread
     * may run dependent actions; the future of {@link #flush()} is done when all tickets are.
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
        return "TicketSequencer" + sequencer;
    }
}
