package io.orderedexecutor.kafka.autoconfigure;

import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Warns once, at the start, of {@code @OrderedByKey} on listeners that nothing makes ordered. */
final class PlainListeners implements BeanPostProcessor, SmartInitializingSingleton {
    private static final Log logger = LogFactory.getLog(PlainListeners.class);

    private final Set<String> annotated = new ConcurrentSkipListSet<>();

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        annotated.addAll(AnnotatedElements.of(bean).values());
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (!annotated.isEmpty()) {
            logger.warn("@OrderedByKey has no effect on " + String.join(", ", annotated)
                    + ": a @KafkaListener there processes the records of a partition one after the other, with Spring's"
                    + " own error handling. Order needs a StripedExecutor bean and Spring Boot's"
                    + " KafkaAutoConfiguration, or an OrderedKafkaListenerContainerFactory of your own."
                    + " ordered-executor.enabled=false removes the executor.");
        }
    }
}
