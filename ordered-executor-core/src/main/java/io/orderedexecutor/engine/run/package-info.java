/**
 * Not API. The life of a task in its {@linkplain io.orderedexecutor.engine.order.Place place}. A place in the order of
 * each key is the one idea of the core.
 *
 * <p>A place enters all of its {@linkplain io.orderedexecutor.engine.order.Orders orders} at once. The places before it
 * grant it, and work fills it, in either order; when it is granted and filled, the
 * {@linkplain io.orderedexecutor.engine.run.Dispatcher dispatcher} finds a thread to run it. The
 * {@linkplain io.orderedexecutor.engine.run.Service service} decides what follows an
 * {@linkplain io.orderedexecutor.engine.run.Attempt attempt}. When the task ends, its place leaves its orders, which
 * grants others. No thread owns a key, and no thread waits for a turn.
 *
 * <p>{@link io.orderedexecutor.engine.run.TakingBack} ends places whose task does not run.
 * {@link io.orderedexecutor.engine.run.Lifecycle} has the phases of an executor, and the threads that wait for its end.
 *
 * <p>Uses {@link io.orderedexecutor.engine.permit}, {@link io.orderedexecutor.engine.order},
 * {@link io.orderedexecutor.engine.task} and {@link io.orderedexecutor.engine.pool}.
 */
@NullMarked
package io.orderedexecutor.engine.run;

import org.jspecify.annotations.NullMarked;
