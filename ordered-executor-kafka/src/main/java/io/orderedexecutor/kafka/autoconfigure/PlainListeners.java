package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.OrderedByKey;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/** Warns once, at the start, of {@code @OrderedByKey} on listeners that nothing makes ordered. */
final class PlainListeners implements BeanPostProcessor, SmartInitializingSingleton {
    private static final Log logger = LogFactory.getLog(PlainListeners.class);

    private final Set<String> annotated = new ConcurrentSkipListSet<>();

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type = AopUtils.getTargetClass(bean);
        if (AnnotationUtils.isCandidateClass(type, OrderedByKey.class)) {
            if (AnnotatedElementUtils.hasAnnotation(type, OrderedByKey.class)) {
                annotated.add(type.getName());
            }
            MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<OrderedByKey>)
                            method -> AnnotatedElementUtils.findMergedAnnotation(method, OrderedByKey.class))
                    .keySet()
                    .forEach(method -> annotated.add(ClassUtils.getQualifiedMethodName(method, type)));
        }
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (!annotated.isEmpty()) {
            logger.warn("@OrderedByKey has no effect on " + String.join(", ", annotated)
                    + ": a @KafkaListener there processes the records of a partition one after the other, with Spring's"
                    + " own error handling. Needed are a StripedExecutor bean, which is missing if"
                    + " ordered-executor.enabled is false, and Spring Boot's KafkaAutoConfiguration; or a container"
                    + " factory of your own that is an OrderedKafkaListenerContainerFactory.");
        }
    }
}
