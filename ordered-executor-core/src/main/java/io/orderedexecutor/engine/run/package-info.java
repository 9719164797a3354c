/**
 * Not API. The life of a task in its {@linkplain io.orderedexecutor.engine.order.Place place}, until it leaves that. A
 * place in the order of each key is the one idea of the core.
 *
 * <p>A task takes its place in all of its {@linkplain io.orderedexecutor.engine.order.Orders orders} at once. Those
 * before it grant the place, work fills it, in whichever order; when it is granted and filled, a
 * {@linkplain io.orderedexecutor.engine.run.Dispatcher thread} runs it. What an
 * {@linkplain io.orderedexecutor.engine.run.Attempt attempt} leads to is decided by the
 * {@linkplain io.orderedexecutor.engine.run.Service service}. When it ends it leaves, and what that grants runs next.
 * No thread owns a key, and no thread waits for a turn.
 *
 * <p>Other ends of a place are in {@link io.orderedexecutor.engine.run.TakingBack}, the phases of an executor and those
 * who wait for its end in {@link io.orderedexecutor.engine.run.Lifecycle}.
 *
 * <p>Uses {@link io.orderedexecutor.engine.permit}, {@link io.orderedexecutor.engine.order},
 * {@link io.orderedexecutor.engine.task} and {@link io.orderedexecutor.engine.pool}.
 */
@NullMarked
package io.orderedexecutor.engine.run;

import org.jspecify.annotations.NullMarked;
