/**
 * Not API. How many tasks may be queued, how many pieces an output may have, and which waiting submission is next.
 *
 * <p>A {@link Room} counts permits, one for each task. {@link Rooms} holds the room of an executor in total, and the
 * room of each key, which is attached to the {@linkplain io.orderedexecutor.engine.order.Order order} of the key. A
 * permit belongs to the submission that has acquired it, then to the place of that submission, which releases it when
 * its task starts or is taken back, and acquires it again if the task is queued again. The window of an output is a
 * room as well: there a place releases its permit when the result is written or left out, or the place is over.
 *
 * <p>Uses {@link io.orderedexecutor.engine.order} and {@link io.orderedexecutor.engine.pool}.
 */
@NullMarked
package io.orderedexecutor.engine.permit;

import org.jspecify.annotations.NullMarked;
