package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.InvalidOrderedListenerException;
import io.orderedexecutor.kafka.OrderedByKey;
import io.orderedexecutor.kafka.OrderedKafkaListenerContainerFactory;
import io.orderedexecutor.kafka.OrderedMessageListenerContainer;
import java.util.Arrays;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ConsumerRecordRecoverer;

/** Sets up each container as its annotation and its properties say. */
final class ConfiguredListeners implements OrderedKafkaListenerContainerFactory.Initializer<Object, Object> {
    private final ListenerProperties properties;
    private final ListableBeanFactory beans;
    private final ObjectProvider<ConsumerRecordRecoverer> recoverers;
    private final ObjectProvider<KafkaTemplate<?, ?>> templates;
    private final ObjectProvider<ListenerBinder> binders;

    ConfiguredListeners(
            ListenerProperties properties,
            ListableBeanFactory beans,
            ObjectProvider<ConsumerRecordRecoverer> recoverers,
            ObjectProvider<KafkaTemplate<?, ?>> templates,
            ObjectProvider<ListenerBinder> binders) {
        this.properties = properties;
        this.beans = beans;
        this.recoverers = recoverers;
        this.templates = templates;
        this.binders = binders;
    }

    @Override
    public StripedExecutor executorOf(KafkaListenerEndpoint endpoint) {
        String name = properties.executorOf(endpoint.getId());
        if (!beans.containsBean(name) || !beans.isTypeMatch(name, StripedExecutor.class)) {
            String[] striped = beans.getBeanNamesForType(StripedExecutor.class);
            throw new InvalidOrderedListenerException(
                    "The ordered listener '" + endpoint.getId() + "' is to run on the executor '" + name
                            + "', and there is no StripedExecutor bean of this name",
                    "Set ordered-executor.kafka.listeners." + endpoint.getId() + ".executor to one of "
                            + String.join(", ", Arrays.asList(striped))
                            + "; or define it, under ordered-executor.striped." + name + ".");
        }
        return beans.getBean(name, StripedExecutor.class);
    }

    @Override
    public void initialize(OrderedMessageListenerContainer<Object, Object> container, KafkaListenerEndpoint endpoint) {
        ListenerMethodCheck method = ListenerMethodCheck.of(endpoint);
        method.check();
        container.setSettings(properties.settingsOf(endpoint.getId()));
        OrderedByKey annotation = method.annotation();
        if (annotation != null && !annotation.stripe().isBlank()) {
            container.setStripeExpression(annotation.stripe(), method.where(endpoint.getId()));
        }
        binders.forEach(each -> each.bind(container));
        ConsumerRecordRecoverer recoverer = recoverers.getIfUnique();
        KafkaTemplate<?, ?> template = templates.getIfUnique();
        if (recoverer != null) {
            container.setRecoverer(recoverer);
        } else if (template != null) {
            container.setDeadLetterTemplate(template);
        }
    }
}
