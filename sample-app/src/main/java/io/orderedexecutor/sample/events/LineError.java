package io.orderedexecutor.sample.events;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * Why an event was not accepted.
 *
 * @param line the line on which the event begins, from 1
 * @param field the field that is wrong; null if it is the whole event
 * @param reason what is wrong, and what would be right
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record LineError(int line, @Nullable String field, String reason) {}
