package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutorBuilder;
import io.orderedexecutor.OrderedOutputExecutorBuilder;
import io.orderedexecutor.StripedExecutorBuilder;

/** Lets what the auto-configured executors of all kinds do be recorded. */
final class FlightRecorderCustomizer
        implements StripedExecutorCustomizer, GroupedExecutorCustomizer, OrderedOutputExecutorCustomizer {
    private final boolean keys;

    FlightRecorderCustomizer(boolean keys) {
        this.keys = keys;
    }

    @Override
    public void customize(String executorName, StripedExecutorBuilder builder) {
        builder.flightRecorder(keys);
    }

    @Override
    public void customize(String executorName, GroupedExecutorBuilder builder) {
        builder.flightRecorder(keys);
    }

    @Override
    public void customize(String executorName, OrderedOutputExecutorBuilder builder) {
        builder.flightRecorder(keys);
    }
}
