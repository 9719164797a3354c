/**
 * Executors that run tasks of the same key in order, and tasks of different keys in parallel.
 *
 * <p>One idea carries the package: <em>a task takes a place in the order of each of its keys, in all of them at once.
 * The tasks before it grant the place, and work fills it, in either order. When the place is granted and filled, a
 * thread runs the task. When the task ends, it leaves the place, and the tasks whose places this grants run next.</em>
 * No thread waits for a turn, and no thread owns a key.
 *
 * <h2>The map</h2>
 *
 * <p>Types for applications:
 *
 * <ul>
 *   <li>{@link io.orderedexecutor.StripedExecutor}: the tasks of one <em>stripe</em> (a key) run one after another, in
 *       order of submission. Its views are a plain {@link java.util.concurrent.Executor} for one stripe, and an
 *       {@link java.util.concurrent.ExecutorService}. A {@link io.orderedexecutor.StripedSubmitter} submits with a
 *       {@link io.orderedexecutor.WhenBusy} and an {@link io.orderedexecutor.Overflow} of its own, and cannot close.
 *   <li>{@link io.orderedexecutor.GroupedExecutor}: tasks that have {@link io.orderedexecutor.Groups} in common run one
 *       after another, in order of submission; a group may be {@linkplain io.orderedexecutor.Groups#within within}
 *       another. A stripe is a group that a task has exclusively: {@link io.orderedexecutor.GroupedExecutor#stripes()}.
 *       A {@link io.orderedexecutor.GroupedSubmitter} submits with an overflow of its own.
 *   <li>{@link io.orderedexecutor.Key}: a key in a space of its own, so that the order 42 is not the user 42.
 *   <li>{@link io.orderedexecutor.Reservation}: a place in a stripe or in groups, for a task that comes later.
 *   <li>{@link io.orderedexecutor.OrderedOutputExecutor}: the tasks of an {@link io.orderedexecutor.OrderedOutput} run
 *       in parallel, and their results are written one after another, in order of submission.
 *       {@link io.orderedexecutor.OrderedOutputBuilder}: settings of one output;
 *       {@link io.orderedexecutor.OutputFailure}: what an output does when a task fails.
 *   <li>{@link io.orderedexecutor.TicketSequencer}: the same for an application's own threads, by tickets;
 *       {@link io.orderedexecutor.NumberedSequencer}: by numbers that come from outside.
 *       {@link io.orderedexecutor.TicketSequencerBuilder} and {@link io.orderedexecutor.NumberedSequencerBuilder}:
 *       their settings.
 *   <li>{@link io.orderedexecutor.SerialExecutor}: one sequence of tasks on any executor.
 *   <li>{@link io.orderedexecutor.StripedExecutorBuilder}, {@link io.orderedexecutor.GroupedExecutorBuilder},
 *       {@link io.orderedexecutor.OrderedOutputExecutorBuilder}: settings, most of which they share, as
 *       {@link io.orderedexecutor.OrderedExecutorBuilder}.
 *   <li>{@link io.orderedexecutor.Overflow}: what a submission does if there is no room for it.
 *   <li>{@link io.orderedexecutor.WhenBusy}: what a submission does if its stripe has work: wait in the queue, replace
 *       a queued task, interrupt the running task, or be refused ({@link io.orderedexecutor.TaskRefusedException}).
 *   <li>{@link io.orderedexecutor.Batcher}: collects the waiting items of a stripe, and passes them to a handler at
 *       once; {@link io.orderedexecutor.BatcherBuilder}: its settings.
 *   <li>{@link io.orderedexecutor.FailurePolicy}: what a stripe does when a task fails.
 *   <li>{@link io.orderedexecutor.TaskListener}: called for each event of a task.
 *   <li>{@link io.orderedexecutor.OrderedExecutor}: the common interface of all executors with a lifecycle: a name,
 *       shutdown, and two views: {@link io.orderedexecutor.ExecutorControl} pauses, resumes, gives up parked tasks and
 *       changes settings; {@link io.orderedexecutor.ExecutorInspection} shows figures, keys and tasks, and explains why
 *       they wait.
 *   <li>{@link io.orderedexecutor.SelfWaitException}: thrown in a thread that is about to wait for itself, and would
 *       otherwise hang.
 *   <li>Package {@link io.orderedexecutor.stats}: what an inspection of a running executor shows.
 * </ul>
 *
 * <h2>Tasks that know their order</h2>
 *
 * <p>Types for code that was written for earlier libraries, and for an order that keys cannot express. Other code
 * passes its keys with each submission, and needs none of them.
 *
 * <ul>
 *   <li>{@link io.orderedexecutor.StripedObject}, {@link io.orderedexecutor.StripedRunnable},
 *       {@link io.orderedexecutor.StripedCallable}: tasks that know their stripe, as in Heinz Kabutz's
 *       {@code StripedExecutorService}, for the {@link java.util.concurrent.ExecutorService} of a
 *       {@link io.orderedexecutor.StripedExecutor}.
 *   <li>{@link io.orderedexecutor.OrderedTask}: a task that decides itself with which tasks it is compatible, as in
 *       Attila-Mihaly Balazs's grouped thread pool, for a {@link io.orderedexecutor.GroupedExecutor}.
 * </ul>
 */
@NullMarked
package io.orderedexecutor;

import org.jspecify.annotations.NullMarked;
