/**
 * Not API. What happens before a task has its place, and the engines behind the executors of the API.
 *
 * <p>An {@linkplain io.orderedexecutor.engine.admit.Engine engine} accepts tasks: there must be
 * {@linkplain io.orderedexecutor.engine.admit.Admission room}, and the
 * {@linkplain io.orderedexecutor.engine.admit.Arrival arrival} at a busy key may join a batch, replace a task, or be
 * refused; otherwise a place enters its orders. {@link io.orderedexecutor.engine.admit.KeyedEngine} has stripes or
 * groups as keys, {@link io.orderedexecutor.engine.admit.OutputEngine} has outputs.
 * {@link io.orderedexecutor.engine.admit.Sequencer} is one order without a key; the threads that bring its work also
 * run it.
 *
 * <p>Uses {@link io.orderedexecutor.engine.run} and what that uses.
 */
@NullMarked
package io.orderedexecutor.engine.admit;

import org.jspecify.annotations.NullMarked;
