/**
 * Not API. Parallel work with ordered output.
 *
 * <p>An {@link OutputTask} is the strand of one task. It runs concurrently with others, at most as many as the
 * {@link ConcurrencyLimit} allows; then an {@link OutputAttempt} holds it until the turn of its ticket comes and the
 * {@link ResultWriter} has written the result. {@link OutputSequence} is one output. {@link OutputEngine} opens
 * outputs; the {@link OutputTable} keeps the tasks of all of them, in a {@link TaskRing} for each segment.
 *
 * <p>Uses {@code ticket}, {@code executor}, {@code strand} and {@code pool}.
 */
@NullMarked
package io.orderedexecutor.engine.output;

import org.jspecify.annotations.NullMarked;
