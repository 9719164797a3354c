package io.orderedexecutor.spring.annotation;

import java.time.Duration;
import java.util.Locale;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.convert.DurationStyle;

/** The values of attributes that are numbers and durations, written as text so that they can be placeholders. */
record AttributeValues(ConfigurableBeanFactory beanFactory, String where) {

    int number(String name, String attribute, int largest) {
        String text = resolve(attribute);
        try {
            int number = Integer.parseInt(text);
            if (number >= 1 && number <= largest) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // refused below
        }
        throw wrong(name, attribute, text, String.format(Locale.ROOT, "a number from 1 to %,d", largest));
    }

    Duration duration(String name, String attribute) {
        String text = resolve(attribute);
        try {
            Duration duration = DurationStyle.detectAndParse(text);
            if (!duration.isNegative()) {
                return duration;
            }
        } catch (IllegalArgumentException notADuration) {
            // refused below
        }
        throw wrong(name, attribute, text, "a duration such as 20ms or 1s, and not negative");
    }

    private String resolve(String attribute) {
        try {
            String resolved = beanFactory.resolveEmbeddedValue(attribute);
            return resolved == null ? "" : resolved.strip();
        } catch (IllegalArgumentException unresolved) {
            return attribute;
        }
    }

    private InvalidOrderedAsyncException wrong(String name, String attribute, String text, String expected) {
        return new InvalidOrderedAsyncException(
                where + " has " + name + " = \"" + attribute + "\""
                        + (text.equals(attribute) ? "" : ", which is '" + text + "'"),
                "Set it to " + expected + ".");
    }
}
