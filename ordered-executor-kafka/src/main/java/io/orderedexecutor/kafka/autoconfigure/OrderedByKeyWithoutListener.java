package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.InvalidOrderedListenerException;
import java.lang.reflect.AnnotatedElement;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.KafkaListeners;

/** Refuses {@code @OrderedByKey} where there is no listener: the annotation would do nothing. */
final class OrderedByKeyWithoutListener implements BeanPostProcessor {

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        AnnotatedElements.of(bean).forEach(OrderedByKeyWithoutListener::check);
        return bean;
    }

    private static void check(AnnotatedElement element, String name) {
        if (!AnnotatedElementUtils.hasAnnotation(element, KafkaListener.class)
                && !AnnotatedElementUtils.hasAnnotation(element, KafkaListeners.class)) {
            throw new InvalidOrderedListenerException(
                    name + " has @OrderedByKey, and no @KafkaListener",
                    "Put both on the same method, or both on the same class; or remove @OrderedByKey.");
        }
    }
}
