package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.OrderedKafkaListenerContainerFactory;
import java.util.regex.Pattern;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.support.TopicPartitionOffset;

/**
 * Stands for the ordered container factory until containers are made, when all beans exist. Spring looks for the
 * factory that a listener names while the bean of the listener is still being created. The real factory may need beans
 * that depend on that bean. This class extends {@link ConcurrentKafkaListenerContainerFactory} only because retry
 * topics ask for that type, before they are refused.
 */
final class LateContainerFactory extends ConcurrentKafkaListenerContainerFactory<Object, Object> {
    static final String NAME = "orderedKafkaLateContainerFactory";

    private final BeanFactory beans;

    LateContainerFactory(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public ConcurrentMessageListenerContainer<Object, Object> createListenerContainer(KafkaListenerEndpoint endpoint) {
        return factory().createListenerContainer(endpoint);
    }

    @Override
    public ConcurrentMessageListenerContainer<Object, Object> createContainer(TopicPartitionOffset... partitions) {
        return factory().createContainer(partitions);
    }

    @Override
    public ConcurrentMessageListenerContainer<Object, Object> createContainer(String... topics) {
        return factory().createContainer(topics);
    }

    @Override
    public ConcurrentMessageListenerContainer<Object, Object> createContainer(Pattern topics) {
        return factory().createContainer(topics);
    }

    @SuppressWarnings("unchecked")
    private OrderedKafkaListenerContainerFactory<Object, Object> factory() {
        return beans.getBean(OrderedByKeyEnhancer.FACTORY, OrderedKafkaListenerContainerFactory.class);
    }
}
