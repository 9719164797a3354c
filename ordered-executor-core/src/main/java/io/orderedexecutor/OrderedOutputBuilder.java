package io.orderedexecutor;

import io.orderedexecutor.engine.admit.OutputEngine;
import io.orderedexecutor.engine.run.Output;
import io.orderedexecutor.engine.run.Settings;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an {@link OrderedOutput}. The settings of its executor apply unless they are set here. An invalid value
 * is rejected at once with a message that names the setting; null is rejected with a {@link NullPointerException}.
 *
 * <p>A builder is not thread-safe, and can be used for any number of outputs.
 *
 * @param <T> the type of the results
 */
public final class OrderedOutputBuilder<T extends @Nullable Object> {
    private final OutputEngine engine;
    private final Consumer<? super T> consumer;
    private @Nullable String name;
    private int window;
    private int concurrency;
    private OutputFailure<T> onFailure = OutputFailure.fail();

    OrderedOutputBuilder(OutputEngine engine, Consumer<? super T> consumer) {
        this.engine = engine;
        this.consumer = Objects.requireNonNull(consumer, "output");
        this.window = engine.window();
        this.concurrency = engine.concurrency();
    }

    /**
     * Sets the name, which messages and snapshots use.
     *
     * @param name not blank; {@code output-} and a number if it is not set
     * @return this builder
     * @throws IllegalArgumentException if {@code name} is blank
     */
    public OrderedOutputBuilder<T> name(String name) {
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("name is blank; give the output a name or leave the setting out");
        }
        this.name = name;
        return this;
    }

    /**
     * Sets how many pieces may be open at once: accepted, and neither written nor left out. The window limits how far
     * work may run ahead of a piece that takes long, and how many results wait in memory.
     *
     * @param window from 1 to 1,000,000,000
     * @return this builder
     * @throws IllegalArgumentException if {@code window} is out of range
     */
    public OrderedOutputBuilder<T> window(int window) {
        this.window = Settings.checkedWindow(window);
        return this;
    }

    /**
     * Sets how many pieces may be worked on at once, so that one output does not occupy all threads. An asynchronous
     * piece counts until its stage is complete. A piece that waits for a retry counts; one that waits for its turn does
     * not.
     *
     * @param concurrency from 1 to 1,000,000,000
     * @return this builder
     * @throws IllegalArgumentException if {@code concurrency} is out of range
     */
    public OrderedOutputBuilder<T> concurrency(int concurrency) {
        this.concurrency = Settings.checked("concurrency", concurrency);
        return this;
    }

    /**
     * Sets what the output does when a piece fails.
     *
     * @param onFailure {@link OutputFailure#fail()} if it is not set
     * @return this builder
     */
    public OrderedOutputBuilder<T> onFailure(OutputFailure<T> onFailure) {
        this.onFailure = Objects.requireNonNull(onFailure, "onFailure");
        return this;
    }

    /**
     * Opens the output. This costs a few objects, and no thread.
     *
     * @return a new output
     * @throws java.util.concurrent.RejectedExecutionException if the executor is shut down
     */
    public OrderedOutput<T> open() {
        engine.requireRunning();
        return new OrderedOutput<>(engine, new Output.Settings<>(name, consumer, window, concurrency, onFailure));
    }
}
