package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the actuator endpoint that records what ordered executors do. */
@AutoConfiguration(after = OrderedExecutorAutoConfiguration.class)
@ConditionalOnClass(
        value = {OrderedExecutor.class, Endpoint.class, ConditionalOnAvailableEndpoint.class},
        name = "jdk.jfr.Recording")
@ConditionalOnBean(OrderedExecutor.class)
@ConditionalOnOrderedExecutors
@ConditionalOnAvailableEndpoint(OrderedTimelineEndpoint.class)
@EnableConfigurationProperties(OrderedExecutorsEndpointProperties.class)
final class OrderedTimelineEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    OrderedTimelineEndpoint orderedTimelineEndpoint(
            OrderedExecutorsEndpointProperties properties, ObjectProvider<SanitizingFunction> sanitizingFunctions) {
        return new OrderedTimelineEndpoint(
                properties.showValues(),
                properties.roles(),
                sanitizingFunctions.orderedStream().toList());
    }

    /** The listener of all executors. Recordings contain no keys if the endpoint shows them to nobody. */
    @Bean
    ListenerCustomizer orderedExecutorFlightRecorder(OrderedExecutorsEndpointProperties properties) {
        boolean keys = properties.showValues() != Show.NEVER;
        return new ListenerCustomizer((name, type) -> OrderedTimelineEndpoint.listener(name, keys));
    }
}
