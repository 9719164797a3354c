package io.orderedexecutor.engine.ticket;

import io.orderedexecutor.Ticket;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link TicketServer} works with.
 *
 * @param outputs runs the output of a ticket, and contains what it throws
 * @param onRoom called when there may be room for another ticket
 * @param passOn finds another thread to go on; false if no other thread will
 * @param turn how long a thread serves outputs that were left behind the one that it has brought
 * @param platform the clock
 * @param leases null if a ticket is awaited for any length of time
 */
public record ServerSettings(
        BiConsumer<Ticket, Runnable> outputs,
        Runnable onRoom,
        Predicate<Runnable> passOn,
        Supplier<Turn> turn,
        Platform platform,
        @Nullable Leases leases) {}
