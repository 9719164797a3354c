package io.orderedexecutor.kafka;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.kafka.event.ConsumerStoppingEvent;

/**
 * Hears that a consumer stops: the one event that comes on the consumer thread while the consumer is still open, also
 * with partitions that were assigned by hand, of which no callback tells. All events go on to the application.
 */
final class StoppingPublisher implements ApplicationEventPublisher {
    private final @Nullable ApplicationEventPublisher application;
    private final Consumer<org.apache.kafka.clients.consumer.Consumer<?, ?>> stopping;

    private StoppingPublisher(
            @Nullable ApplicationEventPublisher application,
            Consumer<org.apache.kafka.clients.consumer.Consumer<?, ?>> stopping) {
        this.application = application;
        this.stopping = stopping;
    }

    static StoppingPublisher around(
            @Nullable ApplicationEventPublisher publisher,
            Consumer<org.apache.kafka.clients.consumer.Consumer<?, ?>> stopping) {
        return new StoppingPublisher(
                publisher instanceof StoppingPublisher ours ? ours.application : publisher, stopping);
    }

    @Override
    public void publishEvent(Object event) {
        try {
            if (application != null) {
                application.publishEvent(event);
            }
        } finally {
            if (event instanceof ConsumerStoppingEvent stop) {
                stopping.accept(stop.getConsumer());
            }
        }
    }
}
