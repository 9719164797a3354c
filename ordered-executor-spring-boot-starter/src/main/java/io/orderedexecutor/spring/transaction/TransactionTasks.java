package io.orderedexecutor.spring.transaction;

import io.orderedexecutor.Reservation;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor.Settings;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The tasks of one transaction, in the order in which they were added.
 *
 * <pre>
 *   COLLECTING ──▶ RESERVED  its manager is about to commit: each task has its place
 *   COLLECTING ──▶ REFUSED   a task has found no place, so the manager rolls back
 *   RESERVED ──▶ REFUSED     a place is gone before the commit has begun
 *   all ──▶ ended            the transaction has ended: places are used, or given back
 * </pre>
 *
 * <p>Used by the thread of the transaction; where a manager completes on another one, that thread comes after it.
 */
final class TransactionTasks implements TransactionSynchronization {
    private static final Log logger = LogFactory.getLog(TransactionTasks.class);
    private static final Object KEY = TransactionTasks.class;

    private enum State {
        COLLECTING,
        RESERVED,
        REFUSED
    }

    /** A task and its place, once it has one. */
    private static final class Entry {
        final TransactionTask task;

        @Nullable
        Reservation place;

        Entry(TransactionTask task) {
            this.task = task;
        }
    }

    private final List<Entry> entries = new ArrayList<>();

    /** How many tasks there were at each savepoint. */
    private final IdentityHashMap<Object, Integer> sizeAt = new IdentityHashMap<>();

    private State state = State.COLLECTING;
    private Settings settings = Settings.DEFAULT;

    private TransactionTasks() {}

    /** Those of the current transaction; null if it has none. */
    static @Nullable TransactionTasks current() {
        return (TransactionTasks) TransactionSynchronizationManager.getResource(KEY);
    }

    /** Those of the current transaction, which must be active. */
    static TransactionTasks ofCurrent() {
        TransactionTasks tasks = current();
        if (tasks == null) {
            tasks = new TransactionTasks();
            TransactionSynchronizationManager.registerSynchronization(tasks);
            TransactionSynchronizationManager.bindResource(KEY, tasks);
        }
        return tasks;
    }

    void add(TransactionTask task) {
        if (state != State.COLLECTING) {
            throw new IllegalStateException(
                    "The transaction is being completed, so " + task + " cannot be added to it any more");
        }
        entries.add(new Entry(task));
    }

    /**
     * Reserves all places, in order, or throws. Reserving never waits, so two transactions cannot wait for each other.
     */
    void reserve(TransactionExecution transaction, Settings settings) {
        this.settings = settings;
        if (transaction instanceof TransactionStatus status && !transaction.isReadOnly()) {
            // what JPA has not written yet has no lock yet
            status.flush();
        }
        state = State.REFUSED;
        for (Entry entry : entries) {
            entry.place = entry.task.reserve();
        }
        for (Entry entry : entries) {
            if (entry.place != null && !entry.place.isOpen()) {
                throw new RejectedExecutionException("The place of " + entry.task + " in executor '"
                        + entry.task.executor() + "' was gone before the transaction could commit");
            }
        }
        state = State.RESERVED;
    }

    // the end

    @Override
    public void afterCompletion(int status) {
        TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
        boolean runs = status == STATUS_COMMITTED
                || (status == STATUS_UNKNOWN && state == State.RESERVED && settings.runUnknownOutcome());
        for (Entry entry : entries) {
            if (status == STATUS_UNKNOWN && state != State.REFUSED) {
                logger.error("It is not known whether the transaction has committed, so " + entry.task
                        + (runs
                                ? " runs, as ordered-executor.transactions.unknown-outcome says"
                                : " does not run; see ordered-executor.transactions.unknown-outcome"));
            }
            if (runs) {
                run(entry);
            } else if (entry.place != null) {
                entry.place.close();
            }
        }
    }

    private void run(Entry entry) {
        TransactionTask task = entry.task;
        Reservation place = entry.place;
        try {
            if (place == null) {
                logger.warn("No place was reserved before the commit for " + task + ", so it runs behind all that is "
                        + "queued: its transaction manager does not tell before it commits, or the commit had begun");
                task.use(task.reserve());
            } else if (place.isOpen()) {
                task.use(place);
            } else {
                useAfterEnd(task, place);
            }
        } catch (RejectedExecutionException refused) {
            logger.error(
                    "The transaction has committed, but executor '" + task.executor() + "' did not accept " + task
                            + ", which is handed to the UnfinishedTasksHandler beans",
                    refused);
            settings.unfinished().accept(task.executor(), List.of(task.asUnfinished()));
        } catch (RuntimeException | Error failure) {
            logger.error("The transaction has committed, but " + task + " could not be submitted", failure);
        } finally {
            if (place != null) {
                place.close();
            }
        }
    }

    /** Its lease is over, or a shutdown has given it back, which refuses another one too. */
    private void useAfterEnd(TransactionTask task, Reservation place) {
        Reservation late = task.reserve();
        settings.late().run();
        logger.warn("The lease of " + place + " was over before the transaction had committed, so " + task
                + " runs late, behind all that is queued; see ordered-executor.*.reservation-lease");
        task.use(late);
    }

    // parts of the transaction

    @Override
    public void savepoint(Object savepoint) {
        sizeAt.put(savepoint, entries.size());
    }

    @Override
    public void savepointRollback(Object savepoint) {
        // one that was set before the first task was added is not known here
        int size = sizeAt.getOrDefault(savepoint, 0);
        entries.subList(Math.min(size, entries.size()), entries.size()).clear();
    }

    @Override
    public void suspend() {
        TransactionSynchronizationManager.unbindResource(KEY);
    }

    @Override
    public void resume() {
        TransactionSynchronizationManager.bindResource(KEY, this);
    }

    /** First of all: other callbacks may take long, and places hold others up. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}
