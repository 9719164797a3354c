/**
 * Not API. Output in the order of tickets, by whichever threads come with it.
 *
 * <p>{@link TicketQueue} is the order, {@link QueuedTicket} a place in it, {@link TicketServer} the right to run what
 * has its turn, {@link ServingTurn} a thread's time with that right. {@link Sequencer} serves the application's own
 * threads, which wait in {@link TicketWaiters}; {@link NumberedTickets} are for numbers that come from outside;
 * {@link Leases} end tickets that are not used.
 *
 * <p>Uses {@code pool}.
 */
@NullMarked
package io.orderedexecutor.engine.ticket;

import org.jspecify.annotations.NullMarked;
