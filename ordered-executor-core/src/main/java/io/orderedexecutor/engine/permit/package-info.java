/**
 * Not API. Permits: how many tasks may be queued, and which waiting submission gets {@link Room} next.
 *
 * <p>{@link Rooms} are those of one executor: in total, and in each of its keys. The room of a key is attached to its
 * {@linkplain io.orderedexecutor.engine.order.Order order}. A permit has one owner: the submission that has taken it,
 * then its place, until that starts or is taken back.
 *
 * <p>Uses {@link io.orderedexecutor.engine.order} and {@link io.orderedexecutor.engine.pool}.
 */
@NullMarked
package io.orderedexecutor.engine.permit;

import org.jspecify.annotations.NullMarked;
