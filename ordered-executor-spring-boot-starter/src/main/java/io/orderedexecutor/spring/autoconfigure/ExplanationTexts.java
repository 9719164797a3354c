package io.orderedexecutor.spring.autoconfigure;

import java.util.function.BiFunction;

/** Formats values of the application for the log, in the way in which the endpoint shows them to everybody. */
interface ExplanationTexts extends BiFunction<String, Object, String> {

    /** Shows only the class of a failure, and masks all other values. */
    ExplanationTexts MASKED =
            (kind, value) -> kind.equals("failure") ? value.getClass().getName() : "******";
}
