package io.orderedexecutor.spring.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.spring.actuate.OrderedExecutorMetrics;
import io.orderedexecutor.spring.actuate.OrderedExecutorTaskMetrics;
import io.orderedexecutor.spring.annotation.OrderedAsyncCall;
import java.util.Map;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

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
public final class OrderedExecutorMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    OrderedExecutorMetrics orderedExecutorMetrics(Map<String, OrderedExecutor> executors) {
        return new OrderedExecutorMetrics(executors);
    }

    @Bean
    @ConditionalOnBooleanProperty(OrderedExecutorProperties.PREFIX + ".metrics.task-timers")
    ListenerCustomizer orderedExecutorTaskTimers(MeterRegistry registry, OrderedExecutorProperties properties) {
        // not an observation and a timer of the same call
        boolean observed = properties.observations().enabled();
        return new ListenerCustomizer((name, type) -> new OrderedExecutorTaskMetrics(
                registry, name, type, task -> !(observed && task instanceof OrderedAsyncCall)));
    }
}
