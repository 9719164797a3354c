package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.TopicPartitionOffset;

/** What the log has of settings that do not mean here what they mean for a plain container. */
class ToldOnceIT {
    private final Containers containers = new Containers();

    @AfterEach
    void stop() {
        containers.close();
    }

    private OrderedMessageListenerContainer<String, String> container(Map<String, Object> consumer) {
        return containers.container("told", "told", containers.executor(1), consumer, record -> {});
    }

    private static List<String> told(OrderedMessageListenerContainer<String, String> container) {
        try (LogLines log = new LogLines(OrderedMessageListenerContainer.class.getName())) {
            StartCheck.tell(container);
            return log.lines();
        }
    }

    @Test
    void anEagerAssignorIsToldOnceForAContainer() throws Exception {
        String topic = Broker.topic(1);
        var container = containers.container("told-" + topic, topic, containers.executor(1), Map.of(), record -> {});
        try (LogLines log = new LogLines(OrderedMessageListenerContainer.class.getName())) {
            container.start();
            container.stop();
            container.start();
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("eager assignor"))
                    .singleElement()
                    .asString()
                    .startsWith("INFO ")
                    .contains("'told-" + topic + "'", "CooperativeStickyAssignor", "group.protocol=consumer");
        }
    }

    @Test
    void onlyAssignorsThatAreEager() {
        String strategy = "partition.assignment.strategy";
        String cooperative = CooperativeStickyAssignor.class.getName();
        String range = RangeAssignor.class.getName();
        assertThat(told(container(Map.of(strategy, cooperative)))).isEmpty();
        assertThat(told(container(Map.of(strategy, List.of(CooperativeStickyAssignor.class)))))
                .isEmpty();
        assertThat(told(container(Map.of("group.protocol", "consumer")))).isEmpty();
        assertThat(told(container(Map.of(strategy, "com.example.Own")))).isEmpty();
        assertThat(told(container(Map.of(strategy, range + ", " + cooperative))))
                .hasSize(1);
        assertThat(told(container(Map.of(strategy, List.of(RangeAssignor.class)))))
                .hasSize(1);
        ContainerProperties byHand = new ContainerProperties(new TopicPartitionOffset("told", 0));
        assertThat(told(new OrderedMessageListenerContainer<>(
                        Broker.consumers("told", Map.of()), byHand, containers.executor(1))))
                .isEmpty();
    }

    @Test
    void anAckModeThatIsNotUsed() {
        var container = container(Map.of("group.protocol", "consumer"));
        container.getContainerProperties().setAckMode(AckMode.RECORD);
        assertThat(told(container))
                .singleElement()
                .asString()
                .startsWith("INFO ")
                .contains("'told'", "the ack mode RECORD");
        container.getContainerProperties().setAckMode(AckMode.MANUAL);
        assertThat(told(container)).isEmpty();
        container.getContainerProperties().setAsyncAcks(true);
        assertThat(told(container)).singleElement().asString().contains("asyncAcks");
    }

    @Test
    void offsetsThatAreNotFixed() {
        var container = container(Map.of("group.protocol", "consumer"));
        container.getContainerProperties().setFixTxOffsets(true);
        assertThat(told(container))
                .singleElement()
                .asString()
                .startsWith("INFO ")
                .contains("'told' does not use fixTxOffsets");
    }

    @Test
    void anErrorHandlerThatIsNotUsed() {
        var container = container(Map.of("group.protocol", "consumer"));
        container.setCommonErrorHandler(new DefaultErrorHandler());
        assertThat(told(container))
                .singleElement()
                .asString()
                .startsWith("WARN ")
                .contains(
                        "'told'",
                        "DefaultErrorHandler",
                        "retry(maxRetries=2, ",
                        "then park",
                        "failure-policy",
                        "ordered-executor.kafka.listeners.told.");
    }

    @Test
    void aBatchInterceptorThatIsNotUsed() {
        var container = container(Map.of("group.protocol", "consumer"));
        container.setBatchInterceptor((records, consumer) -> records);
        assertThat(told(container))
                .singleElement()
                .asString()
                .startsWith("INFO ")
                .contains("'told'", "BatchInterceptor", "RecordInterceptor");
    }
}
