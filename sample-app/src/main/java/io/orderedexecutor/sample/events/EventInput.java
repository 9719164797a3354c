package io.orderedexecutor.sample.events;

import io.orderedexecutor.sample.accounts.Event;
import io.orderedexecutor.sample.database.SimulatedDatabase;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** An event as it is sent, not checked yet. */
record EventInput(
        @Nullable String client,
        Event.@Nullable Type type,
        @Nullable Integer amount) {
    private static final Pattern CLIENT =
            Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}"); // can stand in a path as it is

    private static final Map<String, String> RULES = Map.of(
            "client", "must be 1 to 64 letters, digits or any of . _ @ - and begin with a letter or a digit",
            "type", "must be \"deposit\" or \"withdrawal\"",
            "amount", "must be a whole number from 1 to " + SimulatedDatabase.MAX_AMOUNT);

    /** Says what a field must be. */
    static String rule(String field) {
        return RULES.getOrDefault(field, "is not a field of an event; leave it out or correct its name");
    }

    /** Returns the rule of each field that breaks it; nothing if this is a valid event. */
    Map<String, String> violations() {
        Map<String, Boolean> valid = new LinkedHashMap<>();
        valid.put("client", client != null && CLIENT.matcher(client).matches());
        valid.put("type", type != null);
        valid.put("amount", amount != null && amount >= 1 && amount <= SimulatedDatabase.MAX_AMOUNT);
        Map<String, String> violations = new LinkedHashMap<>();
        valid.forEach((field, isValid) -> {
            if (!isValid) {
                violations.put(field, rule(field));
            }
        });
        return violations;
    }
}
