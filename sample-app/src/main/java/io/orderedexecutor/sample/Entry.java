package io.orderedexecutor.sample;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * A processed event.
 *
 * @param number the place in which the event was received: 1 for the client's first one
 * @param type what was to be done
 * @param coins with how many
 * @param result whether it was done
 * @param balance the client's coins afterwards
 */
record Entry(long number, Event.Type type, int coins, Result result, long balance) {

    enum Result {
        @JsonProperty("booked")
        BOOKED,
        @JsonProperty("declined")
        DECLINED
    }
}
