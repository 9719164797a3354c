package io.orderedexecutor.sample.accounts;

import io.orderedexecutor.sample.SimulatedDatabase;
import io.orderedexecutor.sample.accounts.Statement.Entry;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.concurrent.CompletableFuture;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;

/** Books events later, on other threads. The two methods differ in their annotation only. */
@Service
class Bookings {
    private final SimulatedDatabase database;

    Bookings(SimulatedDatabase database) {
        this.database = database;
    }

    /** Books the events of one client in the order of the calls, and those of different clients in parallel. */
    @OrderedAsync(stripe = "#event.client")
    public CompletableFuture<Entry> bookInOrder(Event event, Account account) {
        database.write(event.amount()); // takes a millisecond for each unit
        return CompletableFuture.completedFuture(account.book(event));
    }

    /** Books all events in parallel, also those of one client. */
    @Async
    public CompletableFuture<Entry> bookInAnyOrder(Event event, Account account) {
        database.write(event.amount());
        return CompletableFuture.completedFuture(account.book(event));
    }
}
