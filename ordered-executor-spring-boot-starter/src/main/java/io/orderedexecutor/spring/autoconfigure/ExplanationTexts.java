package io.orderedexecutor.spring.autoconfigure;

import java.util.function.BiFunction;

/** Makes text for the log of what belongs to the application, as the endpoint shows it to all. */
interface ExplanationTexts extends BiFunction<String, Object, String> {

    /** Shows nothing but the class of a failure. */
    ExplanationTexts MASKED =
            (kind, value) -> kind.equals("failure") ? value.getClass().getName() : "******";
}
