/**
 * The state of a running executor, as immutable values.
 *
 * <ul>
 *   <li>All of an executor: {@link OrderedExecutorStats}, {@link OrderedExecutorSettings}, {@link Rejections} by
 *       reason, {@link WhenBusyStats}, and {@link ReservedPlaces}.
 *   <li>One key or output: {@link KeySnapshot}, {@link OutputSnapshot}, {@link SequencerSnapshot}.
 *   <li>One task: {@link RunningTask}, {@link QueuedTask}, and {@link ParkedTask}.
 *   <li>Why a task waits: {@link Explanation}.
 * </ul>
 *
 * <p>A task is <em>queued</em> from its acceptance to its start, and again while it waits for a retry or is parked. A
 * place that is {@linkplain io.orderedexecutor.Reservation reserved} counts as a queued task.
 *
 * <p>Each value is a picture of one moment: tasks go on while it is taken and after it.
 */
@NullMarked
package io.orderedexecutor.stats;

import org.jspecify.annotations.NullMarked;
