package io.orderedexecutor.sample.accounts;

import static java.util.Objects.requireNonNull;

import io.orderedexecutor.sample.accounts.Statement.Entry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/**
 * The account of one client. It has no lock: each change exchanges the whole statement, so whoever reads meanwhile sees
 * it as it was after one of them. The exchange is atomic, since events are also accepted while others are booked; and
 * in the unordered bank, several are booked at a time.
 */
final class Account {
    private final AtomicReference<Statement> statement;

    /** Is done when all accepted events are. */
    private final AtomicReference<CompletableFuture<Void>> events =
            new AtomicReference<>(CompletableFuture.completedFuture(null));

    Account(String client) {
        statement = new AtomicReference<>(new Statement(client, 0, 0, 0, List.of()));
    }

    Entry book(Event event) {
        List<Entry> entries = update(before -> before.withBooked(event)).events();
        return entries.get(entries.size() - 1);
    }

    Statement update(UnaryOperator<Statement> change) {
        return statement.updateAndGet(change);
    }

    /** Notes an accepted event, which is over when {@code end} is done; it does not fail. */
    void add(CompletableFuture<?> end) {
        events.updateAndGet(before -> CompletableFuture.allOf(before, end));
    }

    /** Returns a future that is done when all events that were accepted so far are. */
    CompletableFuture<Void> whenIdle() {
        return requireNonNull(events.get()).copy();
    }

    Statement statement() {
        return requireNonNull(statement.get());
    }
}
