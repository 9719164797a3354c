package io.orderedexecutor;

import java.util.concurrent.atomic.AtomicInteger;

/** Settings of a {@link StripedExecutor}. */
public final class StripedExecutorBuilder extends OrderedExecutorBuilder<StripedExecutorBuilder> {
    private static final AtomicInteger NAMES = new AtomicInteger();

    private boolean identityStripes;
    private int stripeCapacity = Bounds.UNLIMITED;

    StripedExecutorBuilder() {
        super("striped", NAMES);
    }

    @Override
    StripedExecutorBuilder self() {
        return this;
    }

    /**
     * Compares stripes by identity instead of {@code equals}.
     *
     * @return this builder
     */
    public StripedExecutorBuilder identityStripes() {
        this.identityStripes = true;
        return this;
    }

    /**
     * Sets how many tasks may be queued in each stripe: accepted and not started.
     *
     * @param stripeCapacity from 1 to 1,000,000,000; unlimited by default
     * @return this builder
     * @throws IllegalArgumentException if {@code stripeCapacity} is out of range
     */
    public StripedExecutorBuilder stripeCapacity(int stripeCapacity) {
        this.stripeCapacity = Settings.checked("stripeCapacity", stripeCapacity);
        return this;
    }

    @Override
    public StripedExecutor build() {
        Settings settings = settings(stripeCapacity);
        return new StripedExecutor(buildEngine(
                settings,
                (workers, onTerminated) -> new StripedEngine(settings, identityStripes, workers, onTerminated)));
    }
}
