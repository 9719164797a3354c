package io.orderedexecutor.spring.transaction;

import io.orderedexecutor.Reservation;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor.Settings;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor.TransactionTask;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A task of a transaction, with its place as soon as it has one. Like its transaction, it is used by one thread at a
 * time.
 */
final class PlacedTask {
    private static final Log logger = LogFactory.getLog(PlacedTask.class);

    private final TransactionTask task;

    private @Nullable Reservation place;

    PlacedTask(TransactionTask task) {
        this.task = task;
    }

    void reserve() {
        place = task.reserve();
    }

    /**
     * Reserves the place. If the executor refuses it, throws an exception with a message for a caller that knows
     * nothing of executors.
     */
    void reserveOrRollBack() {
        try {
            reserve();
        } catch (RejectedExecutionException refused) {
            throw new RejectedExecutionException(
                    refused.getMessage() + "; the transaction rolls back, as its " + this + " could not run", refused);
        }
    }

    /** Throws an exception if the reserved place is gone. */
    void requirePlace() {
        if (place != null && !place.isOpen()) {
            throw new RejectedExecutionException("The place of " + this + " in executor '" + task.executor()
                    + "' was gone before the transaction could commit");
        }
    }

    void giveBack() {
        if (place != null) {
            place.close();
        }
    }

    /**
     * Submits the task after the commit of its transaction. Throws nothing, since other tasks have to be submitted
     * after this one. If the executor does not accept the task, for whatever reason, the task goes to the handlers.
     */
    void use(Settings settings) {
        // if the lease has expired, no new place is reserved: the lease of the new place might end, too
        CommittedPlace committed = new CommittedPlace(place, task::late);
        try {
            task.use(committed);
        } catch (Throwable failure) {
            String executor = "executor '" + task.executor() + "'";
            if (committed.isAccepted()) {
                logger.error(
                        "The transaction has committed, and " + executor + " has accepted " + this
                                + ", but its submission failed after that",
                        failure);
            } else {
                logger.error(
                        "The transaction has committed, but " + executor + " did not accept " + this
                                + ", which is handed to the UnfinishedTasksHandler beans",
                        failure);
                handOver(settings);
            }
        } finally {
            giveBack();
        }
        if (committed.isAcceptedLate()) {
            reportLate(settings);
        }
    }

    private void reportLate(Settings settings) {
        if (place == null) {
            logger.warn("No place was reserved before the commit for " + this + ", so this task runs behind all queued "
                    + "tasks: the transaction manager does not announce its commits, or the commit had begun");
        } else {
            settings.late().accept(task.executor());
            logger.warn("The lease of " + place + " was over before the transaction had committed, so " + this
                    + " runs late, behind all queued tasks; see reservationLease of its builder");
        }
    }

    private void handOver(Settings settings) {
        try {
            settings.unfinished().accept(task.executor(), List.of(task.asUnfinished()));
        } catch (Throwable failure) {
            logger.error(this + " could not be handed to the UnfinishedTasksHandler beans", failure);
        }
    }

    /** Returns the task as text, even if {@code toString()} of an object of the application throws. */
    @Override
    public String toString() {
        try {
            return task.toString();
        } catch (RuntimeException | StackOverflowError failure) {
            return "a task of " + task.getClass().getName() + ", whose toString() threw " + failure.getClass();
        }
    }
}
