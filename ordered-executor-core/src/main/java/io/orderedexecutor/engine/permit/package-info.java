/**
 * Not API. Permits: how many tasks may be queued, and which waiting submission gets {@link Room} next.
 *
 * <p>{@link Rooms} has the rooms of one executor: the room in total, and the room of each key. The room of a key is
 * attached to the {@linkplain io.orderedexecutor.engine.order.Order order} of the key. A permit has one owner: first
 * the submission that has taken it, then the place of the submission, until the place starts or is taken back. A permit
 * for the window of an output belongs to the place until its result is written, or the place is over.
 *
 * <p>Uses {@link io.orderedexecutor.engine.order} and {@link io.orderedexecutor.engine.pool}.
 */
@NullMarked
package io.orderedexecutor.engine.permit;

import org.jspecify.annotations.NullMarked;
