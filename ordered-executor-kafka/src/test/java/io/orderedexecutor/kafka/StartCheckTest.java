package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.ConsumerSeekAware;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.adapter.RecordMessagingMessageListenerAdapter;
import org.springframework.kafka.support.TopicPartitionOffset;

/** What is checked when a container starts, for containers that no factory has made. No broker is needed. */
class StartCheckTest {
    private final StripedExecutor executor =
            StripedExecutor.builder().executor(Runnable::run).build();
    private final ContainerProperties properties = new ContainerProperties("t");

    @AfterEach
    void shutDown() {
        executor.shutdownNow();
    }

    private OrderedMessageListenerContainer<String, String> container(Map<String, Object> consumer) {
        Map<String, Object> all = new HashMap<>(Map.of("bootstrap.servers", "localhost:1", "group.id", "group"));
        all.putAll(consumer);
        OrderedMessageListenerContainer<String, String> container =
                new OrderedMessageListenerContainer<>(new DefaultKafkaConsumerFactory<>(all), properties, executor);
        container.setBeanName("orders");
        return container;
    }

    @Test
    void aListenerThatAcknowledges() {
        var container = container(Map.of());
        AcknowledgingMessageListener<String, String> plain = (record, acknowledgment) -> {};
        AcknowledgingConsumerAwareMessageListener<String, String> aware = (record, acknowledgment, consumer) -> {};
        for (Object listener : List.of(plain, aware)) {
            assertThatThrownBy(() -> container.setupMessageListener(listener))
                    .isInstanceOf(InvalidOrderedListenerException.class)
                    .hasMessageContainingAll("'orders' takes an Acknowledgment", "CompletableFuture");
        }
    }

    /** Without a method, there is no bean: the adapter itself may seek, as that of Spring Integration does. */
    @Test
    void anAdapterWithoutABeanMaySeek() {
        var container = container(Map.of());
        container.setupMessageListener(new RecordMessagingMessageListenerAdapter<String, String>(null, null));
        assertThat(container.getContainerProperties().getMessageListener()).isInstanceOf(ConsumerSeekAware.class);
        container.setBean(this);
        container.setupMessageListener(new RecordMessagingMessageListenerAdapter<String, String>(this, null));
        assertThat(container.getContainerProperties().getMessageListener()).isNotInstanceOf(ConsumerSeekAware.class);
    }

    @Test
    void anAdviceChain() {
        properties.setAdviceChain((MethodInterceptor) MethodInvocation::proceed);
        var container = container(Map.of());
        container.setupMessageListener((MessageListener<String, String>) record -> {});
        assertThatThrownBy(container::start)
                .isInstanceOf(InvalidOrderedListenerException.class)
                .hasMessageContainingAll("'orders' has an advice chain", "RecordInterceptor");
        assertThat(container.isRunning()).isFalse();
    }

    /** Spring reads the group neither from the properties that a listener overrides, nor past an empty one. */
    @Test
    void aGroupThatSpringDoesNotRead() {
        ContainerProperties byHand = new ContainerProperties(new TopicPartitionOffset("t", 0));
        byHand.getKafkaConsumerProperties().setProperty("group.id", "overridden");
        OrderedMessageListenerContainer<String, String> container = new OrderedMessageListenerContainer<>(
                new DefaultKafkaConsumerFactory<>(Map.of("bootstrap.servers", "localhost:1")), byHand, executor);
        container.setupMessageListener((MessageListener<String, String>) record -> {});
        assertThatThrownBy(() -> StartCheck.check(container)).hasMessageContaining("has no consumer group");
        container.getContainerProperties().setGroupId("group");
        StartCheck.check(container);
        container.getContainerProperties().setGroupId(" ");
        assertThatThrownBy(() -> StartCheck.check(container)).hasMessageContaining("has no consumer group");
    }

    @Test
    void aDrainOfPartitionsThatAreAssignedByHandMayTakeLong() {
        var container = container(Map.of("max.poll.interval.ms", 12_000));
        assertThatThrownBy(() -> StartCheck.check(container)).hasMessageContaining("drain-timeout");
        OrderedMessageListenerContainer<String, String> byHand = new OrderedMessageListenerContainer<>(
                new DefaultKafkaConsumerFactory<>(Map.of("group.id", "group", "max.poll.interval.ms", 12_000)),
                new ContainerProperties(new TopicPartitionOffset("t", 0)),
                executor);
        StartCheck.check(byHand);
    }

    @Test
    void numbersAreReadAsKafkaReadsThem() {
        assertThat(StartCheck.silence(container(Map.of("session.timeout.ms", "30000 "))))
                .isEqualTo(Duration.ofSeconds(15));
    }

    @Test
    void theSilenceEndsBeforeTheConsumerLeavesItsGroup() {
        assertThat(StartCheck.silence(container(Map.of("session.timeout.ms", 30_000, "max.poll.interval.ms", 12_000))))
                .isEqualTo(Duration.ofSeconds(10));
        properties.setPollTimeout(100);
        assertThat(StartCheck.silence(container(Map.of("session.timeout.ms", 30_000, "max.poll.interval.ms", 12_000))))
                .isEqualTo(Duration.ofSeconds(6));
    }
}
