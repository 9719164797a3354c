package io.orderedexecutor.sample.accounts;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * A deposit or a withdrawal.
 *
 * @param client whose account it concerns
 * @param type what to do
 * @param amount how much to deposit or to withdraw
 */
public record Event(String client, Type type, int amount) {

    /** What to do with the amount. */
    public enum Type {
        /** Adds the amount to the balance. */
        @JsonProperty("deposit")
        DEPOSIT,

        /**
         * Takes the amount from the balance. Declined if the balance is too low: a withdrawal that overtakes its
         * deposit is.
         */
        @JsonProperty("withdrawal")
        WITHDRAWAL
    }
}
