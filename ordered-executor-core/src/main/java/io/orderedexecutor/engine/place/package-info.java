/**
 * Not API. The one idea of the core: a {@linkplain io.orderedexecutor.engine.place.Place place} in the order of each of
 * its keys.
 *
 * <p>A task takes its place in all of its {@linkplain io.orderedexecutor.engine.place.Order orders} at once. Those
 * before it grant the place, work fills it, in whichever order; when it is granted and filled, a thread runs it
 * ({@link io.orderedexecutor.engine.place.Service}). When it ends it leaves, and what that grants runs next. No thread
 * owns a key, and no thread waits for a turn.
 *
 * <p>{@link io.orderedexecutor.engine.place.Orders} is the table of keys, in
 * {@linkplain io.orderedexecutor.engine.place.Bin bins}: whoever has a bin writes all of the orders in it.
 * {@link io.orderedexecutor.engine.place.Room} says whether there is room.
 * {@link io.orderedexecutor.engine.place.Sequencer} is one order without a key, which the threads serve that bring the
 * work.
 *
 * <p>Uses {@link io.orderedexecutor.engine.task} and {@link io.orderedexecutor.engine.pool}.
 */
@NullMarked
package io.orderedexecutor.engine.place;

import org.jspecify.annotations.NullMarked;
