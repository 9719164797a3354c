package io.orderedexecutor.sample;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What a client sends.
 *
 * @param client who sends it
 * @param type what to do
 * @param coins how many, from 1 to {@value #MAX_COINS}
 */
record Event(String client, Type type, int coins) {
    static final int MAX_COINS = 1000;

    enum Type {
        @JsonProperty("deposit")
        DEPOSIT,
        /** Declined if the account does not have the coins: a withdrawal that overtakes its deposit is. */
        @JsonProperty("withdrawal")
        WITHDRAWAL
    }
}
