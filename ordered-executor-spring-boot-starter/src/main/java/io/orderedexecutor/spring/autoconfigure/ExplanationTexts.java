package io.orderedexecutor.spring.autoconfigure;

import java.util.function.BiFunction;

/** Formats values of the application for the log, in the way in which the endpoint shows them to everybody. */
interface ExplanationTexts extends BiFunction<String, Object, String> {

    /** Shows nothing but the class of a failure. */
    ExplanationTexts MASKED =
            (kind, value) -> kind.equals("failure") ? value.getClass().getName() : "******";
}
