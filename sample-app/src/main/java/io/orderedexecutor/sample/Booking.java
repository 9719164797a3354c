package io.orderedexecutor.sample;

/**
 * An event on its way to its account.
 *
 * @param account the client's
 * @param number the place in which the event was received
 * @param event what to book
 */
record Booking(Account account, long number, Event event) {}
