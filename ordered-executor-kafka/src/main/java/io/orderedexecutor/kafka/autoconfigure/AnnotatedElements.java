package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.OrderedByKey;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/** The class and the methods of a bean that have {@code @OrderedByKey}. */
final class AnnotatedElements {

    private AnnotatedElements() {}

    /** Returns them with their qualified names, the class first. */
    static Map<AnnotatedElement, String> of(Object bean) {
        Class<?> type = AopUtils.getTargetClass(bean);
        if (!AnnotationUtils.isCandidateClass(type, OrderedByKey.class)) {
            return Map.of();
        }
        Map<AnnotatedElement, String> annotated = new LinkedHashMap<>();
        if (AnnotatedElementUtils.hasAnnotation(type, OrderedByKey.class)) {
            annotated.put(type, type.getName());
        }
        Map<Method, OrderedByKey> methods =
                MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<OrderedByKey>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, OrderedByKey.class));
        methods.keySet().forEach(method -> annotated.put(method, ClassUtils.getQualifiedMethodName(method, type)));
        return annotated;
    }
}
