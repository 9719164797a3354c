package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.OrderedKafkaListenerContainerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Makes each ordered container factory apply the configured settings, including the factories that the application
 * defines.
 */
final class FactoryInitialization implements BeanPostProcessor {
    private final ObjectProvider<ConfiguredListeners> listeners;

    FactoryInitialization(ObjectProvider<ConfiguredListeners> listeners) {
        this.listeners = listeners;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (bean instanceof OrderedKafkaListenerContainerFactory<?, ?> factory && factory.getInitializer() == null) {
            factory.setInitializer(listeners.getObject());
        }
        return bean;
    }
}
