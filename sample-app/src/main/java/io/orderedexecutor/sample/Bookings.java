package io.orderedexecutor.sample;

import java.util.concurrent.CompletableFuture;

/** Books events later, on other threads. */
interface Bookings {

    CompletableFuture<Entry> book(String clientId, Booking booking);
}
