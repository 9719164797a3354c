package io.orderedexecutor.spring.transaction;

import io.orderedexecutor.GroupedSubmitter;
import io.orderedexecutor.Groups;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedSubmitter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * Registers a listener with all transaction managers. The listener is called directly before each commit, so that the
 * tasks of a transaction get their places while its locks are held.
 *
 * <p>In Spring Boot applications, this post-processor is auto-configured. Elsewhere, declare it as a {@code static}
 * bean method.
 */
public final class OrderedTransactionsPostProcessor implements BeanPostProcessor {
    /** The number of tasks that have run late, by the name of the executor. */
    private final Map<String, LongAdder> late = new ConcurrentHashMap<>();

    private final PlacesBeforeCommit listener;

    /**
     * The treatment of tasks whose transaction has not ended normally.
     *
     * @param runUnknownOutcome whether tasks run if it is not known whether the transaction has committed
     * @param unfinished gets the name of an executor, and tasks of committed transactions that it did not accept
     * @param late gets the name of an executor for each task that has lost its place before its transaction had
     *     committed
     */
    record Settings(boolean runUnknownOutcome, BiConsumer<String, List<Runnable>> unfinished, Consumer<String> late) {
        /** Settings for a transaction whose manager does not announce the commit, or whose commit has begun already. */
        static final Settings UNKNOWN = new Settings(
                false,
                (executor, tasks) -> {
                    throw new IllegalStateException("No UnfinishedTasksHandler is known, since no"
                            + " OrderedTransactionsPostProcessor was notified of the transaction before the task was"
                            + " added");
                },
                executor -> {});
    }

    /**
     * Creates a post-processor.
     *
     * @param runUnknownOutcome whether tasks run if it is not known whether the transaction has committed
     * @param unfinished gets the name of an executor, and tasks of committed transactions that it did not accept
     */
    public OrderedTransactionsPostProcessor(boolean runUnknownOutcome, BiConsumer<String, List<Runnable>> unfinished) {
        this.listener = new PlacesBeforeCommit(new Settings(runUnknownOutcome, unfinished, this::countLate));
    }

    private void countLate(String executor) {
        late.computeIfAbsent(executor, name -> new LongAdder()).increment();
    }

    /**
     * Returns how many tasks of an executor have run late because the lease of their place ended before the commit of
     * the transaction.
     *
     * @param executor its name
     * @return the number of late tasks
     */
    public long late(String executor) {
        LongAdder count = late.get(executor);
        return count == null ? 0 : count.sum();
    }

    /**
     * Adds a task to the current transaction, behind the tasks that were added before. The handlers of unfinished tasks
     * are called even if the commit has begun already, or the transaction manager does not announce its commits.
     *
     * @param task the task
     * @throws IllegalStateException if there is no transaction, or it rolls back
     * @throws RejectedExecutionException if the commit has begun, so that the place is reserved at once, and the
     *     executor refuses it
     */
    public void add(TransactionTask task) {
        OrderedTransactions.requireActive(task);
        TransactionTasks.ofCurrent().add(task, listener.settings);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof ConfigurableTransactionManager manager
                && !manager.getTransactionExecutionListeners().contains(listener)) {
            manager.addListener(listener);
        }
        return bean;
    }

    /**
     * A task that runs if the transaction commits in which it is {@linkplain #add added}. Its {@code toString()} names
     * it in logs.
     */
    public interface TransactionTask {

        /**
         * Reserves the place of the task in the order, without waiting for room. Called directly before the commit,
         * with all locks of the transaction held.
         *
         * @return the place
         * @throws RejectedExecutionException if there is no room, or the executor is shut down; the transaction then
         *     rolls back
         */
        Reservation reserve();

        /**
         * Returns a late place: its use submits the task behind all tasks that are queued at this time, without waiting
         * for room. Called after the commit if no place was reserved before, or if the lease of the reserved place has
         * ended.
         *
         * @return the late place, as {@link #late(StripedSubmitter, Object)} creates it
         */
        Reservation late();

        /**
         * Creates a late place for a task that belongs to a stripe. Nothing is reserved: the use of the place submits
         * the task behind all tasks that are queued at this time, and throws the exceptions of the submission.
         *
         * @param submitter submits the task
         * @param stripe the stripe of the task
         * @return the late place
         * @throws NullPointerException if an argument is null
         */
        static Reservation late(StripedSubmitter submitter, Object stripe) {
            return LatePlace.of(submitter, stripe);
        }

        /**
         * Creates a late place for a task that touches groups, as {@link #late(StripedSubmitter, Object)} does.
         *
         * @param submitter submits the task
         * @param groups the groups that the task touches
         * @return the late place
         * @throws NullPointerException if an argument is null
         */
        static Reservation late(GroupedSubmitter submitter, Groups groups) {
            return LatePlace.of(submitter, groups);
        }

        /**
         * Submits the task to its place. Called after the commit, on the thread that has completed the transaction.
         *
         * @param place the place that {@link #reserve()} has returned before the commit, or that {@link #late()}
         *     returns if the reserved one is lost
         */
        void use(Reservation place);

        /**
         * Returns the name of the executor.
         *
         * @return its name, for logs and handlers
         */
        String executor();

        /**
         * Returns the task as handlers of unfinished tasks get it, if the executor does not accept it after the commit.
         *
         * @return the runnable that runs the task
         */
        Runnable asUnfinished();
    }

    /**
     * Reserves places before commits. Called for all transactions, including reactive ones, and those that only take
     * part in another one or have a savepoint.
     */
    private record PlacesBeforeCommit(Settings settings) implements TransactionExecutionListener {
        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            if (failure == null) {
                JtaFlush.register(transaction);
            }
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            // a reactive transaction that commits on this thread is not the one that is bound to it
            if (transaction instanceof TransactionStatus status && isOutermost(status)) {
                TransactionTasks tasks = TransactionTasks.current();
                if (tasks != null) {
                    tasks.reserve(status, settings);
                }
            }
        }

        /** A nested transaction of JTA is new, too, but shares the synchronizations of the one that contains it. */
        private static boolean isOutermost(TransactionStatus transaction) {
            return transaction.isNewTransaction()
                    && !(transaction instanceof DefaultTransactionStatus status && !status.isNewSynchronization());
        }
    }
}
