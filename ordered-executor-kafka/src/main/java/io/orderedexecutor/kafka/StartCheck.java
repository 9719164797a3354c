package io.orderedexecutor.kafka;

import io.orderedexecutor.stats.OrderedExecutorSettings;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;

/**
 * The last checks before a container starts, after all customizers. Refuses settings that would lose or repeat records,
 * and logs settings that do not have the effect that they have in a plain container.
 */
final class StartCheck {
    private static final SafeLog logger = SafeLog.of(OrderedMessageListenerContainer.class);
    private static final long DEFAULT_MAX_POLL_INTERVAL = 300_000;
    private static final long DEFAULT_SESSION_TIMEOUT = 45_000;

    /** The eager assignors of Kafka. Whether other assignors are eager is not known. */
    private static final Set<String> EAGER_ASSIGNORS =
            Set.of(RangeAssignor.class.getName(), RoundRobinAssignor.class.getName(), StickyAssignor.class.getName());

    private StartCheck() {}

    /** Checks that nothing stands around the listener, so that it can be told what the listener takes. */
    static void checkAdvice(OrderedMessageListenerContainer<?, ?> container) {
        if (container.getContainerProperties().getAdviceChain().length > 0) {
            throw new InvalidOrderedListenerException(
                    "The ordered listener '" + container.name() + "' has an advice chain, which would be called around "
                            + "the hand-out of many records, and not around the run of each",
                    "Remove the advice chain from the container properties, and set a RecordInterceptor, or put the "
                            + "advice around the bean of the listener.");
        }
    }

    static void check(OrderedMessageListenerContainer<?, ?> container) {
        String listener = "The ordered listener '" + container.name() + "'";
        ContainerProperties properties = container.getContainerProperties();
        if (properties.getKafkaAwareTransactionManager() != null) {
            throw new InvalidOrderedListenerException(
                    listener
                            + " has a Kafka transaction manager, but records of many keys run at once, and a "
                            + "transaction commits one offset per partition",
                    "For exactly once from Kafka to Kafka, use the plain container factory, "
                            + "'kafkaListenerContainerFactory'. Otherwise remove the transaction manager from the "
                            + "container factory of the listener, and begin transactions in the listener.");
        }
        Map<String, Object> consumer = consumerConfiguration(container);
        String group = container.getGroupId();
        if (group == null || group.isBlank()) {
            throw new InvalidOrderedListenerException(
                    listener + " has no consumer group, so no offset could be committed",
                    "Set the groupId of its @KafkaListener, or group.id of the consumer factory"
                            + " (spring.kafka.consumer.group-id).");
        }
        if (Boolean.parseBoolean(String.valueOf(consumer.get(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG)))) {
            throw new InvalidOrderedListenerException(
                    listener + " has enable.auto.commit, which commits records that were polled and have not run",
                    "Remove enable.auto.commit from its consumer properties, or "
                            + "spring.kafka.consumer.enable-auto-commit.");
        }
        OrderedExecutorSettings executor = container.getExecutor().inspect().settings();
        if (executor.capacity() != null || executor.keyCapacity() != null) {
            throw new InvalidOrderedListenerException(
                    listener + " runs on the executor '"
                            + container.getExecutor().name() + "', which has a "
                            + (executor.capacity() != null ? "capacity" : "capacity for each key")
                            + " and would refuse records",
                    "Name an executor without any capacity, or none, for an executor of the listener's own: "
                            + "its window is the bound. "
                            + hintOnCustomizers(container));
        }
        if (executor.identityStripes()) {
            throw new InvalidOrderedListenerException(
                    listener + " runs on the executor '"
                            + container.getExecutor().name()
                            + "', which compares stripes by identity, so records with equal keys would run in no order",
                    "Name an executor that was built without identityStripes(), or none, for an executor of the "
                            + "listener's own. "
                            + hintOnCustomizers(container));
        }
        long maxPollInterval = maxPollInterval(container, consumer);
        // a session timeout that is no number is refused here, before the container changes anything
        long unused = sessionTimeout(container, consumer);
        Duration drain = container.getSettings().drainTimeout();
        // partitions that are assigned by hand stay with this consumer
        if (properties.getTopicPartitions() == null
                && drain.compareTo(Duration.ofMillis(maxPollInterval).minus(Turn.LAST_COMMIT)) >= 0) {
            throw new InvalidOrderedListenerException(
                    listener + " has a drain-timeout of " + drain + ", which together with " + Turn.LAST_COMMIT
                            + " for the last commit is not below max.poll.interval.ms (" + maxPollInterval
                            + " ms): the consumer would be thrown out of its group while it waits",
                    "Set a shorter drain-timeout, or a longer max.poll.interval.ms.");
        }
        if (container.getSettings().deadLetters() && !container.hasDeadLetters()) {
            throw new InvalidOrderedListenerException(
                    listener + " publishes dead letters, and there is nowhere to publish dead letters",
                    DeadLetters.HOW_TO_DEFINE + " Or set another failure-policy.");
        }
    }

