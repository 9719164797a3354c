package io.orderedexecutor.sample.events;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * Why an event was not accepted.
 *
 * @param event its place in the body, from 1; its line if each event has one of its own
 * @param field the field that is wrong; null if it is the whole event
 * @param reason what is wrong, and what would be right
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record EventError(long event, @Nullable String field, String reason) {}
