package io.orderedexecutor.sample.accounts;

import io.orderedexecutor.sample.database.SimulatedDatabase;
import java.util.concurrent.CompletableFuture;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;

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
