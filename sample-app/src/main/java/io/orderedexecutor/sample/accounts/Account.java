package io.orderedexecutor.sample.accounts;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The balance and the last entries of one client. Thread-safe: the object's lock guards all fields. */
final class Account {
    private final String client;
    private final int maxEntries;
    private final Deque<Entry> entries = new ArrayDeque<>();

    private long pending;
    private long processed;
    private long balance;
    private CompletableFuture<Account> idle = CompletableFuture.completedFuture(this);

    /**
     * Opens an account.
     *
     * @param maxEntries how many of its last entries a statement shows
     */
    Account(String client, int maxEntries) {
        this.client = client;
        this.maxEntries = maxEntries;
    }

    /** Notes that an event is on its way to this account. */
    synchronized void onAccepted() {
        if (pending++ == 0) {
            idle = new CompletableFuture<>();
        }
    }

    /** Takes back the last {@link #onAccepted}: the event will not come. */
    void onRefused() {
        end(0);
    }

    /** Notes that an accepted event was processed, or failed. */
    void onProcessed() {
        end(1);
    }

    private void end(int events) {
        CompletableFuture<Account> nowIdle;
        synchronized (this) {
            processed += events;
            if (--pending > 0) {
                return;
            }
            nowIdle = idle;
        }
        nowIdle.complete(this); // runs what depends on it, so not under the lock
    }

    /** Changes the balance by an event, if it is high enough. */
    synchronized Entry book(Event event) {
        long change = event.type() == Event.Type.DEPOSIT ? event.amount() : -event.amount();
        boolean booked = balance + change >= 0;
        if (booked) {
            balance += change;
        }
        Entry entry =
                new Entry(event.type(), event.amount(), booked ? Entry.Result.BOOKED : Entry.Result.DECLINED, balance);
        entries.addLast(entry);
        if (entries.size() > maxEntries) {
            entries.removeFirst();
        }
        return entry;
    }

    synchronized boolean isIdle() {
        return pending == 0;
    }

    /** Returns a future that is done as soon as nothing is pending. */
    synchronized CompletableFuture<Account> whenIdle() {
        return idle.copy();
    }

    synchronized Statement statement() {
        return new Statement(client, pending, processed, balance, List.copyOf(entries));
    }

    @Override
    public String toString() {
        return "account of " + client;
    }
}
