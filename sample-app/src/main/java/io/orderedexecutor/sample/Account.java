package io.orderedexecutor.sample;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/** The coins and the last events of one client. */
final class Account {
    private final String client;
    private final int keptEvents;

    /** The last events, in the order in which they were processed. */
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();

    private long received;
    private long processed;
    private long balance;
    private CompletableFuture<Account> idle = CompletableFuture.completedFuture(this);

    Account(String client, int keptEvents) {
        this.client = client;
        this.keptEvents = keptEvents;
    }

    String client() {
        return client;
    }

    /**
     * Gives an event its number and hands it on. Both happen under one lock: otherwise, of two requests at the same
     * time, the one with the higher number could be handed on first.
     *
     * @param handOn takes the number; if it throws, the number is free again
     * @return the number
     */
    synchronized long receive(LongConsumer handOn) {
        long number = received + 1;
        CompletableFuture<Account> idleBefore = idle;
        if (received == processed) {
            idle = new CompletableFuture<>();
        }
        received = number;
        try {
            handOn.accept(number);
        } catch (RuntimeException e) {
            received = number - 1;
            idle = idleBefore;
            throw e;
        }
        return number;
    }

    synchronized Entry book(long number, Event event) {
        boolean booked = event.type() == Event.Type.DEPOSIT || event.coins() <= balance;
        if (booked) {
            balance += event.type() == Event.Type.DEPOSIT ? event.coins() : -event.coins();
        }
        Entry entry = new Entry(
                number, event.type(), event.coins(), booked ? Entry.Result.BOOKED : Entry.Result.DECLINED, balance);
        if (entries.size() == keptEvents) {
            entries.removeFirst();
        }
        entries.addLast(entry);
        return entry;
    }

    /** Notes that an event was processed, and tells those who wait for the last one. */
    void onProcessed() {
        CompletableFuture<Account> nowIdle;
        synchronized (this) {
            processed++;
            if (processed < received) {
                return;
            }
            nowIdle = idle;
        }
        nowIdle.complete(this);
    }

    /** A future that is done when nothing is pending. */
    synchronized CompletableFuture<Account> whenIdle() {
        return idle.copy();
    }

    synchronized State state() {
        return new State(client, received - processed, processed, balance, List.copyOf(entries));
    }

    /**
     * What a client is shown.
     *
     * @param client its name
     * @param pending how many of its events are accepted and not processed
     * @param processed how many were processed
     * @param balance its coins
     * @param events the last ones processed, in the order in which they were
     */
    record State(String client, long pending, long processed, long balance, List<Entry> events) {}
}
