package io.orderedexecutor.spring.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if a property is on. Spring Boot's own condition compares texts: it takes {@code yes} and a misspelt
 * {@code true} for false.
 */
abstract class OnSwitch extends SpringBootCondition {
    private final String property;
    private final boolean byDefault;

    OnSwitch(String property, boolean byDefault) {
        this.property = property;
        this.byDefault = byDefault;
    }

    @Override
    public final ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean isOn = PropertiesReader.isOn(context.getEnvironment(), property, byDefault);
        return new ConditionOutcome(isOn, property + " is " + isOn);
    }
}
