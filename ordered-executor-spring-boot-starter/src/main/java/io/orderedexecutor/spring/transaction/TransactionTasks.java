package io.orderedexecutor.spring.transaction;

import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor.Settings;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor.TransactionTask;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.PriorityOrdered;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The tasks of one transaction, in the order in which they were added.
 *
 * <pre>
 *   COLLECTING ──▶ RESERVED  its manager is about to commit: each task has its place, also those added from now on
 *   COLLECTING ──▶ REFUSED   a task has found no place, or has lost it before the commit, or the flush has failed,
 *                            or the transaction is rollback-only: the manager rolls back
 *   all ──▶ ENDED            the transaction has ended: places are used, or given back
 * </pre>
 *
 * <p>Used by the thread of the transaction. If the manager completes the transaction on another thread, only that
 * thread uses it from then on.
 */
final class TransactionTasks implements TransactionSynchronization, PriorityOrdered {
    private static final Log logger = LogFactory.getLog(TransactionTasks.class);
    private static final Object KEY = TransactionTasks.class;

    private enum State {
        COLLECTING,
        RESERVED,
        REFUSED,
        ENDED
    }

    private final List<PlacedTask> tasks = new ArrayList<>();

    /** The number of tasks at each savepoint. */
    private final IdentityHashMap<Object, Integer> sizeAt = new IdentityHashMap<>();

    /** Volatile, since the transaction may be completed by another thread than the one that it is bound to. */
    private volatile State state = State.COLLECTING;

    private Settings settings = Settings.UNKNOWN;

    private @Nullable RuntimeException flushFailure;

    private boolean flushesOwn;

    private TransactionTasks() {}

    /** Returns the tasks of the current transaction; null if it has none. */
    static @Nullable TransactionTasks current() {
        TransactionTasks bound = (TransactionTasks) TransactionSynchronizationManager.getResource(KEY);
        // a transaction that another thread has completed is still bound to this thread
        return bound == null || bound.state == State.ENDED ? null : bound;
    }

    /** Returns the tasks of the current transaction, which must be active. */
    static TransactionTasks ofCurrent() {
        TransactionTasks tasks = current();
        if (tasks == null) {
            tasks = new TransactionTasks();
            TransactionSynchronizationManager.registerSynchronization(tasks);
            TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
            TransactionSynchronizationManager.bindResource(KEY, tasks);
        }
        return tasks;
    }

    /** Adds a task, with the settings that apply if the manager does not announce its commits. */
    void add(TransactionTask task, Settings ofTask) {
        if (settings == Settings.UNKNOWN) {
            settings = ofTask;
        }
        add(task);
    }

    void add(TransactionTask task) {
        PlacedTask placed = new PlacedTask(task);
        switch (state) {
            case COLLECTING -> tasks.add(placed);
            case RESERVED -> {
                placed.reserve();
                tasks.add(placed);
            }
            case REFUSED, ENDED ->
                throw new IllegalStateException(
                        "The transaction is being completed, so " + placed + " cannot be added to it any more");
        }
    }

    /**
     * Reserves all places, in order, or throws. Reserving never waits, so two transactions cannot wait for each other.
     * A second call has no effect: several contexts may listen to a manager that they share.
     */
    void reserve(TransactionStatus transaction, Settings settings) {
        if (state != State.COLLECTING) {
            return;
        }
        this.settings = settings;
        if (flushFailure == null && isRollbackOnly(transaction)) {
            // the manager is about to tell the caller; a mark of the status alone comes too late for it, and is ignored
            state = State.REFUSED;
            return;
        }
        try {
            if (flushFailure != null) {
                throw flushFailure;
            }
            if (!transaction.isReadOnly()) {
                // changes that JPA has not written yet hold no locks, so they are written first
                flushOwn(transaction);
            }
        } catch (TransactionException failure) {
            // the manager would take it for one of the commit itself, and neither commit nor roll back
            throw new IllegalStateException(
                    "The flush before the commit has failed, so the transaction rolls back: " + failure.getMessage(),
                    failure);
        } finally {
            state = State.REFUSED;
        }
        if (isRollbackOnly(transaction)) {
            // too late for the manager, which has looked before: it would tell its caller that all is committed, even
            // if the resource rolls back, as JPA does
            throw new IllegalStateException("The flush before the commit has marked the transaction rollback-only, so"
                    + " it rolls back: something that the flush called has failed in this transaction");
        }
        tasks.forEach(PlacedTask::reserveOrRollBack);
        tasks.forEach(PlacedTask::requirePlace);
        state = State.RESERVED;
    }

