package io.orderedexecutor.sample.accounts;

import java.util.concurrent.CompletableFuture;

/** Books events later, on other threads. */
interface Bookings {

    CompletableFuture<Entry> book(Event event, Account account);
}
