/**
 * Executors that run tasks in order for one client and in parallel for all others.
 *
 * <p>One idea carries the package: <em>a task is linked behind the last earlier task that it conflicts with, and is
 * handed to a thread when that one has finished.</em> Nobody waits; a finished task starts its successor. It has three
 * shapes: tasks that conflict as a whole by a key or by several, and those of which only the output does.
 *
 * <h2>The map</h2>
 *
 * <p>What an application uses:
 *
 * <ul>
 *   <li>{@link io.orderedexecutor.StripedExecutor}: the tasks of one <em>stripe</em> (a key) run one after another, in
 *       order of submission. Its views are a plain {@link java.util.concurrent.Executor} for one stripe, and an
 *       {@link java.util.concurrent.ExecutorService} for {@link io.orderedexecutor.StripedObject}s
 *       ({@link io.orderedexecutor.StripedRunnable}, {@link io.orderedexecutor.StripedCallable}).
 *   <li>{@link io.orderedexecutor.GroupedExecutor}: tasks that have {@link io.orderedexecutor.Groups} in common run one
 *       after another, in order of submission; a group may be within others, by a {@link io.orderedexecutor.GroupPath}.
 *       {@link io.orderedexecutor.OrderedTask}s say themselves what they are compatible with.
 *   <li>{@link io.orderedexecutor.OrderedOutputExecutor}: pieces of an {@link io.orderedexecutor.OrderedOutput} are
 *       worked on in parallel and written one after another, in order of submission.
 *       {@link io.orderedexecutor.OrderedOutputBuilder}: settings of one output;
 *       {@link io.orderedexecutor.OutputFailure}: what becomes of it when a piece fails.
 *   <li>{@link io.orderedexecutor.TicketSequencer}: the same for an application's own threads, by
 *       {@link io.orderedexecutor.Ticket}s; {@link io.orderedexecutor.TicketSequencerBuilder}: its settings.
 *   <li>{@link io.orderedexecutor.SerialExecutor}: one sequence of tasks on any executor.
 *   <li>{@link io.orderedexecutor.StripedExecutorBuilder}, {@link io.orderedexecutor.GroupedExecutorBuilder},
 *       {@link io.orderedexecutor.OrderedOutputExecutorBuilder}: settings, most of which they share, as
 *       {@link io.orderedexecutor.OrderedExecutorBuilder}.
 *   <li>{@link io.orderedexecutor.Overflow}: what becomes of a submission for which there is no room.
 *   <li>{@link io.orderedexecutor.FailurePolicy}: what becomes of a stripe when a task fails.
 *   <li>{@link io.orderedexecutor.TaskListener}: hears what becomes of each task.
 *   <li>{@link io.orderedexecutor.OrderedExecutor}: what all executors with a lifecycle share: name, figures, shutdown.
 *   <li>{@link io.orderedexecutor.SelfWaitException}: what a task gets instead of a hang when it waits for itself.
 *   <li>Package {@link io.orderedexecutor.stats}: what can be seen of a running executor.
 * </ul>
 */
@NullMarked
package io.orderedexecutor;

import org.jspecify.annotations.NullMarked;

/*
 * How it is built, from the bottom up:
 * - Link: one task and the link behind it. Whoever takes the task out, sees to its end; this is what makes every task
 *   end exactly once.
 * - LinkQueue: links in order of submission. All ordering happens here.
 * - Strand: the right to run one task at a time, from the task that found nothing to wait for to the one behind which
 *   there is nothing more. It is a queue, and says who has the right or what it waits for. All exclusion happens here.
 * - Serving: a thread's way through the tasks of a strand. StrandControl: what an executor does with a strand from
 *   outside. Host: what strands run on and report to.
 * - TaskLife: what follows each attempt of a task, from its start to its end. Attempts: what a strand remembers of a
 *   task that has failed. TaskReporter: tells the listeners, and counts. NestedCompletions: futures that complete each
 *   other.
 * - WorkFuture: a future and its work. TaskFuture: one that waits in a strand; StageFuture: one that is asynchronous;
 *   OutputFuture: one whose output follows. Wait: a thread that waits for one.
 * - Stripe: the strand of one key. StripeTable: the stripes that have a strand now, found by key.
 * - GroupedTask: a strand that waits for others, mostly of one task. Group: where tasks that conflict have their
 *   Places, in Lanes. GroupTable: the groups that have tasks now.
 *   Comparisons: waiting for tasks that are not compatible. Succession: how a thread goes on with what it has made
 *   ready.
 * - TicketQueue: tickets in the order in which they were issued. TicketServer: the right to run their outputs.
 *   TicketWaiters, NumberedTickets: those who want a ticket when there is no room, with and without numbers from
 *   outside; Leases: those who have one and do not use it. Sequencer: where these parts meet.
 * - OutputTask: a strand of one task, that may wait for a slot, and holds its ticket. OutputAttempt: what its work has
 *   given, until its turn. OutputSequence: the tasks of an output and their order. ResultWriter: results, failures and
 *   the consumer. ConcurrencyLimit: how many tasks run at once. OutputTable: the tasks that have not ended.
 *   OutputBridge, ReadAhead: between a source and its consumer.
 * - StripeBins, Bins: the hash table that a segment of stripes is, and that a segment of groups is. SegmentedTable:
 *   what all tables share.
 * - Engine: where the parts of an executor meet; StripedEngine, GroupedEngine, OutputEngine.
 * - Bounds: how much may be queued. Lifecycle: from running to terminated.
 * - Workers: where a Runnable finds a thread: WorkerPool, an executor's own threads, or BorrowedWorkers, an executor
 *   that the application handed in. ReadyQueue: what waits for one of our own.
 */
