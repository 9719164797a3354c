package io.orderedexecutor.spring.transaction;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedSubmitter;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedSubmitter;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor.TransactionTask;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RunnableFuture;
import java.util.function.Supplier;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs tasks after the commit of the current transaction, in the order of the commits: if two transactions lock the
 * same row or version before they commit, their tasks of one stripe or group run in the order of the two commits.
 *
 * <p>The place of a task is reserved directly before the commit, and used after it. If the executor has no room, or is
 * shut down, the transaction rolls back, and its caller gets the
 * {@link java.util.concurrent.RejectedExecutionException}. The transaction never waits for room. Tasks that are rolled
 * back, also to a savepoint, do not run. The methods need a transaction that is managed by Spring and bound to the
 * current thread. A task that is added after the commit has begun, by an {@code afterCommit} callback for instance,
 * gets its place at once, and not in the order of commits. If the transaction manager does not announce its commits to
 * an {@link OrderedTransactionsPostProcessor}, no place is reserved: the task is submitted after the commit, behind all
 * queued tasks, and a warning is logged.
 *
 * <pre>{@code
 * @Transactional
 * public void book(Order order) {
 *     orders.save(order);
 *     OrderedTransactions.afterCommit(executor, order.customerId(), () -> mails.confirm(order));
 * }
 * }</pre>
 */
public final class OrderedTransactions {
    private OrderedTransactions() {}

    /**
     * Runs {@code task} after the commit of the current transaction.
     *
     * @param executor runs the task. An executor that discards the oldest queued task is refused: the task of a
     *     committed transaction must not be discarded
     * @param stripe the stripe of the task
     * @param task the task, which runs on a thread of the executor, in no transaction
     * @throws IllegalStateException if there is no transaction, or it rolls back
     * @throws java.util.concurrent.RejectedExecutionException if the commit has begun, so that the place is reserved at
     *     once, and the executor refuses it
     * @throws IllegalArgumentException if the executor discards queued tasks, or if {@code task} is the future of an
     *     earlier submission
     * @throws NullPointerException if an argument is null
     */
    public static void afterCommit(StripedExecutor executor, Object stripe, Runnable task) {
        Objects.requireNonNull(executor, "executor");
        Objects.requireNonNull(stripe, "stripe");
        Objects.requireNonNull(task, "task");
        requireNoFuture(task);
        requireNoDiscard(executor);
        StripedSubmitter submitter = executor.with(Overflow.reject());
        add(new Submission(
                executor.name(), task, () -> submitter.reserve(stripe), () -> LatePlace.of(submitter, stripe)));
    }

    /**
     * Runs {@code task} after the commit of the current transaction.
     *
     * @param executor runs the task. An executor that discards the oldest queued task is refused: the task of a
     *     committed transaction must not be discarded
     * @param groups the groups that the task touches
     * @param task the task, which runs on a thread of the executor, in no transaction
     * @throws IllegalStateException if there is no transaction, or it rolls back
     * @throws java.util.concurrent.RejectedExecutionException if the commit has begun, so that the place is reserved at
     *     once, and the executor refuses it
     * @throws IllegalArgumentException if the executor discards queued tasks, or if {@code task} is the future of an
     *     earlier submission
     * @throws NullPointerException if an argument is null
     */
    public static void afterCommit(GroupedExecutor executor, Groups groups, Runnable task) {
        Objects.requireNonNull(executor, "executor");
        Objects.requireNonNull(groups, "groups");
        Objects.requireNonNull(task, "task");
        requireNoFuture(task);
        requireNoDiscard(executor);
        GroupedSubmitter submitter = executor.with(Overflow.reject());
        add(new Submission(
                executor.name(), task, () -> submitter.reserve(groups), () -> LatePlace.of(submitter, groups)));
    }

    /**
     * Returns whether the current thread has a transaction to which a task can be added.
     *
     * @return false if there is no transaction, or if its synchronization is not active
     */
    public static boolean isActive() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                && TransactionSynchronizationManager.isActualTransactionActive();
    }

    /** Adds a task to the current transaction, behind the tasks that were added before. */
    static void add(TransactionTask task) {
        requireActive(task);
        TransactionTasks.ofCurrent().add(task);
    }

    static void requireActive(TransactionTask task) {
        if (!isActive()) {
            throw new IllegalStateException("There is no transaction on this thread after whose commit " + task
                    + " could run; call it within @Transactional or a TransactionTemplate. Reactive transactions are "
                    + "not bound to a thread, and are not supported.");
        }
    }

    /** The executor would refuse such a future, but after the commit. */
    private static void requireNoFuture(Runnable task) {
        if (task instanceof RunnableFuture && task instanceof CompletableFuture) {
            throw new IllegalArgumentException("The task is the future of an earlier submission, which runs in its own "
                    + "turn; pass the work itself to run it after the commit");
        }
    }

    private static void requireNoDiscard(OrderedExecutor executor) {
        if (executor.inspect().settings().overflow() instanceof Overflow.DiscardOldest) {
            throw new IllegalArgumentException("The executor '" + executor.name()
                    + "' discards its oldest queued task when it is full, which may be that of a committed "
                    + "transaction; use another overflow");
        }
    }

    /** A plain task. */
    private record Submission(
            String executor, Runnable asUnfinished, Supplier<Reservation> places, Supplier<Reservation> latePlaces)
            implements TransactionTask {
        @Override
        public Reservation reserve() {
            return places.get();
        }

        @Override
        public Reservation late() {
            return latePlaces.get();
        }

        @Override
        public void use(Reservation place) {
            place.execute(asUnfinished);
        }

        @Override
        public String toString() {
            return String.valueOf(asUnfinished);
        }
    }
}
