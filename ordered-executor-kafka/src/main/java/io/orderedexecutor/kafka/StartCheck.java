package io.orderedexecutor.kafka;

import io.orderedexecutor.kafka.OrderedListenerSettings.FailurePolicy;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.ContainerProperties;

/** The last checks before a container starts, after all customizers: what would lose or repeat records is refused. */
final class StartCheck {
    private static final String DEFAULT_MAX_POLL_INTERVAL = "300000";

    private StartCheck() {}

    static void check(OrderedMessageListenerContainer<?, ?> container) {
        String listener = "The ordered listener '" + container.name() + "'";
        ContainerProperties properties = container.getContainerProperties();
        if (properties.getKafkaAwareTransactionManager() != null) {
            throw new InvalidOrderedListenerException(
                    listener
                            + " has a Kafka transaction manager, but a transaction commits one offset per "
                            + "partition, and records of many keys"
                            + " are under way",
                    "For exactly once from Kafka to Kafka use the plain container factory, "
                            + "'kafkaListenerContainerFactory'. Otherwise begin"
                            + " transactions in the listener, and keep the transaction manager from its "
                            + "container factory.");
        }
        Map<String, Object> consumer = consumerConfiguration(container);
        if (Boolean.parseBoolean(String.valueOf(consumer.get(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG)))) {
            throw new InvalidOrderedListenerException(
                    listener + " has enable.auto.commit, which commits records that were polled and have not run",
                    "Remove enable.auto.commit from its consumer properties, or "
                            + "spring.kafka.consumer.enable-auto-commit.");
        }
        OrderedExecutorSettings executor = container.getExecutor().settings();
        if (executor.capacity() != null || executor.keyCapacity() != null) {
            throw new InvalidOrderedListenerException(
                    listener + " runs on the executor '"
                            + container.getExecutor().name() + "', which has a "
                            + (executor.capacity() != null ? "capacity" : "stripe capacity")
                            + " and would refuse records",
                    "Give the listener an executor without any capacity: its window is the bound.");
        }
        long maxPollInterval = Long.parseLong(String.valueOf(
                consumer.getOrDefault(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, DEFAULT_MAX_POLL_INTERVAL)));
        if (container.getSettings().drainTimeout().toMillis() >= maxPollInterval) {
            throw new InvalidOrderedListenerException(
                    listener + " has a drain-timeout of "
                            + container.getSettings().drainTimeout()
                            + ", which is not below max.poll.interval.ms (" + maxPollInterval
                            + " ms): the consumer would be thrown out of its group while it waits",
                    "Set a shorter drain-timeout, or a longer max.poll.interval.ms.");
        }
        if (container.getSettings().failurePolicy() == FailurePolicy.DEAD_LETTER && !container.hasDeadLetters()) {
            throw new InvalidOrderedListenerException(
                    listener + " has the failure policy dead-letter, and there is nowhere to publish dead letters",
                    "Define a KafkaTemplate bean or a ConsumerRecordRecoverer bean, or set another failure-policy.");
        }
    }

    private static Map<String, Object> consumerConfiguration(OrderedMessageListenerContainer<?, ?> container) {
        ConsumerFactory<?, ?> factory = container.consumerFactory();
        Map<String, Object> configuration = new HashMap<>(factory.getConfigurationProperties());
        container
                .getContainerProperties()
                .getKafkaConsumerProperties()
                .forEach((name, value) -> configuration.put(String.valueOf(name), value));
        return configuration;
    }
}
