package io.orderedexecutor;

import io.orderedexecutor.engine.admit.OutputEngine;
import io.orderedexecutor.engine.run.Output;
import io.orderedexecutor.stats.OutputSnapshot;
import java.time.Duration;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Works in parallel and writes in order: threads for any number of {@link OrderedOutput}s, each a stream whose results
 * are written in the order in which their work was submitted.
 *
 * <pre>{@code
 * try (OrderedOutputExecutor executor = OrderedOutputExecutor.builder().name("encoder").threads(4).build();
 *         OrderedOutput<byte[]> frames = executor.open(video::append)) {
 *     frames.submit(() -> encode(picture1));
 *     frames.submit(() -> encode(picture2)); // concurrently with the first, and written after it
 * }
 * }</pre>
 *
 * <p>A <em>piece</em> of work is a task like those of the other executors: it is accepted within bounds, counted,
 * reported to listeners, cancelled by its future, and taken back by {@link #shutdownNow()}. It is active from the start
 * of its work until its output has run; then it has ended. {@link ExecutorControl#pause()} keeps pieces from being
 * started, but finished pieces are still written.
 *
 * <p>{@link OrderedOutput} describes order, bounds, failures and memory consistency effects. A piece that waits for the
 * future of a later one of the same output, in its work or in its output, would wait for itself, and gets a
 * {@link SelfWaitException}.
 *
 * <p>All methods may be called from any thread, from work and outputs too.
 */
public final class OrderedOutputExecutor implements OrderedExecutor {
    private final OutputEngine engine;

    OrderedOutputExecutor(OutputEngine engine) {
        this.engine = engine;
    }

    @Override
    public String name() {
        return engine.service().name();
    }

    /** Returns the name and the statistics as readable text. */
    @Override
    public String toString() {
        return name() + " " + inspect().stats()
                + (isTerminated() ? " terminated" : isShutdown() ? " shut down" : " running");
    }

    /** The engine behind this executor; tests use it. */
    OutputEngine engine() {
        return engine;
    }

    /**
     * Returns a builder, with a thread for each processor, a window of 256 pieces for each output, and a default name.
     *
     * @return a new builder
     */
    public static OrderedOutputExecutorBuilder builder() {
        return new OrderedOutputExecutorBuilder();
    }

    // Outputs

    /**
     * Opens an output with the settings of this executor. It leaves out pieces that fail and goes on, see
     * {@link OutputFailure#fail()}.
     *
     * @param output called with one result after the other, on threads of this executor
     * @param <T> the type of the results
     * @return a new output, to be closed
     * @throws RejectedExecutionException if this executor is shut down
     * @throws NullPointerException if {@code output} is null
     */
    public <T extends @Nullable Object> OrderedOutput<T> open(Consumer<? super T> output) {
        return this.<T>outputTo(output).open();
    }

    /**
     * Returns a builder for an output with its own settings.
     *
     * @param output called with one result after the other, on threads of this executor
     * @param <T> the type of the results
     * @return a builder, with the settings of this executor
     * @throws NullPointerException if {@code output} is null
     */
    public <T extends @Nullable Object> OrderedOutputBuilder<T> outputTo(Consumer<? super T> output) {
        return new OrderedOutputBuilder<>(engine, output);
    }

    // Bridges

    /**
     * Works on the inputs in parallel, and writes the results in their order. The calling thread reads the inputs, and
     * waits whenever the window is full, whatever the overflow policy of this executor; so the source may be endless.
     * The first failure ends the call. If the source fails, the results of all inputs read before are written first; if
     * {@code work} or {@code output} fails, the pieces behind it are cancelled.
     *
     * @param inputs the inputs
     * @param work makes a result of an input, on threads of this executor, many at a time
     * @param output called with one result after the other, on threads of this executor
     * @param <I> the type of the inputs
     * @param <T> the type of the results
     * @throws InterruptedException if the calling thread is interrupted; pieces that are not written are then
     *     cancelled, and running work is interrupted
     * @throws RuntimeException the exception of the source, {@code work} or {@code output}; an {@link Error} is thrown
     *     in the same way
     * @throws RejectedExecutionException if this executor is shut down before the end
     * @throws java.util.concurrent.CancellationException if {@link #shutdownNow()} has cancelled the last pieces
     * @throws SelfWaitException if a task of this executor calls this method: its pieces may need the thread of that
     *     task
     * @throws NullPointerException if an argument is null
     */
    public <I extends @Nullable Object, T extends @Nullable Object> void forEach(
            Iterator<? extends I> inputs, Function<? super I, ? extends T> work, Consumer<? super T> output)
            throws InterruptedException {
        Objects.requireNonNull(inputs, "inputs");
        Objects.requireNonNull(work, "work");
        Objects.requireNonNull(output, "output");
        engine.requireOutsideTasks("call forEach");
        new OutputBridge<I, T>(
                        written -> this.<T>outputTo(written)
                                .onFailure(OutputFailure.close())
                                .open(),
                        output)
                .run(inputs, work);
    }

    /**
     * Works on the elements of a stream in parallel, and returns the results in the same order, as a stream. Nothing is
     * read before the first result is requested. Then the consuming thread reads inputs, as far as the window allows,
     * until the next result is available. It waits for that result only if it may read no more. An available result is
     * returned before more inputs are read.
     *
     * <p>So more inputs may be read than results are used: {@code map(inputs, work).limit(3)} may read a whole window
     * of inputs and begin their work. Limit the inputs, not the results: {@code map(inputs.limit(3), work)}. A source
     * must not wait for its consumer, because the consuming thread also reads. For such a source, use {@link #forEach},
     * whose results are not written by the reading thread.
     *
     * <p>An exception of {@code work} is thrown to the consumer in place of the result, and ends the work on later
     * inputs. An exception of the source is thrown after the results of all earlier inputs, and so is a
     * {@link RejectedExecutionException} if this executor is shut down meanwhile. After {@link #shutdownNow()}, the
     * consumer gets a {@link java.util.concurrent.CancellationException} or what the interrupted work throws; or, if
     * nothing was read ahead, a {@link RejectedExecutionException}.
     *
     * <p>An interrupt does not end the wait for a result; the consuming thread stays interrupted. But if this executor
     * has a capacity, an interrupt ends the wait for room: after the results of all earlier inputs, the stream throws a
     * {@link RejectedExecutionException}. {@link #forEach} can be interrupted. A task of this executor that consumes
     * the stream gets a {@link SelfWaitException}: the work may need the thread of that task.
     *
     * @param inputs the inputs; sequential, and read by the consuming thread
     * @param work makes a result of an input, on threads of this executor, many at a time
     * @param <I> the type of the inputs
     * @param <T> the type of the results
     * @return a sequential stream; closing it cancels the pieces that are not done, and closes {@code inputs}
     * @throws RejectedExecutionException if this executor is shut down
     * @throws NullPointerException if an argument is null
     */
    public <I extends @Nullable Object, T extends @Nullable Object> Stream<T> map(
            Stream<? extends I> inputs, Function<? super I, ? extends T> work) {
        Objects.requireNonNull(inputs, "inputs");
        Objects.requireNonNull(work, "work");
        ReadAhead<I, T> results = new ReadAhead<>(
                this.<T>open(result -> {}), () -> engine.requireOutsideTasks("read the stream of map"), inputs, work);
        return StreamSupport.stream(results, false).onClose(results::close).onClose(inputs::close);
    }

    // Views

    @Override
    public ExecutorControl control() {
        return new ExecutorControl(engine);
    }

    @Override
    public ExecutorInspection inspect() {
        return new ExecutorInspection(engine, false);
    }

    /**
     * Returns the outputs that have waited longest for their next piece. The cost is proportional to the number of
     * pieces.
     *
     * @param limit how many outputs to return at most
     * @return the outputs that have open pieces, the one with the oldest first
     * @throws IllegalArgumentException if {@code limit} is negative
     */
    public List<OutputSnapshot> oldestOutputs(int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit is " + limit + ", but a number of outputs cannot be negative");
        }
        return engine.busyOutputs().stream()
                .map(Output::snapshot)
                .sorted(Comparator.comparing(OutputSnapshot::oldestAge).reversed())
                .limit(limit)
                .toList();
    }

    // Lifecycle

    @Override
    public boolean awaitIdle(Duration limit) throws InterruptedException {
        return engine.service().drain(limit);
    }

    @Override
    public void shutdown() {
        engine.service().shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return engine.service().shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return engine.service().lifecycle().isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return engine.service().lifecycle().isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return engine.service().lifecycle().awaitTermination(timeout, unit);
    }

    @Override
    public void close() {
        engine.service().closeAndWait();
    }
}
