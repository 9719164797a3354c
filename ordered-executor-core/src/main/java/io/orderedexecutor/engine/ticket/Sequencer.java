package io.orderedexecutor.engine.ticket;

import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.Ticket;
import io.orderedexecutor.engine.pool.InlineGuard;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all ticket sequencers share, whatever gives their tickets a position: outputs are an application's own, and so
 * are the threads. A sequencer runs until it is stopped, by a failure or by a call, and is never anything else from
 * then on.
 */
public final class Sequencer {
    private final TicketSettings settings;
    private final Runnable onStop;
    private final WaitingThreads threads;
    private final @Nullable Leases leases;
    private final TicketQueue queue;
    private final TicketServer server;

    /**
     * Begins.
     *
     * @param first the position of the first ticket
     * @param onRoom called when there may be room for another ticket
     * @param onStop called once, when this sequencer is stopped
     */
    Sequencer(TicketSettings settings, long first, Runnable onRoom, Runnable onStop) {
        this.settings = settings;
        this.onStop = onStop;
        this.threads = new WaitingThreads(settings.platform());
        Duration lease = settings.lease();
        this.leases = lease == null ? null : new Leases(lease, settings.platform(), this::awaited, this::expire);
        this.queue = new TicketQueue(
                settings.window(),
                first,
                new ServerSettings(this::perform, onRoom, this::passOn, settings::turn, settings.platform(), leases));
        this.server = queue.server();
    }

    public TicketQueue queue() {
        return queue;
    }

    TicketServer server() {
        return server;
    }

    // waiting for a ticket

    /** Waits until a ticket is issued that cannot be had at once. */
    Ticket await(Supplier<CompletableFuture<Ticket>> request, long nanos, Supplier<String> firstOpen)
            throws InterruptedException, TimeoutException {
        if (nanos <= 0) {
            throw noRoomWithin(nanos, firstOpen);
        }
        CompletableFuture<Ticket> future = request.get();
        try {
            if (!threads.await(future, nanos, server) && future.cancel(false)) {
                throw noRoomWithin(nanos, firstOpen);
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

    private TimeoutException noRoomWithin(long nanos, Supplier<String> firstOpen) {
        return new TimeoutException("there was no room in the window of " + queue.window() + " tickets within "
                + Duration.ofNanos(Math.max(0, nanos)) + "; the first one that is open is " + firstOpen.get());
    }

    /** Whether an output of this sequencer is running on the calling thread, which then cannot wait for a ticket. */
    boolean isServedHere() {
        return server.isServedHere();
    }

    SelfWaitException selfWait(String instead) {
        return new SelfWaitException("an output waits for room in the window of " + queue.window()
                + " tickets, which is full of its own ticket and later ones; use " + instead + " inside an output");
    }

    // serving

    private void perform(Ticket ticket, Runnable output) {
        Stop before = server.stopped();
        if (before != null) {
            CancellationException cancelled = new CancellationException(ticket + " did not run: " + before.reason());
            cancelled.initCause(before.failure());
            settings.tell(ticket, cancelled);
            return;
        }
        try {
            output.run();
        } catch (Throwable failure) {
            if (settings.stopsOnFailure()) {
                stop(new Stop(failure));
            }
            settings.tell(ticket, failure);
        }
    }

    private boolean passOn(Runnable continuation) {
        // a thread that waits for a ticket waits for what is to be done now; and the executor may have no other
        return threads.callOne() || InlineGuard.handOver(settings.executor(), continuation);
    }

    private Leases.@Nullable Awaited awaited() {
        return server.head().awaited();
    }

    private void expire(Leases.Awaited since) {
        Leases expiring = leases;
        QueuedTicket ticket = server.head();
        if (expiring != null && ticket.expire(since)) {
            server.serveExpired(ticket, () -> settings.tell(ticket, expiring.expired(ticket.position())));
        }
    }

    // the end

    public void stop() {
        stop(new Stop(null));
    }

    private void stop(Stop reason) {
        if (server.stop(reason)) {
            onStop.run();
        }
    }

    /** The refusal of a ticket; null if this sequencer is not stopped. */
    @Nullable
    RejectedExecutionException refusal() {
        Stop stopped = server.stopped();
        return stopped == null ? null : stopped.refusal("no more tickets are issued");
    }

    void requireRunning() {
        RejectedExecutionException refusal = refusal();
        if (refusal != null) {
            throw refusal;
        }
    }
}
