package io.orderedexecutor.spring.annotation;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * The factory of listeners. Each context has a factory of its own, since Spring looks for such factories only in the
 * same context. The auto-configuration imports this class by its name, so that the class need not be public.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class OrderedTransactionalListenersConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static OrderedTransactionalEventListenerFactory orderedTransactionalEventListenerFactory(
            ConfigurableListableBeanFactory beanFactory) {
        return new OrderedTransactionalEventListenerFactory(beanFactory);
    }
}
