/**
 * Not API. The orders of keys, and the {@linkplain io.orderedexecutor.engine.order.Place places} that stand in them.
 *
 * <p>{@link io.orderedexecutor.engine.order.Orders} is the table of keys, in
 * {@linkplain io.orderedexecutor.engine.order.Bin bins}: only the thread that has a bin changes the
 * {@linkplain io.orderedexecutor.engine.order.Order orders} in it. A place enters all of its orders at once and leaves
 * them one by one; whoever holds all of them is granted, and goes to the
 * {@linkplain io.orderedexecutor.engine.order.Orders.Sink sink} when the bin is let go. A
 * {@linkplain io.orderedexecutor.engine.order.Barrier barrier} stands in the orders of all keys.
 * {@link io.orderedexecutor.engine.order.Survey} looks at all of them.
 *
 * <p>Nothing here knows tasks, threads that run them, or room for them: a place answers what an order asks, through its
 * {@linkplain io.orderedexecutor.engine.order.Place.State state}. Uses {@link io.orderedexecutor.engine.pool.Platform},
 * to wait for a bin.
 */
@NullMarked
package io.orderedexecutor.engine.order;

import org.jspecify.annotations.NullMarked;
