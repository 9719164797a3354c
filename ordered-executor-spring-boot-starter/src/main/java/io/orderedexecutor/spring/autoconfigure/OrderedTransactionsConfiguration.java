package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.annotation.OrderedTransactionalEventListenerFactory;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.event.TransactionalEventListener;

/**
 * Tasks of transactions, in the order of commits. Each context has these beans: a post-processor sees the beans of its
 * own context only, and so do those who look for factories of listeners.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(TransactionalEventListener.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class OrderedTransactionsConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static OrderedTransactionsPostProcessor orderedTransactionsPostProcessor(
            ObjectProvider<UnfinishedTasksHandler> handlers) {
        return new OrderedTransactionsPostProcessor(false, new UnfinishedTasks(handlers)::handOver);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static OrderedTransactionalEventListenerFactory orderedTransactionalEventListenerFactory(
            ConfigurableListableBeanFactory beanFactory) {
        return new OrderedTransactionalEventListenerFactory(beanFactory);
    }
}
