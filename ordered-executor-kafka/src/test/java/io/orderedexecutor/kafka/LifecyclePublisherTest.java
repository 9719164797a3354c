package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.kafka.event.ConsumerPausedEvent;

/** The events of a container, on their way to the application. */
class LifecyclePublisherTest {

    @Test
    @DisplayName("a listener of events that throws is told in the log, and the consumer's thread goes on")
    void aListenerThatThrows() {
        List<Object> heard = new ArrayList<>();
        ApplicationEventPublisher publisher = LifecyclePublisher.around(
                event -> {
                    heard.add(event);
                    FailingHandler.throwUndeclared(new Exception("of the application"));
                },
                new ConsumerTurns<String, String>());
        Object event = new ConsumerPausedEvent(this, this, List.of());
        try (LogLines log = new LogLines(LifecyclePublisher.class.getName())) {
            publisher.publishEvent(event);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("ERROR ")
                    .contains(ConsumerPausedEvent.class.getName());
        }
        assertThat(heard).containsExactly(event);
    }
}
