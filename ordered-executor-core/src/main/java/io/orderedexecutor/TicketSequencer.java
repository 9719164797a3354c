package io.orderedexecutor;

import io.orderedexecutor.stats.SequencerSnapshot;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
 *       before runs it too. There is no thread that waits for outputs, and nobody is woken to run one. A thread that
 *       runs outputs of others does so for a bounded {@linkplain TicketSequencerBuilder#turn turn}; then
 *       {@linkplain TicketSequencerBuilder#executor another} goes on.
 *   <li><b>Bounds.</b> At most so many tickets are open at once as the window says: issued, and not done. So an output
 *       that takes long holds up those who want to run ahead, and memory is bounded.
 *   <li><b>Failures.</b> What an output throws is told to the {@linkplain TicketSequencerBuilder#onFailure handler},
 *       and the next one runs; or the sequence {@linkplain TicketSequencerBuilder#stopOnFailure() stops}.
 *   <li><b>Lost tickets.</b> A ticket that is closed without a use is skipped, and one that nobody closes is skipped
 *       when its {@linkplain TicketSequencerBuilder#lease lease} is over. A second use of a ticket is refused and harms
 *       no other.
 *   <li><b>Memory.</b> A sequencer holds its open tickets, and nothing of those that are done. Without open tickets it
 *       is a few objects.
 * </ul>
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
    private final Outputs sequence;
    private final TicketWaiters waiters;

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
        this.sequence = new Outputs(settings);
        this.waiters = sequence.waiters;
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
     * Issues the next ticket, and waits for room in the window if there is none, first come, first served.
     *
     * @return a ticket, to be used once or closed
     * @throws InterruptedException if the calling thread is interrupted while it waits; then no ticket is issued to it
     * @throws SelfWaitException if an output of this sequencer would wait for room that only its own end can make
     * @throws RejectedExecutionException if this sequencer was stopped by a failure
     */
    public Ticket next() throws InterruptedException {
        try {
            return next(Long.MAX_VALUE);
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
     * @throws RejectedExecutionException if this sequencer was stopped by a failure
     */
    public Ticket next(Duration limit) throws InterruptedException, TimeoutException {
        return next(Turn.nanos(Objects.requireNonNull(limit, "limit")));
    }

    private Ticket next(long nanos) throws InterruptedException, TimeoutException {
        Ticket ticket = tryNext();
        if (ticket != null) {
            return ticket;
        }
        if (sequence.isServedHere()) {
            // those who wait may not have been called yet, and then there is room behind them
            sequence.onServed();
            ticket = sequence.issue();
            if (ticket != null) {
                return ticket;
            }
            throw new SelfWaitException(
                    "an output waits for room in the window of " + sequence.window()
                            + " tickets, which is full of its own ticket and later ones; use tryNext() or nextAsync() inside an output");
        }
        if (nanos <= 0) {
            throw noRoomWithin(nanos);
        }
        return await(nextAsync(), nanos);
    }

    private Ticket await(CompletableFuture<Ticket> future, long nanos) throws InterruptedException, TimeoutException {
        try {
            if (!IdleWait.await(future, nanos) && future.cancel(false)) {
                throw noRoomWithin(nanos);
            }
        } catch (InterruptedException interrupt) {
            if (future.cancel(false)) {
                throw interrupt;
            }
            // the ticket came first
            Thread.currentThread().interrupt();
        }
        try {
            return future.join();
        } catch (CompletionException stopped) {
            throw sequence.rejected();
        }
    }

    private TimeoutException noRoomWithin(long nanos) {
        return new TimeoutException("there was no room in the window of " + sequence.window() + " tickets within "
                + Duration.ofNanos(Math.max(0, nanos)) + "; the first one that is open is " + sequence.head());
    }

    /**
     * Issues the next ticket if there is room in the window and nobody else waits for it.
     *
     * @return a ticket, to be used once or closed; null if there is no room
     * @throws RejectedExecutionException if this sequencer was stopped by a failure
     */
    public @Nullable Ticket tryNext() {
        if (sequence.stoppedBy() != null) {
            throw sequence.rejected();
        }
        return waiters.isEmpty() ? sequence.issue() : null;
    }

    /**
     * As {@link #next()}, for callers that must not wait. Dependent actions without an executor of their own run on the
     * thread that makes room, between two outputs, and should be quick. Who cancels the future, gives up the wait.
     *
     * @return a future of the next ticket, which is done at once if there is room; it fails with a
     *     {@link RejectedExecutionException} if this sequencer is stopped by a failure
     */
    public CompletableFuture<Ticket> nextAsync() {
        if (sequence.stoppedBy() != null) {
            return CompletableFuture.failedFuture(sequence.rejected());
        }
        Ticket ticket = tryNext();
        if (ticket != null) {
            return CompletableFuture.completedFuture(ticket);
        }
        CompletableFuture<Ticket> future = waiters.add();
        if (sequence.stoppedBy() != null) {
            future.completeExceptionally(sequence.rejected());
        }
        return future;
    }

    /**
     * Looks at this sequencer.
     *
     * @return what it looks like at this moment
     */
    public SequencerSnapshot snapshot() {
        return sequence.snapshot();
    }

    /** Returns what there is to see, for people. */
    @Override
    public String toString() {
        return "TicketSequencer[window " + sequence.window() + ", " + snapshot() + "]";
    }

    /** The sequence of a sequencer: outputs are an application's own, and so are the threads. */
    private static final class Outputs extends Sequence {
        private final TicketSettings settings;
        private final TicketWaiters waiters = new TicketWaiters(this::issue);
        private final @Nullable Leases leases;

        /** What an output has thrown, if that stops the sequence. Written by the server. */
        private volatile @Nullable Throwable stoppedBy;

        Outputs(TicketSettings settings) {
            super(settings.window());
            this.settings = settings;
            Duration lease = settings.lease();
            this.leases = lease == null ? null : new Leases(this, lease, settings.timer(), settings::tell);
        }

        @Override
        void perform(Ticket ticket, Runnable output) {
            Throwable before = stoppedBy;
            if (before != null) {
                CancellationException cancelled =
                        new CancellationException(ticket + " did not run: the sequence was stopped by a failure");
                cancelled.initCause(before);
                settings.tell(ticket, cancelled);
                return;
            }
            try {
                output.run();
            } catch (Throwable failure) {
                if (settings.stopsOnFailure()) {
                    stoppedBy = failure;
                    waiters.refuse(this::rejected);
                }
                settings.tell(ticket, failure);
            }
        }

        RejectedExecutionException rejected() {
            return new RejectedExecutionException(
                    "no more tickets are issued: the sequence was stopped by a failure", stoppedBy);
        }

        @Override
        void onServed() {
            waiters.call();
        }

        @Override
        void onAwaited(Ticket ticket) {
            if (leases != null) {
                leases.watch();
            }
        }

        @Override
        boolean passOn(Runnable continuation) {
            return HandOver.to(settings.executor(), continuation);
        }

        @Override
        Turn turn() {
            return settings.turn();
        }

        @Override
        long now() {
            return settings.clock().getAsLong();
        }

        @Override
        @Nullable
        Throwable stoppedBy() {
            return stoppedBy;
        }
    }
}
