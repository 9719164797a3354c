package io.orderedexecutor.spring.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * Matches unless {@code ordered-executor.enabled} is false. With Spring Boot's own condition, a misspelt {@code true}
 * would let calls of annotated methods run on their callers' threads, without a warning.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Conditional(ConditionalOnOrderedExecutors.Enabled.class)
@interface ConditionalOnOrderedExecutors {

    /** The condition. */
    final class Enabled extends OnSwitch {

        Enabled() {
            super(OrderedExecutorProperties.PREFIX + ".enabled", true);
        }
    }
}
