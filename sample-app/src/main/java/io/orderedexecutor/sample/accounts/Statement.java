package io.orderedexecutor.sample.accounts;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a client is shown of its account.
 *
 * @param pending how many of its events are accepted and not processed
 * @param processed how many of its events were processed
 * @param events the last events that were processed, in the order in which they were
 */
public record Statement(String client, long pending, long processed, long balance, List<Entry> events) {
    static final int MAX_EVENTS = 1000;

    /** After an event was accepted; with -1, after the event was refused all the same. */
    Statement withPending(int count) {
        return new Statement(client, pending + count, processed, balance, events);
    }

    /** After an event was booked, or has failed. */
    Statement withProcessed() {
        return new Statement(client, pending - 1, processed + 1, balance, events);
    }

    /** With the balance changed by an event, if it is high enough. */
    Statement withBooked(Event event) {
        long changed = balance + (event.type() == Event.Type.DEPOSIT ? event.amount() : -event.amount());
        Entry entry = changed < 0
                ? new Entry(event.type(), event.amount(), Entry.Result.DECLINED, balance)
                : new Entry(event.type(), event.amount(), Entry.Result.BOOKED, changed);
        List<Entry> last = Stream.concat(events.stream(), Stream.of(entry))
                .skip(events.size() < MAX_EVENTS ? 0 : 1)
                .toList();
        return new Statement(client, pending, processed, entry.balance(), last);
    }

    /** A processed event, with the client's balance after it. */
    public record Entry(Event.Type type, int amount, Result result, long balance) {

        /** Whether an event was done. */
        public enum Result {
            @JsonProperty("booked")
            BOOKED,
            /** The balance was too low. */
            @JsonProperty("declined")
            DECLINED
        }
    }
}
