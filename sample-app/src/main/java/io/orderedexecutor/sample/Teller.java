package io.orderedexecutor.sample;

import java.util.concurrent.CancellationException;
import org.springframework.stereotype.Component;

/** Does the work of a booking, whatever the order. */
@Component
class Teller {
    private final CoinCounter counter;

    Teller(CoinCounter counter) {
        this.counter = counter;
    }

    Entry book(Booking booking) {
        try {
            counter.count(booking.event().coins());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted while counting the coins of " + booking.event());
        }
        return booking.account().book(booking.number(), booking.event());
    }
}