    /**
     * Logs which settings of the container do not have their usual effect. Called once for each container, before the
     * container changes these settings.
     */
    static void tell(OrderedMessageListenerContainer<?, ?> container) {
        ContainerProperties properties = container.getContainerProperties();
        AckMode ackMode = properties.getAckMode();
        if (properties.isAsyncAcks() || (ackMode != AckMode.BATCH && ackMode != AckMode.MANUAL)) {
            logger.info(() -> "The ordered listener '" + container.name() + "' does not use "
                    + (properties.isAsyncAcks() ? "asyncAcks" : "the ack mode " + ackMode)
                    + ": its records are acknowledged in order when they are processed, and committed each "
                    + "commit-interval");
        }
        CommonErrorHandler errorHandler = container.getCommonErrorHandler();
        if (errorHandler != null && !(errorHandler instanceof StopAfterFailure)) {
            OrderedListenerSettings settings = container.getSettings();
            logger.warn(() -> "The ordered listener '" + container.name() + "' does not use the error handler "
                    + errorHandler.getClass().getName() + ", which seeks and so would run records of other keys"
                    + " again. The failure policy here is " + settings.failurePolicy()
                    + (settings.deadLetters()
                            ? ", and a failed record is published as a dead letter before its key proceeds"
                            : "")
                    + ". Set failure-policy and retry.*, under"
                    + " ordered-executor.kafka or ordered-executor.kafka.listeners." + container.name() + ".");
        }
        if (container.getBatchInterceptor() != null) {
            logger.info(() -> "The ordered listener '" + container.name()
                    + "' does not use the BatchInterceptor: its records run one by one. A RecordInterceptor is called "
                    + "around each of them.");
        }
        if (properties.isFixTxOffsets()) {
            logger.info(() -> "The ordered listener '" + container.name() + "' does not use fixTxOffsets: markers of"
                    + " transactions leave no lag here");
        }
        boolean isAssignedByHand = properties.getTopicPartitions() != null;
        Map<String, Object> consumer = consumerConfiguration(container);
        if (!isAssignedByHand && isEager(consumer)) {
            logger.info(() -> "The consumers of the ordered listener '" + container.name()
                    + "' have an eager assignor: whenever a consumer comes or goes, all partitions are drained."
                    + " With partition.assignment.strategy="
                    + CooperativeStickyAssignor.class.getName()
                    + ", or group.protocol=consumer, only the partitions that move are drained.");
        }
    }

    /** Returns whether one of the assignors is eager: if so, all partitions are revoked at each rebalance. */
    private static boolean isEager(Map<String, Object> consumer) {
        Object protocol = consumer.getOrDefault(ConsumerConfig.GROUP_PROTOCOL_CONFIG, GroupProtocol.CLASSIC);
        if (GroupProtocol.CONSUMER.name().equalsIgnoreCase(String.valueOf(protocol))) {
            return false;
        }
        Object assignors = consumer.get(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);
        if (assignors == null) {
            // the default begins with the range assignor
            return true;
        }
        Collection<?> all = assignors instanceof Collection<?> list
                ? list
                : List.of(String.valueOf(assignors).split(","));
        return all.stream()
                .map(each -> each instanceof Class<?> type
                        ? type.getName()
                        : String.valueOf(each).trim())
                .anyMatch(EAGER_ASSIGNORS::contains);
    }

    /**
     * Returns how long the consumer's thread may be inactive until the consumer may have lost its partitions: half of
     * the session timeout or of {@code max.poll.interval.ms}, whichever is shorter, but at least twice the sum of the
     * poll timeout and the idle time between polls. With the {@code consumer} protocol, the broker sets the session
     * timeout; its default is the same.
     */
    static Duration silence(OrderedMessageListenerContainer<?, ?> container) {
        ContainerProperties properties = container.getContainerProperties();
        if (properties.getTopicPartitions() != null) {
            // partitions that are assigned by hand stay with this consumer
            return Duration.ofMillis(Long.MAX_VALUE);
        }
        Map<String, Object> consumer = consumerConfiguration(container);
        long half = Math.min(sessionTimeout(container, consumer), maxPollInterval(container, consumer)) / 2;
        // the consumer's thread is inactive during a poll, and during the configured idle time
        return Duration.ofMillis(Math.max(half, 2 * (properties.getPollTimeout() + properties.getIdleBetweenPolls())));
    }

    private static String hintOnCustomizers(OrderedMessageListenerContainer<?, ?> container) {
        return "If a StripedExecutorCustomizer sets it, let the customizer leave out the name '"
                + container.getExecutor().name() + "'.";
    }

    private static long maxPollInterval(OrderedMessageListenerContainer<?, ?> container, Map<String, Object> consumer) {
        return millis(container, consumer, ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, DEFAULT_MAX_POLL_INTERVAL);
    }

    private static long sessionTimeout(OrderedMessageListenerContainer<?, ?> container, Map<String, Object> consumer) {
        return millis(container, consumer, ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, DEFAULT_SESSION_TIMEOUT);
    }

    private static long millis(
            OrderedMessageListenerContainer<?, ?> container,
            Map<String, Object> consumer,
            String name,
            long byDefault) {
        String value = String.valueOf(consumer.getOrDefault(name, byDefault));
        try {
            // Kafka trims numbers, too
            return Long.parseLong(value.trim());
        } catch (NumberFormatException e) {
            throw new InvalidOrderedListenerException(
                    "The ordered listener '" + container.name() + "' has " + name + "=" + value
                            + ", which is no number",
                    "Write a number of milliseconds, without a unit.",
                    e);
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
