package io.orderedexecutor;

import io.orderedexecutor.engine.admit.OutputEngine;
import io.orderedexecutor.engine.run.Settings;
import java.util.concurrent.atomic.AtomicInteger;

/** Settings of an {@link OrderedOutputExecutor}, and the default settings of its outputs. */
public final class OrderedOutputExecutorBuilder extends OrderedExecutorBuilder<OrderedOutputExecutorBuilder> {
    private static final AtomicInteger NAMES = new AtomicInteger();

    private int window = 256;
    private int concurrency = Settings.UNLIMITED;

    OrderedOutputExecutorBuilder() {
        super("ordered-output", NAMES);
        // a full window is the normal case, not an overload: it only limits how far work runs ahead, so submitters wait
        // for room
        overflow(OutputBridge.WAIT);
    }

    @Override
    OrderedOutputExecutorBuilder self() {
        return this;
    }

    /**
     * Sets the {@linkplain OrderedOutputBuilder#window window} of outputs that do not set their own.
     *
     * @param window from 1 to 1,000,000,000; 256 if it is not set
     * @return this builder
     * @throws IllegalArgumentException if {@code window} is out of range
     */
    public OrderedOutputExecutorBuilder window(int window) {
        this.window = Settings.checkedWindow(window);
        return this;
    }

    /**
     * Sets the {@linkplain OrderedOutputBuilder#concurrency concurrency} of outputs that do not set their own.
     *
     * @param concurrency from 1 to 1,000,000,000; unlimited if it is not set
     * @return this builder
     * @throws IllegalArgumentException if {@code concurrency} is out of range
     */
    public OrderedOutputExecutorBuilder concurrency(int concurrency) {
        this.concurrency = Settings.checked("concurrency", concurrency);
        return this;
    }

    /**
     * Builds the executor. No thread is started before the first piece of work.
     *
     * @return a new executor
     * @throws IllegalStateException if {@link #executor} is set together with {@link #threads} or
     *     {@link #threadFactory}, if the {@link #overflow} discards, or if the {@link #failurePolicy} parks
     */
    @Override
    public OrderedOutputExecutor build() {
        Settings settings = settings(window, true, null);
        if (settings.overflow() instanceof Overflow.DiscardOldest) {
            throw new IllegalStateException("ordered output executor '" + settings.name()
                    + "' cannot discard the oldest piece, since that makes no room: those behind it wait for "
                    + "the one before it;"
                    + " use Overflow.reject() or Overflow.block()");
        }
        if (settings.failurePolicy().parks()) {
            throw new IllegalStateException("ordered output executor '" + settings.name()
                    + "' cannot park: what an output does after a failure is up to its OutputFailure;"
                    + " use FailurePolicy.proceed() or one that retries and then proceeds");
        }
        return new OrderedOutputExecutor(buildFor(
                settings, (workers, onTerminated) -> new OutputEngine(settings, concurrency, workers, onTerminated)));
    }
}
