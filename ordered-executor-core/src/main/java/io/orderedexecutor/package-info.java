/**
 * Executors that run tasks of the same key in order, and tasks of different keys in parallel.
 *
 * <p>One idea carries the package: <em>a task takes a place in the order of each of its keys, in all of them at once.
 * Those before it grant the place, work fills it, in whichever order; when it is granted and filled, a thread runs it.
 * When it ends it leaves, and what that grants runs next.</em> No thread waits for a turn, and none owns a key.
 *
 * <h2>The map</h2>
 *
 * <p>What an application uses:
 *
 * <ul>
 *   <li>{@link io.orderedexecutor.StripedExecutor}: the tasks of one <em>stripe</em> (a key) run one after another, in
 *       order of submission. Its views are a plain {@link java.util.concurrent.Executor} for one stripe, and an
 *       {@link java.util.concurrent.ExecutorService} for {@link io.orderedexecutor.StripedObject}s
 *       ({@link io.orderedexecutor.StripedRunnable}, {@link io.orderedexecutor.StripedCallable}). A
 *       {@link io.orderedexecutor.StripedSubmitter} submits with a {@link io.orderedexecutor.WhenBusy} and an
 *       {@link io.orderedexecutor.Overflow} of its own, and cannot close.
 *   <li>{@link io.orderedexecutor.GroupedExecutor}: tasks that have {@link io.orderedexecutor.Groups} in common run one
 *       after another, in order of submission; a group may be {@linkplain io.orderedexecutor.Groups#within within}
 *       another. A stripe is a group that a task has exclusively: {@link io.orderedexecutor.GroupedExecutor#stripes()}.
 *       {@link io.orderedexecutor.OrderedTask}s say themselves what they are compatible with. A
 *       {@link io.orderedexecutor.GroupedSubmitter} submits with an overflow of its own.
 *   <li>{@link io.orderedexecutor.Key}: a key in a space of its own, so that an order 42 is no user 42.
 *   <li>{@link io.orderedexecutor.Reservation}: a place in a stripe or in groups, for a task that comes later.
 *   <li>{@link io.orderedexecutor.OrderedOutputExecutor}: the tasks of an {@link io.orderedexecutor.OrderedOutput} run
 *       in parallel, and their results are written one after another, in order of submission.
 *       {@link io.orderedexecutor.OrderedOutputBuilder}: settings of one output;
 *       {@link io.orderedexecutor.OutputFailure}: what it does when a task fails.
 *   <li>{@link io.orderedexecutor.TicketSequencer}: the same for an application's own threads, by tickets;
 *       {@link io.orderedexecutor.NumberedSequencer}: by numbers that come from outside.
 *       {@link io.orderedexecutor.TicketSequencerBuilder} and {@link io.orderedexecutor.NumberedSequencerBuilder}:
 *       their settings.
 *   <li>{@link io.orderedexecutor.SerialExecutor}: one sequence of tasks on any executor.
 *   <li>{@link io.orderedexecutor.StripedExecutorBuilder}, {@link io.orderedexecutor.GroupedExecutorBuilder},
 *       {@link io.orderedexecutor.OrderedOutputExecutorBuilder}: settings, most of which they share, as
 *       {@link io.orderedexecutor.OrderedExecutorBuilder}.
 *   <li>{@link io.orderedexecutor.Overflow}: what a submission does if there is no room for it.
 *   <li>{@link io.orderedexecutor.WhenBusy}: what a submission does if its stripe has work: queue, replace what waits,
 *       interrupt what runs, or refuse ({@link io.orderedexecutor.TaskRefusedException}).
 *   <li>{@link io.orderedexecutor.Batcher}: collects the items of a stripe and has a handler run those that wait at
 *       once; {@link io.orderedexecutor.BatcherBuilder}: its settings.
 *   <li>{@link io.orderedexecutor.FailurePolicy}: what a stripe does when a task fails.
 *   <li>{@link io.orderedexecutor.TaskListener}: called for each event of a task.
 *   <li>{@link io.orderedexecutor.OrderedExecutor}: what all executors with a lifecycle share: a name, shutdown, and
 *       two views: {@link io.orderedexecutor.ExecutorControl} pauses, resumes, gives up parked tasks and changes
 *       settings; {@link io.orderedexecutor.ExecutorInspection} looks at figures, keys and tasks, and explains why they
 *       wait.
 *   <li>{@link io.orderedexecutor.SelfWaitException}: what a task gets instead of a hang when it waits for itself.
 *   <li>Package {@link io.orderedexecutor.stats}: what can be seen of a running executor.
 * </ul>
 */
@NullMarked
package io.orderedexecutor;

import org.jspecify.annotations.NullMarked;
