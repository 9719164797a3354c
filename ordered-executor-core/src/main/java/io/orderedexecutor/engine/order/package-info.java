/**
 * Not API. The orders of keys, and the {@linkplain io.orderedexecutor.engine.order.Place places} that stand in them.
 *
 * <p>{@link io.orderedexecutor.engine.order.Orders} is the table of keys, in
 * {@linkplain io.orderedexecutor.engine.order.Bin bins}: only the holder of a bin changes the
 * {@linkplain io.orderedexecutor.engine.order.Order orders} in it. A place enters all of its orders at once and leaves
 * them one by one; a place that holds all of them, and waits for nothing else, is granted, and goes to the
 * {@linkplain io.orderedexecutor.engine.order.Orders.Sink sink} when the bin is released. A
 * {@linkplain io.orderedexecutor.engine.order.Barrier barrier} stands in the orders of all keys.
 * {@link io.orderedexecutor.engine.order.Survey} looks at all orders.
 *
 * <p>The changes that threads make under one bin come one after another. All other races are these; in each, at least
 * one of the two threads sees what the other one has written:
 *
 * <pre>
 *   thread A                           thread B                            so
 *
 *   posts a request (takeOrPost)       releases the bin (release)          one compare-and-set fails: B performs the
 *                                                                          request, or A begins again
 *   posts a request to enter           closes the bin                      B performs it, or A is refused
 *   gives the bin to a Waiter          gives up waiting, for an Error      one compare-and-set fails: B holds the bin,
 *                                                                          or A goes on with it
 *   waits for a bin: reads the Error   is struck by an Error while it has  A gives up, at once or when it reads them
 *   that broke the executor, then      the bin: notes the bin, then the    again
 *   which bins it has struck           Error
 *   makes a bin                        closes all bins                     under the monitor of the array: A makes it
 *                                                                          closed, or B visits it
 *   enters several bins: reads         closes the bins one by one, in the  A is refused, or B has closed none of them;
 *   whether the first one is closed    order of their indices              A also enters a bin that was made closed
 *   opens an order or makes the        searches without the bin: reads     B believes a miss only if the version is the
 *   chains anew: links them, then      the version, then the chain         same under the bin
 *   changes the version
 *   closes an order: links it to       searches without the bin            B begins the chain again; an order that B
 *   itself                                                                 has found must be open under the bin
 *   enters a place: writes its order,  takes it back, or ends a piece:     A or B lets the place leave; if both try,
 *   then reads its state (of several   writes its state, then reads its    the second one finds that it has left
 *   keys: nobody can take it back      order
 *   before all steps have entered)
 *   ends a place that waits: writes    grants steps of its order: reads    B drops the step; or B grants it, and A lets
 *   its state, then lets it leave      the states of their places          it leave afterwards
 *   grants a step of a place           grants another step of it           they count down: the last one grants it
 *   sets a paused place aside, then    resumes the key, then looks for     A takes it up again, or B does, by a
 *   reads whether its key is paused    places that are set aside           compare-and-set
 *   enters a bin without steps, then   looks twice whether all bins are    B finds a place, or another number of busy
 *   leaves another bin                 empty                               periods
 * </pre>
 *
 * <p>Nothing here knows tasks, threads that run them, or how much room there is for them: a place answers what an order
 * asks, through its {@linkplain io.orderedexecutor.engine.order.Place.State state}. Uses
 * {@link io.orderedexecutor.engine.pool.Platform}, to wait for a bin, and reports a wait that does not end.
 */
@NullMarked
package io.orderedexecutor.engine.order;

import org.jspecify.annotations.NullMarked;
