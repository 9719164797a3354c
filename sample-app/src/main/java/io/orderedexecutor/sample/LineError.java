package io.orderedexecutor.sample;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with a line of input.
 *
 * @param line which line, from 1; null if it is an event of possibly many lines, and not known in which of them
 * @param field which field of the event; null if it is the whole
 * @param reason what is wrong, and what would be right
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record LineError(@Nullable Long line, @Nullable String field, String reason) {}
