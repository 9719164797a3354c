package io.orderedexecutor.sample.accounts;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.orderedexecutor.sample.SimulatedDatabase;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;

/**
 * A deposit or a withdrawal.
 *
 * @param client whose account it concerns; can stand in a path as it is
 */
public record Event(
        @NotNull
        @Pattern(
                regexp = "[A-Za-z0-9][A-Za-z0-9._@-]{0,63}",
                message = "must be 1 to 64 letters, digits or any of . _ @ - and begin with a letter or a digit")
        String client,

        @NotNull Type type,
        @Min(1) @Max(SimulatedDatabase.MAX_AMOUNT) int amount) {

    /** What to do with the amount. */
    public enum Type {
        /** Adds the amount to the balance. */
        @JsonProperty("deposit")
        DEPOSIT,

        /**
         * Takes the amount from the balance. A withdrawal is declined if the balance is too low, as it is when the
         * withdrawal overtakes its deposit.
         */
        @JsonProperty("withdrawal")
        WITHDRAWAL
    }
}
