package io.orderedexecutor.kafka;

import io.orderedexecutor.StripedExecutor;
import java.util.Collection;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.kafka.config.AbstractKafkaListenerEndpoint;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.support.TopicPartitionOffset;

/**
 * Creates containers whose records run in order per key. Name it as the {@code containerFactory} of a
 * {@code @KafkaListener}, or put {@link OrderedByKey @OrderedByKey} on the same method.
 *
 * <p>If the factory is a bean, its containers get the settings under {@code ordered-executor.kafka}. For the settings
 * under {@code spring.kafka.listener}, apply Spring Boot's {@code ConcurrentKafkaListenerContainerFactoryConfigurer}.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public class OrderedKafkaListenerContainerFactory<K, V> extends ConcurrentKafkaListenerContainerFactory<K, V> {
    private final @Nullable StripedExecutor executor;
    private @Nullable ApplicationContext context;

    /** Set before the first container is made. */
    private @Nullable Initializer initializer;

    /** Decides how a listener is run, when its container is created. The auto-configuration provides an initializer. */
    public interface Initializer {

        /**
         * Chooses the executor of a listener.
         *
         * @param endpoint the listener
         * @param byDefault the executor of the factory, or null
         * @return the executor that its records run on
         */
        StripedExecutor executorOf(KafkaListenerEndpoint endpoint, @Nullable StripedExecutor byDefault);

        /**
         * Sets up a new container, which has no listener yet.
         *
         * @param container the container
         * @param endpoint the listener
         */
        void initialize(OrderedMessageListenerContainer<?, ?> container, KafkaListenerEndpoint endpoint);
    }

    /** Creates a factory whose listeners run on the executors that are configured for them. */
    public OrderedKafkaListenerContainerFactory() {
        this.executor = null;
    }

    /**
     * Creates a factory whose listeners run on one executor, except for listeners with another configured executor.
     *
     * @param executor runs the records; must have no capacity
     */
    public OrderedKafkaListenerContainerFactory(StripedExecutor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
    }

    /**
     * Sets the initializer, which decides how listeners are run. The auto-configuration sets one if the application has
     * set none.
     *
     * @param initializer called for each container
     */
    public void setInitializer(Initializer initializer) {
        this.initializer = initializer;
    }

    /**
     * Returns the initializer, which decides how listeners are run.
     *
     * @return the initializer, or null if none is set
     */
    public @Nullable Initializer getInitializer() {
        return initializer;
    }

    @Override
    protected ConcurrentMessageListenerContainer<K, V> createContainerInstance(KafkaListenerEndpoint endpoint) {
        ConsumerFactory<? super K, ? super V> consumerFactory =
                Objects.requireNonNull(getConsumerFactory(), "A consumer factory must be set");
        ListenerMethodCheck method = ListenerMethodCheck.of(endpoint);
        method.check();
        // any other endpoint sets its listener later, and a batch listener is refused then
        Boolean ofFactory = endpoint instanceof AbstractKafkaListenerEndpoint<?, ?> ? isBatchListener() : null;
        Boolean takesBatches = endpoint.getBatchListener() == null ? ofFactory : endpoint.getBatchListener();
        if (Boolean.TRUE.equals(takesBatches)) {
            throw OrderedMessageListenerContainer.takesBatches(method.where(endpoint.getId()));
        }
        OrderedMessageListenerContainer<K, V> container =
                new OrderedMessageListenerContainer<>(consumerFactory, propertiesOf(endpoint), executorOf(endpoint));
        String id = endpoint.getId();
        if (id != null) {
            container.setBeanName(id);
        }
        container.setBean(beanOf(endpoint));
        OrderedByKey annotation = method.annotation();
        String key = annotation == null ? "" : resolved(annotation.key(), method.where(id));
        if (!key.isBlank()) {
            container.setKeyExpression(key, method.where(id));
        }
        if (initializer != null) {
            initializer.initialize(container, endpoint);
        }
        return container;
    }

    @Override
    public void setApplicationContext(ApplicationContext applicationContext) {
        super.setApplicationContext(applicationContext);
        this.context = applicationContext;
    }

    /** Returns a key expression with its placeholders replaced, as in all other attributes of a listener. */
    private String resolved(String key, String where) {
        if (!(context instanceof ConfigurableApplicationContext application)) {
            return key;
        }
        try {
            String text = application.getBeanFactory().resolveEmbeddedValue(key);
            return text == null ? "" : text;
        } catch (IllegalArgumentException e) {
            throw new InvalidOrderedListenerException(
                    where + " has the key \"" + key + "\", in which a placeholder has no value (" + e.getMessage()
                            + ")",
                    "Define the property, or write a default, as in ${name:#key}.",
                    e);
        }
    }

    private StripedExecutor executorOf(KafkaListenerEndpoint endpoint) {
        StripedExecutor chosen = initializer == null ? executor : initializer.executorOf(endpoint, executor);
        if (chosen == null) {
            throw new InvalidOrderedListenerException(
                    "The container factory of the ordered listener '" + endpoint.getId() + "' has no executor",
                    "Give one to the constructor of OrderedKafkaListenerContainerFactory, or make the factory a bean "
                            + "of a Spring Boot application, where ordered-executor.kafka configures it.");
        }
        return chosen;
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