    private static boolean isRollbackOnly(TransactionStatus transaction) {
        return transaction instanceof DefaultTransactionStatus status && status.isGlobalRollbackOnly();
    }

    /**
     * Flushes the synchronizations of the current transaction while their resources are open. The first exception is
     * kept for {@link #reserve(TransactionStatus, Settings)}, which throws it, since Spring would only log it here.
     */
    void flushSynchronizations(TransactionStatus transaction) {
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            try {
                if (flushFailure == null) {
                    each.flush();
                }
            } catch (RuntimeException failure) {
                // a flush that has begun and failed has marked the transaction
                if (!isOfNoTransaction(failure) || isRollbackOnly(transaction)) {
                    flushFailure = failure;
                }
            }
        }
    }

    /**
     * Returns whether a flush has failed since its entity manager takes no part in the transaction, which then has
     * nothing of it to commit. The exception may be translated. JPA may be missing, so its class is compared by name.
     */
    private static boolean isOfNoTransaction(RuntimeException failure) {
        Throwable ofJpa = failure instanceof DataAccessException ? failure.getCause() : failure;
        return ofJpa != null && ofJpa.getClass().getName().equals("jakarta.persistence.TransactionRequiredException");
    }

    /**
     * Flushes what belongs to the transaction itself, as the entity manager of a {@code JpaTransactionManager} does.
     * What belongs to synchronizations is not flushed: they have closed it, or it takes no part in the transaction.
     */
    private void flushOwn(TransactionStatus status) {
        flushesOwn = true;
        try {
            status.flush();
        } catch (EndOfFlush synchronizationsAreNext) {
            // nothing of the transaction itself is left to flush
        } finally {
            flushesOwn = false;
        }
    }

    /** Called by transactions that flush their synchronizations, this one first, as it has the highest precedence. */
    @Override
    public void flush() {
        if (flushesOwn) {
            throw new EndOfFlush();
        }
    }

    /** Keeps a flush from the other synchronizations. */
    private static final class EndOfFlush extends RuntimeException {
        private static final long serialVersionUID = 1L;

        EndOfFlush() {
            super(null, null, false, false);
        }
    }

    // the end

    @Override
    public void afterCompletion(int status) {
        if (TransactionSynchronizationManager.getResource(KEY) == this) {
            TransactionSynchronizationManager.unbindResource(KEY);
        }
        State last = state;
        state = State.ENDED;
        // some resources roll back what is rollback-only without a word, so that Spring says it has committed
        boolean isUnknown = last == State.REFUSED ? status == STATUS_COMMITTED : status == STATUS_UNKNOWN;
        boolean runs = last != State.REFUSED
                && (status == STATUS_COMMITTED
                        || (isUnknown && last == State.RESERVED && settings.runUnknownOutcome()));
        for (PlacedTask task : tasks) {
            if (isUnknown) {
                logger.error("It is not known whether the transaction has committed, so " + task
                        + (runs
                                ? " runs, as the OrderedTransactionsPostProcessor bean says"
                                : " does not run, unless an OrderedTransactionsPostProcessor bean says so"));
            }
            if (runs) {
                task.use(settings);
            } else {
                task.giveBack();
            }
        }
    }

    // parts of the transaction

    @Override
    public void savepoint(Object savepoint) {
        sizeAt.put(savepoint, tasks.size());
    }

    @Override
    public void savepointRollback(Object savepoint) {
        // a savepoint that was set before the first task was added is not known here
        int size = sizeAt.getOrDefault(savepoint, 0);
        List<PlacedTask> undone = tasks.subList(Math.min(size, tasks.size()), tasks.size());
        undone.forEach(PlacedTask::giveBack);
        undone.clear();
    }

    @Override
    public void suspend() {
        TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
    }

    @Override
    public void resume() {
        TransactionSynchronizationManager.bindResource(KEY, this);
    }

    /**
     * Returns the highest precedence: other callbacks may take long or begin transactions, and reserved places hold up
     * other tasks.
     */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }
}
