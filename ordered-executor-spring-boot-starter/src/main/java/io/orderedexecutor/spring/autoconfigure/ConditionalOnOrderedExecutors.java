package io.orderedexecutor.spring.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless {@code ordered-executor.enabled} is false. Spring Boot's own condition takes a misspelt {@code true}
 * for false, and calls of annotated methods would then run on their callers' threads, without a warning.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Conditional(ConditionalOnOrderedExecutors.Enabled.class)
@interface ConditionalOnOrderedExecutors {

    /** The condition. */
    final class Enabled extends SpringBootCondition {

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            boolean enabled = PropertiesReader.isOn(
                    context.getEnvironment(), OrderedExecutorProperties.PREFIX + ".enabled", true);
            return new ConditionOutcome(
                    enabled,
                    ConditionMessage.forCondition(ConditionalOnOrderedExecutors.class)
                            .because(OrderedExecutorProperties.PREFIX + ".enabled is " + enabled));
        }
    }
}
