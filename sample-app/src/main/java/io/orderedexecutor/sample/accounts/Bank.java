package io.orderedexecutor.sample.accounts;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts events, which are booked later, and gives statements. Thread-safe. */
public final class Bank {
    private static final Logger logger = LoggerFactory.getLogger(Bank.class);

    private final Bookings bookings;
    private final Accounts accounts;

    Bank(Bookings bookings, AccountsProperties properties) {
        this.bookings = bookings;
        this.accounts = new Accounts(properties);
    }

    /**
     * Accepts an event. It will be processed once.
     *
     * @param event what to book
     * @throws java.util.concurrent.RejectedExecutionException if there is no room for it; nothing has happened then
     */
    public void accept(Event event) {
        Account account = accounts.accept(event.client());
        CompletableFuture<Entry> booking;
        try {
            booking = bookings.book(event, account); // waits here if too many events are pending
        } catch (RuntimeException | Error e) {
            account.onRefused();
            throw e;
        }
        var unused = booking.whenComplete((entry, failure) -> {
            report(event, failure);
            account.onProcessed();
        });
    }

    /**
     * A cancelled event is not reported: the application had to end, and {@code UnfinishedCalls} reports all of them at
     * once.
     */
    private static void report(Event event, @Nullable Throwable failure) {
        if (failure == null) {
            logger.debug("Booked: {}", event);
        } else if (!(failure instanceof CancellationException)) {
            logger.warn("Not booked: {}", event, failure);
        }
    }

    /**
     * Gives a client's statement, as soon as none of its events is pending or the wait is over.
     *
     * @param client its name
     * @param wait how long to wait at most
     * @return the statement; empty if nothing is known of the client
     */
    public Optional<CompletableFuture<Statement>> statement(String client, Duration wait) {
        return Optional.ofNullable(accounts.find(client))
                .map(account -> account.whenIdle()
                        .completeOnTimeout(account, wait.toMillis(), TimeUnit.MILLISECONDS)
                        .thenApply(Account::statement));
    }

    /** Returns how many accounts are kept. */
    int accounts() {
        return accounts.size();
    }
}
