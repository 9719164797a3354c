package io.orderedexecutor.kafka;

import io.orderedexecutor.StripedExecutor;
import java.util.Collection;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.support.TopicPartitionOffset;

/**
 * Makes containers whose records run in order per key. Name it as the {@code containerFactory} of a
 * {@code @KafkaListener}, or put {@link OrderedByKey @OrderedByKey} beside it.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public class OrderedKafkaListenerContainerFactory<K, V> extends ConcurrentKafkaListenerContainerFactory<K, V> {
    private final Initializer<K, V> initializer;

    /** Decides how a listener is run, when its container is made. */
    @FunctionalInterface
    public interface Initializer<K, V> {

        /**
         * Chooses the executor of a listener.
         *
         * @param endpoint the listener
         * @return where its records run
         */
        StripedExecutor executorOf(KafkaListenerEndpoint endpoint);

        /**
         * Sets up a container that was made and has no listener yet.
         *
         * @param container the container
         * @param endpoint the listener
         */
        default void initialize(OrderedMessageListenerContainer<K, V> container, KafkaListenerEndpoint endpoint) {}
    }

    /**
     * Creates a factory whose listeners all run on one executor, with the default settings.
     *
     * @param executor where records run; without a capacity
     */
    public OrderedKafkaListenerContainerFactory(StripedExecutor executor) {
        this(endpoint -> executor);
    }

    /**
     * Creates a factory.
     *
     * @param initializer decides how a listener is run
     */
    public OrderedKafkaListenerContainerFactory(Initializer<K, V> initializer) {
        this.initializer = initializer;
    }

    @Override
    protected ConcurrentMessageListenerContainer<K, V> createContainerInstance(KafkaListenerEndpoint endpoint) {
        ConsumerFactory<? super K, ? super V> consumerFactory =
                Objects.requireNonNull(getConsumerFactory(), "A consumer factory must be set");
        OrderedMessageListenerContainer<K, V> container = new OrderedMessageListenerContainer<>(
                consumerFactory, propertiesOf(endpoint), initializer.executorOf(endpoint));
        String id = endpoint.getId();
        if (id != null) {
            container.setBeanName(id);
        }
        container.setBean(beanOf(endpoint));
        initializer.initialize(container, endpoint);
        return container;
    }

    private static ContainerProperties propertiesOf(KafkaListenerEndpoint endpoint) {
        TopicPartitionOffset[] partitions = endpoint.getTopicPartitionsToAssign();
        if (partitions != null && partitions.length > 0) {
            return new ContainerProperties(partitions);
        }
        Collection<String> topics = endpoint.getTopics();
        if (topics != null && !topics.isEmpty()) {
            return new ContainerProperties(topics.toArray(String[]::new));
        }
        Pattern pattern = endpoint.getTopicPattern();
        return new ContainerProperties(Objects.requireNonNull(pattern, "The listener has no topics"));
    }

    private static @Nullable Object beanOf(KafkaListenerEndpoint endpoint) {
        return endpoint instanceof MethodKafkaListenerEndpoint<?, ?> method ? method.getBean() : null;
    }
}
