/**
 * Not API. Parallel work with ordered output.
 *
 * <p>An {@link OutputTask} is a strand that does its work without waiting, and is held by an {@link OutputAttempt}
 * until its ticket has its turn and the {@link ResultWriter} has written its result. {@link OutputSequence} is one
 * output, {@link OutputEngine} all of an executor, {@link OutputTable} where they are found, {@link ConcurrencyLimit}
 * how many tasks of an output work at a time.
 *
 * <p>Uses {@code ticket}, {@code executor}, {@code strand} and {@code pool}.
 */
@NullMarked
package io.orderedexecutor.engine.output;

import org.jspecify.annotations.NullMarked;
