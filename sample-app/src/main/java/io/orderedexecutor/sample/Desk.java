package io.orderedexecutor.sample;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where events are handed in and read back: one desk for each mode, with accounts of its own. */
final class Desk {
    private static final Logger LOGGER = LoggerFactory.getLogger(Desk.class);

    private final Bookings bookings;
    private final Ledger ledger;
    private final Duration patience;

    /** Fair, so that an event of many coins is not overtaken for ever by events of few. */
    private final Semaphore room;

    Desk(Bookings bookings, SampleProperties properties) {
        this.bookings = bookings;
        this.ledger = new Ledger(properties.keptEvents(), properties.idleClients());
        this.patience = properties.patience();
        this.room = new Semaphore(properties.pendingCoins(), true);
    }

    /**
     * Accepts an event; it will be processed once. Too many pending coins hold the caller up, and so, through its
     * connection, the sender.
     *
     * @return its number among the client's events
     * @throws RejectedExecutionException if there was no room in time, or if the application ends
     */
    long accept(Event event) {
        takeRoom(event);
        Account account = ledger.claim(event.client());
        try {
            return account.receive(number -> handOn(new Booking(account, number, event)));
        } catch (RuntimeException e) {
            giveBack(account, event);
            throw e;
        }
    }

    private void handOn(Booking booking) {
        Event event = booking.event();
        var unused = bookings.book(event.client(), booking).whenComplete((entry, failure) -> {
            if (failure != null) {
                LOGGER.warn("Not booked: {}", event, failure);
            }
            booking.account().onProcessed();
            giveBack(booking.account(), event);
        });
    }

    private void takeRoom(Event event) {
        try {
            if (!room.tryAcquire(event.coins(), patience.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new RejectedExecutionException("too many coins are waiting to be counted");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RejectedExecutionException("interrupted while waiting for room", e);
        }
    }

    private void giveBack(Account account, Event event) {
        ledger.release(account);
        room.release(event.coins());
    }

    /** Returns what is known of a client, at the latest after {@code wait}, earlier if nothing is pending. */
    Optional<CompletableFuture<Account.State>> read(String client, Duration wait) {
        return Optional.ofNullable(ledger.find(client))
                .map(account -> account.whenIdle()
                        .completeOnTimeout(account, wait.toMillis(), TimeUnit.MILLISECONDS)
                        .thenApply(Account::state));
    }

    /** How many clients are remembered. */
    int clients() {
        return ledger.size();
    }
}
