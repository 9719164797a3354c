/**
 * What can be seen of a running executor, as immutable values.
 *
 * <ul>
 *   <li>Counters since the executor was built, and what it holds now: {@link OrderedExecutorStats} with one record for
 *       each kind of executor, {@link StripedExecutorStats}, {@link GroupedExecutorStats} and
 *       {@link OrderedOutputExecutorStats}; {@link Rejections} by reason, and {@link WhenBusyStats}.
 *   <li>One key or output: {@link StripeSnapshot}, {@link GroupSnapshot}, {@link OutputSnapshot},
 *       {@link SequencerSnapshot}.
 *   <li>One task: {@link RunningTask}, {@link QueuedTask}, {@link ParkedTask}, and {@link ParkedStripe}.
 *   <li>Why a task waits: {@link Explanation}.
 *   <li>What an executor is set to: {@link OrderedExecutorSettings}.
 * </ul>
 *
 * <p>Each value is a picture of one moment: tasks go on while it is taken and after it.
 */
@NullMarked
package io.orderedexecutor.stats;

import org.jspecify.annotations.NullMarked;
