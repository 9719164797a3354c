package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.annotation.OrderedTransactionalEventListenerFactory;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.transaction.event.TransactionalEventListener;

/** Tasks of transactions, in the order of commits. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(TransactionalEventListener.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class OrderedTransactionsConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static OrderedTransactionsPostProcessor orderedTransactionsPostProcessor(
            Environment environment, ObjectProvider<UnfinishedTasksHandler> handlers) {
        return new OrderedTransactionsPostProcessor(
                PropertiesReader.runsUnknownOutcomes(environment), new UnfinishedTasks(handlers)::handOver);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static OrderedTransactionalEventListenerFactory orderedTransactionalEventListenerFactory(
            ConfigurableListableBeanFactory beanFactory) {
        return new OrderedTransactionalEventListenerFactory(beanFactory);
    }
}
