package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.InvalidOrderedListenerException;
import io.orderedexecutor.kafka.OrderedByKey;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Map;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.KafkaListeners;
import org.springframework.util.ClassUtils;

/** Refuses {@code @OrderedByKey} where there is no listener: the annotation would do nothing. */
final class OrderedByKeyWithoutListener implements BeanPostProcessor {

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type = AopUtils.getTargetClass(bean);
        if (AnnotationUtils.isCandidateClass(type, OrderedByKey.class)) {
            check(type, type.getName());
            Map<Method, OrderedByKey> annotated =
                    MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<OrderedByKey>)
                            method -> AnnotatedElementUtils.findMergedAnnotation(method, OrderedByKey.class));
            annotated.keySet().forEach(method -> check(method, ClassUtils.getQualifiedMethodName(method, type)));
        }
        return bean;
    }

    private static void check(AnnotatedElement element, String name) {
        if (AnnotatedElementUtils.hasAnnotation(element, OrderedByKey.class)
                && !AnnotatedElementUtils.hasAnnotation(element, KafkaListener.class)
                && !AnnotatedElementUtils.hasAnnotation(element, KafkaListeners.class)) {
            throw new InvalidOrderedListenerException(
                    name + " has @OrderedByKey, and no @KafkaListener",
                    "Put both on the same method, or both on the same class; or remove @OrderedByKey.");
        }
    }
}
