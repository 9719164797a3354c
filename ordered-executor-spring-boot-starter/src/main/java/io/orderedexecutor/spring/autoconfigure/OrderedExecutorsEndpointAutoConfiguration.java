package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsyncPostProcessor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the actuator endpoint that shows ordered executors. */
@AutoConfiguration(after = OrderedExecutorAutoConfiguration.class)
@ConditionalOnClass({OrderedExecutor.class, Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(OrderedExecutor.class)
@ConditionalOnOrderedExecutors
@ConditionalOnAvailableEndpoint(OrderedExecutorsEndpoint.class)
@EnableConfigurationProperties(OrderedExecutorsEndpointProperties.class)
final class OrderedExecutorsEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    OrderedExecutorsEndpoint orderedExecutorsEndpoint(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<OrderedAsyncPostProcessor> annotated,
            OrderedExecutorsEndpointProperties properties,
            ObjectProvider<SanitizingFunction> sanitizingFunctions) {
        return new OrderedExecutorsEndpoint(
                ExecutorsByName.of(beanFactory),
                name -> annotated
                        .orderedStream()
                        .flatMap(methods -> methods.methodsOf(name).stream())
                        .toList(),
                properties.showValues(),
                sanitizingFunctions.orderedStream().toList());
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    OrderedExecutorsEndpointWebExtension orderedExecutorsEndpointWebExtension(
            OrderedExecutorsEndpoint endpoint, OrderedExecutorsEndpointProperties properties) {
        return new OrderedExecutorsEndpointWebExtension(endpoint, properties.showValues(), properties.roles());
    }

    /** The texts for the log. Many people may read the log, so it shows only what the endpoint shows to everybody. */
    @Bean
    @ConditionalOnMissingBean
    ExplanationTexts orderedExecutorExplanationTexts(OrderedExecutorsEndpoint endpoint) {
        return endpoint::textForAll;
    }

    @Bean
    UnknownFieldsAdvisor orderedExecutorsUnknownFieldsAdvisor() {
        return new UnknownFieldsAdvisor();
    }
}
