package io.orderedexecutor.spring.autoconfigure;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** Reads the parameters of a request; null stays null, and a value of another type is refused. */
final class Parameter {

    private Parameter() {}

    static @Nullable Integer wholeNumber(String name, @Nullable String text) {
        try {
            return text == null ? null : Integer.valueOf(text);
        } catch (NumberFormatException e) {
            throw refusal(name, "a whole number", text);
        }
    }

    static @Nullable Boolean trueOrFalse(String name, @Nullable String text) {
        if (text == null) {
            return null;
        }
        if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
            throw refusal(name, "true or false", text);
        }
        return Boolean.valueOf(text);
    }

    static @Nullable Duration duration(String name, @Nullable String text) {
        try {
            return text == null ? null : DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw refusal(name, "a duration such as 500us, 5ms or PT1S", text);
        }
    }

    private static Refusal refusal(String name, String expected, @Nullable String text) {
        return Refusal.badRequest("'" + name + "' must be " + expected + ", but is '" + text + "'");
    }
}
