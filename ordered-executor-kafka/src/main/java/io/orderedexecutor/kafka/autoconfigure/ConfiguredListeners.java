package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.InvalidOrderedListenerException;
import io.orderedexecutor.kafka.OrderedKafkaListenerContainerFactory.Initializer;
import io.orderedexecutor.kafka.OrderedMessageListenerContainer;
import io.orderedexecutor.kafka.autoconfigure.OrderedKafkaProperties.Listener;
import java.util.Arrays;
import java.util.Collection;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ConsumerRecordRecoverer;
import org.springframework.kafka.retrytopic.RetryTopicConfiguration;
import org.springframework.kafka.support.TopicPartitionOffset;

/** Sets up each container according to the properties and the beans of the application. */
final class ConfiguredListeners implements Initializer {
    private final ListenerProperties properties;
    private final ListableBeanFactory beans;
    private final OwnExecutors executors;
    private final ObjectProvider<ListenerBinder> binders;

    ConfiguredListeners(
            ListenerProperties properties,
            ListableBeanFactory beans,
            OwnExecutors executors,
            ObjectProvider<ListenerBinder> binders) {
        this.properties = properties;
        this.beans = beans;
        this.executors = executors;
        this.binders = binders;
    }

    @Override
    public StripedExecutor executorOf(KafkaListenerEndpoint endpoint, @Nullable StripedExecutor byDefault) {
        String id = endpoint.getId();
        if (byDefault != null && !properties.saysWhereToRun(id)) {
            return byDefault;
        }
        Listener listener = properties.propertiesOf(id);
        String name = listener.executor();
        if (name == null) {
            return executors.create(id == null ? "kafka" : "kafka-" + id, listener.threads());
        }
        if (!beans.containsBean(name) || !beans.isTypeMatch(name, StripedExecutor.class)) {
            String[] known = beans.getBeanNamesForType(StripedExecutor.class);
            throw new InvalidOrderedListenerException(
                    "The ordered listener '" + id + "' is to run on the executor '" + name
                            + "', and there is no StripedExecutor bean of this name",
                    "Set ordered-executor.kafka.listeners." + id + ".executor to "
                            + (known.length == 0
                                    ? "the name of a StripedExecutor bean"
                                    : "one of " + Arrays.toString(known))
                            + (name.isBlank()
                                    ? ""
                                    : ", or define an executor of that name under ordered-executor.striped." + name)
                            + ", or remove the property to give the listener an executor of its own.");
        }
        return beans.getBean(name, StripedExecutor.class);
    }

    @Override
    public void initialize(OrderedMessageListenerContainer<?, ?> container, KafkaListenerEndpoint endpoint) {
        refuseRetryTopics(endpoint);
        container.setSettings(properties.settingsOf(endpoint.getId()));
        binders.forEach(each -> each.bind(container));
        if (executors.isOwn(container.getExecutor())) {
            binders.forEach(each -> each.bindOwn(container.getExecutor()));
        }
        if (beans.getBeanNamesForType(ConsumerRecordRecoverer.class).length > 0) {
            // if there are several recoverers and none is primary, no template is used instead
            beans.getBeanProvider(ConsumerRecordRecoverer.class).ifUnique(container::setRecoverer);
        } else {
            beans.getBeanProvider(KafkaTemplate.class).ifUnique(container::setDeadLetterTemplate);
        }
    }

    private void refuseRetryTopics(KafkaListenerEndpoint endpoint) {
        String[] topics = topicsOf(endpoint);
        beans.getBeansOfType(RetryTopicConfiguration.class).forEach((name, retryTopics) -> {
            if (retryTopics.hasConfigurationForTopics(topics)) {
                throw new InvalidOrderedListenerException(
                        "The bean '" + name + "' gives the ordered listener '" + endpoint.getId()
                                + "' retry topics, which run a failed record after its successors",
                        "Exclude its topics from that RetryTopicConfiguration, or remove "
                                + "spring.kafka.retry.topic.enabled if that defines it; and set "
                                + "ordered-executor.kafka.listeners." + endpoint.getId()
                                + ".retry and failure-policy instead.");
            }
        });
    }

    /** Returns the topics of a listener, as Spring determines them. */
    private static String[] topicsOf(KafkaListenerEndpoint endpoint) {
        Collection<String> topics = endpoint.getTopics();
        TopicPartitionOffset[] partitions = endpoint.getTopicPartitionsToAssign();
        if ((topics == null || topics.isEmpty()) && partitions != null) {
            return Stream.of(partitions)
                    .map(TopicPartitionOffset::getTopic)
                    .distinct()
                    .toArray(String[]::new);
        }
        return topics == null ? new String[0] : topics.toArray(String[]::new);
    }
}
