package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.actuate.OrderedKafkaEndpoint;
import io.orderedexecutor.kafka.actuate.OrderedListeners;
import java.util.Set;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;

/** Auto-configuration of the actuator endpoint that shows ordered listeners. */
@AutoConfiguration(after = OrderedKafkaAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class, EnableKafka.class})
@ConditionalOnBean({ListenerProperties.class, KafkaListenerEndpointRegistry.class})
@ConditionalOnAvailableEndpoint(OrderedKafkaEndpoint.class)
@EnableConfigurationProperties(OrderedKafkaEndpointAutoConfiguration.EndpointProperties.class)
final class OrderedKafkaEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    OrderedKafkaEndpoint orderedKafkaEndpoint(
            KafkaListenerEndpointRegistry registry,
            EndpointProperties properties,
            ObjectProvider<SanitizingFunction> sanitizingFunctions) {
        return new OrderedKafkaEndpoint(
                OrderedListeners.of(registry),
                properties.showValues(),
                properties.roles(),
                sanitizingFunctions.orderedStream().toList());
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    OrderedKafkaEndpointWebExtension orderedKafkaEndpointWebExtension(OrderedKafkaEndpoint endpoint) {
        return new OrderedKafkaEndpointWebExtension(endpoint);
    }

    /**
     * Properties of the endpoint.
     *
     * @param showValues When to show keys and failure messages, which are the application's, instead of masking them.
     * @param roles Roles that make a user authorized to be shown values. When empty, all authenticated users are
     *     authorized.
     */
    @ConfigurationProperties("management.endpoint.orderedkafka")
    record EndpointProperties(
            @DefaultValue("never") Show showValues,
            @DefaultValue Set<String> roles) {}
}
