package io.orderedexecutor.sample;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Service;

/** Each client's bookings one after another, in the order of the calls; those of different clients side by side. */
@Service
class OrderedBookings implements Bookings {
    private final Teller teller;

    OrderedBookings(Teller teller) {
        this.teller = teller;
    }

    @Override
    @OrderedAsync(stripe = "#clientId")
    public CompletableFuture<Entry> book(String clientId, Booking booking) {
        return CompletableFuture.completedFuture(teller.book(booking));
    }
}
