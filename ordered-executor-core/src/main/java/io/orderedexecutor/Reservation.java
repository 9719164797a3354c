package io.orderedexecutor;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A place in a stripe, or in groups, that is taken now and used later: a task that is passed to {@link #execute},
 * {@link #submit} or {@link #submitAsync} runs as if it had been submitted when the place was reserved. Reservations
 * are for work whose place in the order is known before the work itself: a task that runs after a commit, or when an
 * answer arrives.
 *
 * <pre>{@code
 * try (Reservation place = executor.reserve(account)) {
 *     Receipt receipt = bank.book(account, amount); // whatever this decides, the order is decided above
 *     place.execute(() -> send(receipt));
 * } // given back, if the booking threw
 * }</pre>
 *
 * <p>A reservation counts as a queued task: the limits of the executor, its overflow and its shutdown apply when it is
 * made. After a {@code shutdown}, an open reservation can still be used. Until it is used or given back, later tasks of
 * its stripe or groups wait, but no other tasks and no threads do. An overflow that discards queued tasks never
 * discards a reservation. The task of a reservation is retried and parked as any other.
 *
 * <p>It is used once, by {@code execute}, {@code submit} or {@code submitAsync}, or given back by {@link #close}. A
 * reservation that is forgotten holds up the tasks behind it, an {@code awaitIdle} and a {@code shutdown} for ever; let
 * a try-with-resources statement close it, or give the executor a {@linkplain StripedExecutorBuilder#reservationLease
 * lease}.
 *
 * <p>The thread that has made a reservation must not wait for a task behind it: as long as the place is open,
 * {@code get} and {@code join} throw a {@link SelfWaitException} on that thread. This check assumes that the thread
 * uses its reservations itself.
 *
 * <p>All methods may be called from any thread. Memory consistency effects: actions in a thread before it uses a
 * reservation <i>happen-before</i> the task's start; otherwise those of its executor apply.
 *
 * <p>A <i>ticket</i> of a {@link TicketSequencer} or a {@link NumberedSequencer} is a reservation, too. Its task runs
 * on the thread that makes it ready: often the calling thread, before {@code execute} returns. It is never retried or
 * parked, and the handler of the sequencer gets the exceptions of tasks that are passed to {@code execute}. A thread
 * that has a ticket open and waits for a later one gets no {@code SelfWaitException}.
 *
 * <p>Reservations come from {@link StripedExecutor#reserve(Object)}, {@link GroupedExecutor#reserve(Groups)} and the
 * sequencers. Applications should not implement this interface, except in their tests: methods may be added.
 */
public interface Reservation extends AutoCloseable {

    /**
     * Runs {@code task} in this place, on a thread of the executor, or for a ticket on the thread that makes it ready.
     * An exception of the task goes to the uncaught exception handler of its thread, or for a ticket to the handler of
     * the sequencer.
     *
     * @param task the task
     * @throws IllegalStateException if this reservation was used or given back before, or its lease has expired; then
     *     {@code task} does not run
     * @throws RejectedExecutionException if {@code shutdownNow} has given it back, or a {@code shutdown} because it was
     *     behind a parked task, or if the sequencer of this ticket was stopped; then {@code task} does not run
     * @throws IllegalArgumentException if {@code task} is the future of an earlier submission, and not complete; those
     *     of a completion service are accepted. This reservation can still be used
     * @throws NullPointerException if {@code task} is null; then this reservation can still be used
     */
    void execute(Runnable task);

    /**
     * Runs {@code task} in this place, on the same thread as {@link #execute}.
     *
     * @param task the task
     * @param <T> the type of its result
     * @return a future of the result, as that of a submission to the executor
     * @throws IllegalStateException if this reservation was used or given back before, or its lease has expired; then
     *     {@code task} does not run
     * @throws RejectedExecutionException if {@code shutdownNow} has given it back, or a {@code shutdown} because it was
     *     behind a parked task, or if the sequencer of this ticket was stopped; then {@code task} does not run
     * @throws NullPointerException if {@code task} is null; then this reservation can still be used
     */
    <T extends @Nullable Object> CompletableFuture<T> submit(Callable<T> task);

    /**
     * Starts an asynchronous task in this place, on the same thread as {@link #execute}. The stripe or the groups are
     * held until the stage that {@code task} returns is complete.
     *
     * @param task starts the work and returns its stage
     * @param <T> the type of its result
     * @return a future of the result, as that of an asynchronous submission to the executor
     * @throws IllegalStateException if this reservation was used or given back before, or its lease has expired; then
     *     {@code task} does not run
     * @throws RejectedExecutionException if {@code shutdownNow} has given it back, or a {@code shutdown} because it was
     *     behind a parked task, or if the sequencer of this ticket was stopped; then {@code task} does not run
     * @throws NullPointerException if {@code task} is null; then this reservation can still be used
     */
    <T extends @Nullable Object> CompletableFuture<T> submitAsync(Supplier<? extends CompletionStage<T>> task);

    /**
     * Returns whether this reservation is open. Another thread, the end of its lease or a shutdown may change that at
     * any time. When a sequencer is stopped, its tickets stay open until they are closed, or a use of them is rejected.
     *
     * @return true until this reservation is used or given back, in any way
     */
    boolean isOpen();

    /**
     * Gives the place back if it was not used, so that the tasks behind it go on. Otherwise, has no effect. For a
     * ticket whose turn has come, the calling thread runs the outputs that wait behind it, for a
     * {@linkplain TicketSequencerBuilder#turn turn}.
     */
    @Override
    void close();
}
