package io.orderedexecutor.spring.autoconfigure;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints what is wrong with a property instead of a stack trace, in the layout of Spring Boot's own analyzers. */
final class OrderedExecutorPropertyFailureAnalyzer extends AbstractFailureAnalyzer<OrderedExecutorPropertyException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, OrderedExecutorPropertyException cause) {
        StringBuilder description = new StringBuilder("An ordered executor is configured wrongly:\n");
        description.append("%n    Property: %s".formatted(cause.property()));
        ConfigurationProperty source = cause.source();
        if (source != null) {
            boolean below = !source.getName().equals(ConfigurationPropertyName.adapt(cause.property(), '.'));
            description.append(below ? "" : "%n    Value: \"%s\"".formatted(source.getValue()));
            if (source.getOrigin() != null) {
                description.append("%n    Origin: %s".formatted(source.getOrigin()));
                description.append(below ? " (%s)".formatted(source.getName()) : "");
            }
        }
        description.append("%n    Reason: %s".formatted(cause.reason()));
        return new FailureAnalysis(description.toString(), cause.mend(), cause);
    }
}
