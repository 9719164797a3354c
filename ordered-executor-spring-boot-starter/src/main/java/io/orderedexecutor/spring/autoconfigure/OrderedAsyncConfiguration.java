package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.annotation.OrderedAsyncPostProcessor;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * The support for {@code @OrderedAsync}. Each context has a post-processor of its own, since a post-processor sees only
 * the beans of its own context.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class OrderedAsyncConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static OrderedAsyncPostProcessor orderedAsyncPostProcessor() {
        return new OrderedAsyncPostProcessor();
    }

    /** Advice on the MDC, if the libraries for the MDC and for context propagation are present. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = {"io.micrometer.context.ContextRegistry", "org.slf4j.MDC"})
    static class OfMdc {

        @Bean
        MdcAdvice orderedAsyncMdcAdvice(
                ListableBeanFactory beanFactory, ObjectProvider<OrderedAsyncPostProcessor> annotated) {
            return new MdcAdvice(beanFactory, annotated);
        }
    }
}
