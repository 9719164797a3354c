package io.orderedexecutor;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sequence of a {@link TicketSequencer}: outputs are an application's own, and so are the threads. It runs until it
 * is stopped, by a failure or by somebody, and is never anything else from then on.
 *
 * @param <I> who gives tickets to those who wait for one
 */
final class SequencerOutputs<I extends TicketIssuer> extends Sequence {
    private final TicketSettings settings;
    private final I issuer;
    private final WaitingThreads threads;
    private final @Nullable Leases leases;

    /** Null while this sequence runs. Set once, by compare-and-set. */
    private final AtomicReference<@Nullable Stop> stop = new AtomicReference<>();

    SequencerOutputs(TicketSettings settings, long first, Function<SequencerOutputs<I>, I> issuer) {
        super(settings.window(), first);
        this.settings = settings;
        this.threads = new WaitingThreads(this, settings.platform());
        Duration lease = settings.lease();
        this.leases = lease == null ? null : new Leases(this, lease, settings);
        this.issuer = issuer.apply(this);
    }

    I issuer() {
        return issuer;
    }

    // waiting

    /** Waits until a ticket is issued that cannot be had at once. */
    Ticket await(Supplier<CompletableFuture<Ticket>> request, long nanos)
            throws InterruptedException, TimeoutException {
        if (nanos <= 0) {
            throw noRoomWithin(nanos);
        }
        CompletableFuture<Ticket> future = request.get();
        try {
            if (!threads.await(future, nanos) && future.cancel(false)) {
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
            requireRunning();
            throw stopped;
        }
    }

    private TimeoutException noRoomWithin(long nanos) {
        return new TimeoutException("there was no room in the window of " + window() + " tickets within "
                + Duration.ofNanos(Math.max(0, nanos)) + "; the first one that is open is " + issuer.describeHead());
    }

    SelfWaitException selfWait(String instead) {
        return new SelfWaitException("an output waits for room in the window of " + window()
                + " tickets, which is full of its own ticket and later ones; use " + instead + " inside an output");
    }

    // serving

    @Override
    boolean perform(Ticket ticket, Runnable output) {
        Stop before = stop.get();
        if (before != null) {
            CancellationException cancelled = new CancellationException(ticket + " did not run: " + before.reason());
            cancelled.initCause(before.failure());
            settings.tell(ticket, cancelled);
            return true;
        }
        try {
            output.run();
        } catch (Throwable failure) {
            if (settings.stopsOnFailure()) {
                stop(new Stop(failure));
            }
            settings.tell(ticket, failure);
        }
        return true;
    }

    @Override
    @Nullable
    AfterServing takeEnded() {
        return null;
    }

    @Override
    void onServed() {
        issuer.call();
    }

    @Override
    Ticket.Awaited awaited() {
        return leases == null ? Ticket.Awaited.WITHOUT_LEASE : leases.awaited();
    }

    @Override
    void onAwaited() {
        if (leases != null) {
            leases.watch();
        }
    }

    @Override
    boolean passOn(Runnable continuation) {
        // a thread that waits for a ticket waits for what is to be done now; and the executor may have no other
        return threads.callOne() || HandOver.to(settings.executor(), continuation);
    }

    @Override
    Turn turn() {
        return settings.turn();
    }

    @Override
    long now() {
        return settings.platform().nanoTime();
    }

    // the end

    void stop(Stop reason) {
        if (stop.compareAndSet(null, reason)) {
            issuer.stop();
        }
    }

    @Override
    @Nullable
    Stop stopped() {
        return stop.get();
    }

    /** The refusal of a ticket; null if this sequence is not stopped. */
    @Nullable
    RejectedExecutionException refusal() {
        Stop stopped = stop.get();
        return stopped == null ? null : stopped.refusal("no more tickets are issued");
    }

    void requireRunning() {
        RejectedExecutionException refusal = refusal();
        if (refusal != null) {
            throw refusal;
        }
    }
}
