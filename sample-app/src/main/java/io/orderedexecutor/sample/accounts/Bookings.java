package io.orderedexecutor.sample.accounts;

import io.orderedexecutor.sample.SimulatedDatabase;
import io.orderedexecutor.sample.accounts.Statement.Entry;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.concurrent.CompletableFuture;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;

/** Books events later, on other threads. */
interface Bookings {

    CompletableFuture<Entry> book(Event event, Account account);

    /** Books the events of one client in the order of the calls, and those of different clients in parallel. */
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

    /** Books all events in parallel, also those of one client: what to compare {@link OrderedBookings} with. */
    @Service
    class UnorderedBookings implements Bookings {
        private final SimulatedDatabase database;

        UnorderedBookings(SimulatedDatabase database) {
            this.database = database;
        }

        @Override
        @Async
        public CompletableFuture<Entry> book(Event event, Account account) {
            database.write(event.amount());
            return CompletableFuture.completedFuture(account.book(event));
        }
    }
}
