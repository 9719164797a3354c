package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.InvalidOrderedListenerException;
import io.orderedexecutor.kafka.OrderedByKey;
import io.orderedexecutor.kafka.OrderedKafkaListenerContainerFactory;
import java.lang.reflect.AnnotatedElement;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.kafka.annotation.KafkaListenerAnnotationBeanPostProcessor.AnnotationEnhancer;

/**
 * Lets a {@code @KafkaListener} with {@code @OrderedByKey} use the ordered container factory, and refuses any other
 * factory.
 */
final class OrderedByKeyEnhancer implements AnnotationEnhancer {
    static final String FACTORY = "orderedKafkaListenerContainerFactory";

    private final ConfigurableBeanFactory beans;

    OrderedByKeyEnhancer(ConfigurableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public Map<String, Object> apply(Map<String, Object> attributes, AnnotatedElement element) {
        if (!AnnotatedElementUtils.hasAnnotation(element, OrderedByKey.class)) {
            return attributes;
        }
        String written = String.valueOf(attributes.get("containerFactory"));
        Object chosen = evaluate(written, element);
        Object named = chosen == null || chosen.equals("") ? FACTORY : chosen;
        if (!isOrdered(named)) {
            throw new InvalidOrderedListenerException(
                    "The listener " + element + " has @OrderedByKey and the containerFactory '"
                            + (named instanceof String name ? name : written)
                            + "', which makes containers without order per key",
                    "Remove containerFactory, or name an OrderedKafkaListenerContainerFactory.");
        }
        if (!named.equals(FACTORY)) {
            return attributes;
        }
        Map<String, Object> ordered = new HashMap<>(attributes);
        ordered.put("containerFactory", LateContainerFactory.NAME);
        return ordered;
    }

    /** Returns the name of the factory, or the factory itself, as Spring will find it. */
    private @Nullable Object evaluate(String written, AnnotatedElement element) {
        String text = beans.resolveEmbeddedValue(written);
        BeanExpressionResolver resolver = beans.getBeanExpressionResolver();
        if (resolver == null) {
            return text;
        }
        try {
            return resolver.evaluate(text, new BeanExpressionContext(beans, null));
        } catch (BeansException e) {
            // Spring itself can evaluate more, such as #{__listener}
            throw new InvalidOrderedListenerException(
                    "The listener " + element + " has @OrderedByKey and the containerFactory '" + written
                            + "', but the expression cannot be evaluated here to check that the factory keeps"
                            + " the order",
                    "Write the name of an OrderedKafkaListenerContainerFactory bean, or a placeholder for it.",
                    e);
        }
    }

    /** Returns whether the factory keeps the order. A name without a bean counts, too: Spring refuses it. */
    private boolean isOrdered(Object chosen) {
        return chosen instanceof String name
                ? !beans.containsBean(name) || beans.isTypeMatch(name, OrderedKafkaListenerContainerFactory.class)
                : chosen instanceof OrderedKafkaListenerContainerFactory;
    }
}
