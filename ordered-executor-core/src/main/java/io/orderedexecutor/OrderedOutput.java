package io.orderedexecutor;

import io.orderedexecutor.engine.admit.OutputEngine;
import io.orderedexecutor.engine.run.Output;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.stats.OutputSnapshot;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A stream of results that are computed in parallel and written in the order in which the work was submitted. It has no
 * thread of its own, and no thread waits for a turn: the thread that finishes the work of the next piece writes that
 * piece, and the following pieces that are already finished; when the stage of an asynchronous piece is complete, a
 * thread of the executor does. Any number of outputs can be open; each is a few objects.
 *
 * <pre>{@code
 * try (OrderedOutput<byte[]> frames = executor.open(video::append)) {
 *     for (Picture picture : pictures) {
 *         frames.submit(() -> encode(picture)); // in parallel, written in order
 *     }
 * } // waits until all are written
 * }</pre>
 *
 * <h2>Guarantees</h2>
 *
 * <ul>
 *   <li><b>Order.</b> If one submission happens-before another, its result is written first. Outputs run one at a time,
 *       on threads of the executor, each once for a piece that succeeds.
 *   <li><b>Bounds.</b> At most {@linkplain OrderedOutputBuilder#window window} pieces are accepted and not written. If
 *       the window is full, a submission waits for room, first come, first served, unless the
 *       {@linkplain OrderedOutputExecutorBuilder#overflow overflow} of the executor says otherwise. A submission from a
 *       task or an output of the executor is rejected instead: it might wait for room that only its own end can make.
 *   <li><b>Failures.</b> See {@link OutputFailure}. A piece that is cancelled through its future, before its output
 *       begins, is left out. If its work has begun, the pieces behind it wait until the work has returned, but not for
 *       its stage; {@code cancel(true)} interrupts the work.
 *   <li><b>Fairness.</b> A thread that writes the pieces of other threads does so for a bounded
 *       {@linkplain OrderedOutputExecutorBuilder#turn turn}, and then another thread of the executor goes on.
 * </ul>
 *
 * <h2>Memory consistency effects</h2>
 *
 * <p>Actions in a thread before it submits a piece <i>happen-before</i> its work; the work of a piece
 * <i>happens-before</i> its output; the output <i>happens-before</i> the next output, before the future of the piece is
 * done, and before a return from {@link #close()}.
 *
 * <p>All methods may be called from any thread, from work and outputs too.
 *
 * @param <T> the type of the results
 */
public final class OrderedOutput<T extends @Nullable Object> implements AutoCloseable {
    private final OutputEngine engine;
    private final Output<T> output;

    OrderedOutput(OutputEngine engine, Output.Settings<T> settings) {
        this.engine = engine;
        this.output = engine.open(this, settings);
    }

    /**
     * Returns the name, which messages and snapshots use.
     *
     * @return the name, never empty
     */
    public String name() {
        return output.name();
    }

    // Submission

    /**
     * Runs {@code work} on a thread of the executor, and writes its result after those of all pieces that were
     * submitted before.
     *
     * @param work makes the result
     * @return a future that is done when the result is written, and before the next output begins. Cancelling it leaves
     *     the piece out, unless its output has begun: then {@code cancel} returns true and the future is cancelled, but
     *     the result is written. Dependent actions may run beside the next output
     * @throws RejectedExecutionException if this output is closed or stopped, the executor is shut down, there is no
     *     room, or the thread is interrupted while it waits for room
     * @throws RuntimeException the exception of the underlying executor if it rejects the work, or of the thread
     *     factory if the executor has no thread and none can be started
     * @throws NullPointerException if {@code work} is null
     */
    public CompletableFuture<T> submit(Callable<T> work) {
        return submit(Objects.requireNonNull(work, "work"), null);
    }

    /** Like {@link #submit}, but with an overflow policy; null for that of the executor. */
    CompletableFuture<T> submit(Callable<T> work, @Nullable Overflow overflow) {
        TaskFuture.Piece<T> piece = new TaskFuture.Piece<>(work);
        engine.submit(output, piece, overflow);
        return piece;
    }

    /**
     * Starts {@code work} on a thread of the executor. When the returned stage is complete, its result is written after
     * those of all pieces that were submitted before.
     *
     * @param work starts the work, and returns a stage of its result
     * @return as {@link #submit}
     * @throws RejectedExecutionException if this output is closed or stopped, the executor is shut down, there is no
     *     room, or the thread is interrupted while it waits for room
     * @throws RuntimeException the exception of the underlying executor if it rejects the work, or of the thread
     *     factory if the executor has no thread and none can be started
     * @throws NullPointerException if {@code work} is null
     */
    public CompletableFuture<T> submitAsync(Supplier<? extends CompletionStage<T>> work) {
        TaskFuture.Piece<T> piece = new TaskFuture.Piece<>(Objects.requireNonNull(work, "work"));
        engine.submit(output, piece, null);
        return piece;
    }

    // The end

    /**
     * Returns a future that is done when all pieces that were submitted so far are written. Does not wait. Do not wait
     * for the future inside work or an output of this output.
     *
     * @return a future that is done when each of these pieces is written, has failed, or is cancelled
     */
    public CompletableFuture<@Nullable Void> flush() {
        // a copy, so that a caller that completes or cancels it does not affect others
        return output.flush().copy();
    }

    /**
     * Waits until all pieces that were submitted so far are over.
     *
     * @throws RejectedExecutionException if an Error has broken the executor
     */
    void awaitFlush() throws InterruptedException {
        output.awaitSoundEnd(output.flush());
    }

    /**
     * Accepts no more pieces, and waits until all accepted ones are written, left out or cancelled. Does not throw if a
     * piece has failed: {@link #failure()} returns the failure. If the waiting thread is interrupted, this output is
     * {@linkplain #stop() stopped}, the wait goes on, and the interrupt status is set again before the method returns.
     *
     * <p>This method does not wait in work or an output of this output, nor in a dependent action on a thread that is
     * ending one of its pieces. If the calling thread itself has completed or cancelled the future of a piece, and is
     * in a dependent action of that future, this method waits for all other pieces, and for the work of this one. A
     * further call only waits.
     */
    @Override
    public void close() {
        CompletableFuture<@Nullable Void> end = output.end();
        if (output.isHeldUpHere()) {
            return;
        }
        boolean interrupted = false;
        for (boolean ended = false; !ended; ) {
            try {
                output.awaitEnd(end);
                ended = true;
            } catch (InterruptedException interrupt) {
                interrupted = true;
                stop();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Accepts no more pieces, cancels all whose output has not ended, and interrupts their work if it has begun. An
     * output that has begun continues to its end, although the future of its piece is cancelled. Does not wait.
     */
    public void stop() {
        output.stop();
    }

    /**
     * Returns whether more pieces are rejected.
     *
     * @return true after the first call of {@link #close()} or {@link #stop()}, or after a failure that stops this
     *     output
     */
    public boolean isClosed() {
        return output.isClosed();
    }

    /**
     * Returns the failure of the first piece that this output lacks. A failure of work is returned only after the turn
     * of its piece has come. After {@link #close()}, an output without a failure is complete, unless the application
     * has completed the future of a piece ({@code cancel}, {@code orTimeout}), or has stopped the output or its
     * executor.
     *
     * @return the first failure of work or of an output, in the order of the pieces; empty if no piece has failed so
     *     far, or if each failed piece was {@linkplain OutputFailure#replace replaced}
     */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(output.failure());
    }

    // Observation

    /**
     * Returns a snapshot of this output.
     *
     * @return the state at this moment
     */
    public OutputSnapshot snapshot() {
        return output.snapshot();
    }

    /** Returns the names of this output and of its executor. */
    @Override
    public String toString() {
        return name() + " of " + engine.service().name();
    }
}
