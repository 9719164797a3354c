/**
 * Not API. One task at a time, and the life of that task.
 *
 * <p>A {@link Strand} is the right to run one task at a time. Its tasks come from the {@link LinkQueue} that it is;
 * {@link Serving} is one thread's time as the owner, from the way in to the way out; {@link TaskLife} runs a task and
 * decides what follows: the end, an asynchronous {@link AsyncAttempt}, a retry, a {@link Suspension}.
 * {@link TaskReporter} tells listener and statistics, {@link TaskFuture} carries the result, {@link Wait} finds cycles
 * of waiting tasks, {@link StrandControl} pauses, resumes and stops. A {@link SlotLink} or {@link IdleLink} decides
 * what a submission does if its strand is busy. In a {@link BatchLink}, the items of a {@link Batch} wait to run as one
 * task. A {@link ReservedPlace} stands in for a task that comes later, by a {@link QueuedReservation};
 * {@link OpenPlaces} are those of an executor. {@link Host} is what a strand knows of its executor.
 *
 * <p>Uses {@code pool}.
 */
@NullMarked
package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.task.Wait;
import org.jspecify.annotations.NullMarked;
