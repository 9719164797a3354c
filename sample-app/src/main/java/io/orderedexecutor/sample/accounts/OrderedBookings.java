package io.orderedexecutor.sample.accounts;

import io.orderedexecutor.sample.database.SimulatedDatabase;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Service;

/**
 * Books the events of one client one after another, in the order of the calls, and those of different clients in
 * parallel.
 */
@Service
class OrderedBookings implements Bookings {
    private final SimulatedDatabase database;

    OrderedBookings(SimulatedDatabase database) {
        this.database = database;
    }

    @Override
    @OrderedAsync(stripe = "#event.client")
    public CompletableFuture<Entry> book(Event event, Account account) {
        database.write(event.amount()); // takes a millisecond for each unit
        return CompletableFuture.completedFuture(account.book(event));
    }
}
