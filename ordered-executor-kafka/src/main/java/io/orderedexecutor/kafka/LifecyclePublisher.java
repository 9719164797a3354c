package io.orderedexecutor.kafka;

import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.kafka.event.ConsumerStartedEvent;
import org.springframework.kafka.event.ConsumerStoppingEvent;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;

/**
 * Receives the events at the start and the stop of a consumer, on the consumer's thread. For partitions that are
 * assigned by hand, there are no callbacks: the stop event is the only signal while the consumer is still open. All
 * events are passed on to the application. Exceptions of its listeners are logged, and have no other effect.
 */
final class LifecyclePublisher implements ApplicationEventPublisher {
    private static final SafeLog logger = SafeLog.of(LifecyclePublisher.class);

    private final @Nullable ApplicationEventPublisher application;
    private final ConsumerTurns<?, ?> turns;

    private LifecyclePublisher(@Nullable ApplicationEventPublisher application, ConsumerTurns<?, ?> turns) {
        this.application = application;
        this.turns = turns;
    }

    static LifecyclePublisher around(@Nullable ApplicationEventPublisher publisher, ConsumerTurns<?, ?> turns) {
        return new LifecyclePublisher(
                publisher instanceof LifecyclePublisher ours ? ours.application : publisher, turns);
    }

    @Override
    public void publishEvent(Object event) {
        if (event instanceof ConsumerStartedEvent start) {
            turns.started(start.getSource(AbstractMessageListenerContainer.class));
        }
        try {
            if (application != null) {
                application.publishEvent(event);
            }
        } catch (Throwable failure) { // a checked one too: not all languages declare them
            // the consumer's thread would end without a message, or stop the container
            logger.error(failure, () -> "A listener of " + event.getClass().getName() + " failed; records go on");
        }
        if (event instanceof ConsumerStoppingEvent stop) {
            turns.stopping(stop.getConsumer());
        }
    }
}
