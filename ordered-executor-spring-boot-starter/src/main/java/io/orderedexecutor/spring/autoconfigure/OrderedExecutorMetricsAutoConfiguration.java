package io.orderedexecutor.spring.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.event.TransactionalEventListener;

/** Auto-configuration of the meters of ordered executors. */
@AutoConfiguration(
        after = OrderedExecutorAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({OrderedExecutor.class, MeterRegistry.class})
@ConditionalOnBean({OrderedExecutor.class, MeterRegistry.class})
@ConditionalOnOrderedExecutors
final class OrderedExecutorMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    OrderedExecutorMetrics orderedExecutorMetrics(ConfigurableListableBeanFactory beanFactory) {
        return new OrderedExecutorMetrics(ExecutorsByName.of(beanFactory));
    }

    @Bean
    @Conditional(OnTaskTimers.class)
    ListenerCustomizer orderedExecutorTaskTimers(MeterRegistry registry) {
        return new ListenerCustomizer((name, type) -> OrderedExecutorMetrics.taskTimers(registry, name, type));
    }

    /** The meters of tasks of transactions. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(TransactionalEventListener.class)
    static class OfTransactions {

        @Bean
        @ConditionalOnBean(OrderedTransactionsPostProcessor.class)
        @ConditionalOnMissingBean(name = "orderedTransactionsMetrics")
        MeterBinder orderedTransactionsMetrics(
                ConfigurableListableBeanFactory beanFactory, OrderedTransactionsPostProcessor transactions) {
            return new OrderedTransactionsMetrics(ExecutorsByName.of(beanFactory), transactions);
        }
    }

    /** Matches if tasks are to be timed. */
    static final class OnTaskTimers extends OnSwitch {

        OnTaskTimers() {
            super(OrderedExecutorProperties.TASK_TIMERS, false);
        }
    }
}
