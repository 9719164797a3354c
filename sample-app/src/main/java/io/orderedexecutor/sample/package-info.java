/**
 * A small bank: clients send deposits and withdrawals over HTTP, and each client's are booked in the order in which
 * they came.
 *
 * <p>{@link io.orderedexecutor.sample.OrderedBookings} and {@link io.orderedexecutor.sample.UnorderedBookings} differ
 * in one annotation; everything else is shared. An event goes from the {@code EventsController} through the
 * {@code EventParser} to the {@code Desk} of its mode, which gives it a number and hands it to the bookings; the
 * {@code Teller} books it on the client's {@code Account}, which the {@code Ledger} keeps.
 *
 * <p>{@link io.orderedexecutor.sample.Transfers} shows calls that touch several accounts, and calls that only read one,
 * and one that has to have all for itself. {@code UnfinishedEvents} hears of what was not processed when the
 * application had to end.
 */
@NullMarked
package io.orderedexecutor.sample;

import org.jspecify.annotations.NullMarked;
