package io.orderedexecutor.spring.autoconfigure;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * Logs a warning about annotated methods if {@code ordered-executor.enabled} is false. Nothing else is configured in
 * this case.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(UnorderedMethodsConfiguration.SwitchedOff.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class UnorderedMethodsConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static UnorderedMethods orderedAsyncUnorderedMethods() {
        return new UnorderedMethods();
    }

    /** Matches if {@code ordered-executor.enabled} is false. */
    static final class SwitchedOff extends NoneNestedConditions {
        SwitchedOff() {
            super(ConfigurationPhase.PARSE_CONFIGURATION);
        }

        @ConditionalOnOrderedExecutors
        static final class SwitchedOn {}
    }
}
