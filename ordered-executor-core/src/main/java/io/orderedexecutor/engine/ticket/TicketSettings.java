package io.orderedexecutor.engine.ticket;

import io.orderedexecutor.Ticket;
import io.orderedexecutor.TicketSequencer;
import io.orderedexecutor.TicketSequencerBuilder;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link TicketSequencer} is built; see {@link TicketSequencerBuilder} for what each setting means.
 *
 * @param numberedFrom the first number; null if tickets are not numbered from outside
 * @param lease null if tickets have no lease
 * @param platform the clock, timers and parked threads
 */
public record TicketSettings(
        int window,
        @Nullable Long numberedFrom,
        @Nullable Duration lease,
        Turn turn,
        Executor executor,
        BiConsumer<? super Ticket, ? super Throwable> handler,
        boolean stopsOnFailure,
        Platform platform) {

    /** Tells the handler, and contains what it throws. */
    void tell(Ticket ticket, Throwable failure) {
        try {
            handler.accept(ticket, failure);
        } catch (Throwable ofHandler) {
            UncaughtFailures.report(ofHandler);
        }
    }
}
