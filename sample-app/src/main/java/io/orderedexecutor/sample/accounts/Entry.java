package io.orderedexecutor.sample.accounts;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * A processed event, as a statement shows it.
 *
 * @param type what was to be done
 * @param amount with how much
 * @param result whether it was done
 * @param balance the client's balance afterwards
 */
public record Entry(Event.Type type, int amount, Result result, long balance) {

    /** Whether an event was done. */
    public enum Result {
        /** The balance was changed. */
        @JsonProperty("booked")
        BOOKED,

        /** The balance was too low. */
        @JsonProperty("declined")
        DECLINED
    }
}
