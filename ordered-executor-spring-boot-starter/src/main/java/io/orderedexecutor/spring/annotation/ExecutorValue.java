package io.orderedexecutor.spring.annotation;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The value of an attribute that names an executor, with placeholders and <code>#{...}</code> expressions as in
 * {@code @Value}.
 */
final class ExecutorValue {
    private final ConfigurableListableBeanFactory beanFactory;
    private final String example;

    /** @param example the name of an executor, for messages */
    ExecutorValue(ConfigurableListableBeanFactory beanFactory, String example) {
        this.beanFactory = beanFactory;
        this.example = example;
    }

    /** Returns the name of an executor, or the value of the expression. */
    @Nullable
    Object of(String executor, String where) {
        String text = resolved(executor, where);
        BeanExpressionResolver resolver = beanFactory.getBeanExpressionResolver();
        if (text == null || resolver == null || !text.contains("#{")) {
            return text;
        }
        try {
            return resolver.evaluate(text, new BeanExpressionContext(beanFactory, null));
        } catch (BeansException e) {
            throw new InvalidOrderedAsyncException(
                    where + " has the executor '" + executor + "', an expression that cannot be evaluated ("
                            + e.getMostSpecificCause().getMessage() + ")",
                    "Correct it; #{@nameOfABean} is a bean, and '" + example + "' alone is the name of one.",
                    e);
        }
    }

    /**
     * Returns the text with its placeholders resolved. Throws if a placeholder has no value: depending on the resolver,
     * the resolution fails, or the placeholder stays in the text.
     */
    private @Nullable String resolved(String executor, String where) {
        IllegalArgumentException failure = null;
        String text = executor;
        try {
            text = beanFactory.resolveEmbeddedValue(executor);
        } catch (IllegalArgumentException e) {
            failure = e;
        }
        if (failure != null || (text != null && text.contains("${"))) {
            throw new InvalidOrderedAsyncException(
                    where + " names the executor '" + executor + "', a placeholder that cannot be resolved"
                            + (failure == null ? "" : " (" + failure.getMessage() + ")"),
                    "Set the property, or give it a default as in ${name:" + example + "}.",
                    failure);
        }
        return text;
    }
}
