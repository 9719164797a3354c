package io.orderedexecutor.sample.accounts;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts events, which are booked later, and gives statements. Thread-safe. */
public final class Bank {
    private static final Logger logger = LoggerFactory.getLogger(Bank.class);

    private final BiFunction<Event, Account, CompletableFuture<Statement.Entry>> booking;

    /** By client: stands for a table of the bank's database. */
    private final Map<String, Account> accounts = new ConcurrentHashMap<>();

    /** A bank that books by {@code booking}, which returns before the event is booked. */
    Bank(BiFunction<Event, Account, CompletableFuture<Statement.Entry>> booking) {
        this.booking = booking;
    }

    /**
     * Accepts an event. It will be processed once.
     *
     * @throws java.util.concurrent.RejectedExecutionException if there is no room for it; nothing has happened then
     */
    public void accept(Event event) {
        Account account = accounts.computeIfAbsent(event.client(), Account::new);
        account.update(statement -> statement.withPending(1));
        try {
            account.add(booking.apply(event, account) // waits here if too many events are pending
                    .handle((entry, failure) -> {
                        report(event, failure);
                        return account.update(Statement::withProcessed);
                    }));
        } catch (RuntimeException | Error e) {
            account.update(statement -> statement.withPending(-1));
            throw e;
        }
    }

    /**
     * Names no client. A cancelled event is not reported: the application had to end, and {@code UnfinishedCalls}
     * reports all of them at once.
     */
    private static void report(Event event, @Nullable Throwable failure) {
        if (failure == null) {
            logger.trace("Booked: {}", event); // for a test under load, whose clients are made up
        } else if (!(failure instanceof CancellationException)) {
            logger.warn("Not booked: an event of type {}", event.type(), failure);
        }
    }

    /**
     * Gives a client's statement, as soon as the events that were accepted so far are processed, or the wait is over.
     *
     * @return the statement; empty if nothing is known of the client
     */
    public Optional<CompletableFuture<Statement>> statement(String client, Duration wait) {
        return Optional.ofNullable(accounts.get(client))
                .map(account -> wait.isZero()
                        // a future keeps its dependents until it completes, even those whose wait is over, and events
                        // of a parked client may not end for days: so only who wants to wait adds one
                        ? CompletableFuture.completedFuture(account.statement())
                        : account.whenIdle()
                                .completeOnTimeout(null, wait.toMillis(), TimeUnit.MILLISECONDS)
                                .thenApply(idle -> account.statement()));
    }
}
