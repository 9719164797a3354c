package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;

/** What a poll throws: the container polls again at once. */
class StopAfterFailureTest {
    private final List<Exception> stops = new ArrayList<>();
    private final StopAfterFailure handler = new StopAfterFailure(stops::add);

    private void failed(Exception failure) {
        var container = new KafkaMessageListenerContainer<String, String>(
                new DefaultKafkaConsumerFactory<>(Map.of()), new ContainerProperties("orders"));
        handler.handleOtherException(failure, new MockConsumer<>("earliest"), container, true);
    }

    @Test
    void whatWouldFailAgainStopsTheContainer() {
        KafkaException failure = new KafkaException("User rebalance callback throws an error");
        failed(failure);
        assertThat(stops).containsExactly(failure);
    }

    @Test
    void whatMaySucceedIsTriedAgain() {
        try (LogLines log = new LogLines(StopAfterFailure.class.getName())) {
            failed(new TimeoutException("no answer"));
            assertThat(stops).isEmpty();
            assertThat(log.lines()).singleElement().asString().startsWith("WARN ");
        }
    }
}
