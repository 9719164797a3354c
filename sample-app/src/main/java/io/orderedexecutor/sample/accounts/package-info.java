/**
 * The accounts of clients: deposits and withdrawals of one client are booked in the order in which they were accepted,
 * those of different clients in parallel.
 *
 * <p>A {@code Bank} accepts events, hands them to its {@code Bookings} and gives statements. There are two banks, with
 * accounts of their own. They differ in one annotation: {@code OrderedBookings} has {@code @OrderedAsync}, and
 * {@code UnorderedBookings} has {@code @Async}.
 */
@NullMarked
package io.orderedexecutor.sample.accounts;

import org.jspecify.annotations.NullMarked;
