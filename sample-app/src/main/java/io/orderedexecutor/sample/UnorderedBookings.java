package io.orderedexecutor.sample;

import java.util.concurrent.CompletableFuture;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;

/** All bookings side by side, also those of one client: what to compare {@link OrderedBookings} with. */
@Service
class UnorderedBookings implements Bookings {
    private final Teller teller;

    UnorderedBookings(Teller teller) {
        this.teller = teller;
    }

    @Override
    @Async
    public CompletableFuture<Entry> book(String clientId, Booking booking) {
        return CompletableFuture.completedFuture(teller.book(booking));
    }
}
