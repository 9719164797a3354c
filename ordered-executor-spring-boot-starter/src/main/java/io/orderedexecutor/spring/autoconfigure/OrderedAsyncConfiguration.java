package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.annotation.OrderedAsyncPostProcessor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/** The annotation. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class OrderedAsyncConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static OrderedAsyncPostProcessor orderedAsyncPostProcessor() {
        return new OrderedAsyncPostProcessor();
    }
}
