package io.orderedexecutor.spring.transaction;

import io.orderedexecutor.GroupedSubmitter;
import io.orderedexecutor.Groups;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedSubmitter;
import java.util.concurrent.RejectedExecutionException;

/**
 * A task that runs if the transaction commits in which it is {@linkplain OrderedTransactions#add added}. Its
 * {@code toString()} names it in logs.
 */
public interface TransactionTask {

    /**
     * Takes its place in the order. Called directly before the commit, with all locks of the transaction held.
     *
     * @return the place
     * @throws RejectedExecutionException if there is no room, or the executor is shut down; the transaction then rolls
     *     back. It does not wait for room
     */
    Reservation reserve();

    /**
     * Returns what submits the task when it is used, behind all that is queued then, without waiting for room. Called
     * after the commit, if nothing was reserved before it, or the lease of the place is over.
     *
     * @return what stands for the place, as {@link #late(StripedSubmitter, Object)} makes it
     */
    Reservation late();

    /**
     * Creates what stands for the place of a task that belongs to a stripe. Nothing is reserved: its use submits the
     * task, behind all that is queued then, and throws what the submission throws.
     *
     * @param submitter submits the task
     * @param stripe what the task belongs to
     * @return what stands for its place
     * @throws NullPointerException if an argument is null
     */
    static Reservation late(StripedSubmitter submitter, Object stripe) {
        return LatePlace.of(submitter, stripe);
    }

    /**
     * Creates what stands for the place of a task that touches groups, as {@link #late(StripedSubmitter, Object)} does.
     *
     * @param submitter submits the task
     * @param groups what the task touches
     * @return what stands for its place
     * @throws NullPointerException if an argument is null
     */
    static Reservation late(GroupedSubmitter submitter, Groups groups) {
        return LatePlace.of(submitter, groups);
    }

    /**
     * Submits the task to its place. Called after the commit, on the thread that has committed.
     *
     * @param place what {@link #reserve()} has returned before the commit, or what {@link #late()} returns if that is
     *     gone
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
     * @return what runs it
     */
    Runnable asUnfinished();
}
