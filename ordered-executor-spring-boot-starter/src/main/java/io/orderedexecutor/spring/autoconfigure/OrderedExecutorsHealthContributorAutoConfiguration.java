package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.TaskListener;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of the health contributor for ordered executors. */
@AutoConfiguration(
        after = OrderedExecutorAutoConfiguration.class,
        beforeName = "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration")
@ConditionalOnClass({OrderedExecutor.class, HealthContributor.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(OrderedExecutor.class)
@ConditionalOnOrderedExecutors
@ConditionalOnEnabledHealthIndicator("orderedexecutors")
@EnableConfigurationProperties(OrderedExecutorsHealthProperties.class)
final class OrderedExecutorsHealthContributorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"orderedexecutorsHealthIndicator", "orderedexecutorsHealthContributor"})
    OrderedExecutorsHealthContributor orderedexecutorsHealthContributor(
            ConfigurableListableBeanFactory beanFactory,
            OrderedExecutorsHealthProperties properties,
            Environment environment) {
        properties.check(new PropertyFailures(environment));
        return new OrderedExecutorsHealthContributor(
                ExecutorsByName.of(beanFactory), properties.parkedThreshold(), properties.ageThreshold());
    }

    /** A listener for all auto-configured executors: only an executor with a listener times its tasks. */
    @Bean
    @ConditionalOnProperty(OrderedExecutorsHealthProperties.PREFIX + ".age-threshold")
    ListenerCustomizer orderedExecutorTaskAges() {
        return new ListenerCustomizer((name, type) -> new TaskListener() {});
    }
}
