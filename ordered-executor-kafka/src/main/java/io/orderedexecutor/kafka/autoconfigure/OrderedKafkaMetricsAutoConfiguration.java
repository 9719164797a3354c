package io.orderedexecutor.kafka.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.OrderedListenerMetrics;
import io.orderedexecutor.kafka.OrderedMessageListenerContainer;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorMetrics;
import java.util.Map;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.kafka.autoconfigure.ConcurrentKafkaListenerContainerFactoryConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.EnableKafka;

/** Auto-configuration of the meters of ordered listeners. */
@AutoConfiguration(
        before = OrderedKafkaAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, EnableKafka.class, ConcurrentKafkaListenerContainerFactoryConfigurer.class})
@ConditionalOnBean(MeterRegistry.class)
final class OrderedKafkaMetricsAutoConfiguration {

    @Bean
    ListenerBinder orderedKafkaMetrics(MeterRegistry registry) {
        return new ListenerBinder() {
            @Override
            public void bind(OrderedMessageListenerContainer<?, ?> container) {
                OrderedListenerMetrics.bind(container, registry);
            }

            @Override
            public void bindOwn(StripedExecutor executor) {
                new OrderedExecutorMetrics(Map.of(executor.name(), executor)).bindTo(registry);
            }
        };
    }
}
