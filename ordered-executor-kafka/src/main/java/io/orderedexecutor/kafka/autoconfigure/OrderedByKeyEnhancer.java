package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.InvalidOrderedListenerException;
import io.orderedexecutor.kafka.OrderedByKey;
import io.orderedexecutor.kafka.OrderedKafkaListenerContainerFactory;
import java.lang.reflect.AnnotatedElement;
import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.kafka.annotation.KafkaListenerAnnotationBeanPostProcessor.AnnotationEnhancer;

/** Lets a {@code @KafkaListener} with {@code @OrderedByKey} use the ordered container factory. */
final class OrderedByKeyEnhancer implements AnnotationEnhancer {
    static final String FACTORY = "orderedKafkaListenerContainerFactory";

    private final BeanFactory beans;

    OrderedByKeyEnhancer(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public Map<String, Object> apply(Map<String, Object> attributes, AnnotatedElement element) {
        if (!AnnotatedElementUtils.hasAnnotation(element, OrderedByKey.class)) {
            return attributes;
        }
        String chosen = String.valueOf(attributes.get("containerFactory"));
        if (chosen.isEmpty()) {
            Map<String, Object> ordered = new HashMap<>(attributes);
            ordered.put("containerFactory", FACTORY);
            return ordered;
        }
        boolean isName = !chosen.contains("#{") && !chosen.contains("${");
        if (isName
                && beans.containsBean(chosen)
                && !beans.isTypeMatch(chosen, OrderedKafkaListenerContainerFactory.class)) {
            throw new InvalidOrderedListenerException(
                    "The listener " + element + " has @OrderedByKey and the containerFactory '" + chosen
                            + "', which makes containers without" + " order per key",
                    "Remove containerFactory, or name an OrderedKafkaListenerContainerFactory.");
        }
        return attributes;
    }
}
