package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.transaction.event.TransactionalEventListener;

/**
 * Tasks of transactions, in the order of commits. Each context has these beans: a post-processor sees the beans of its
 * own context only.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(TransactionalEventListener.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(OrderedTransactionsConfiguration.ListenersSelector.class)
class OrderedTransactionsConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static OrderedTransactionsPostProcessor orderedTransactionsPostProcessor(
            ObjectProvider<UnfinishedTasksHandler> handlers) {
        return new OrderedTransactionsPostProcessor(false, new UnfinishedTasks(handlers)::handOver);
    }

    /** Imports the configuration by its name, since its class is not public. */
    static final class ListenersSelector implements ImportSelector {
        private static final String CONFIGURATION =
                "io.orderedexecutor.spring.annotation.OrderedTransactionalListenersConfiguration";

        @Override
        public String[] selectImports(AnnotationMetadata importingClass) {
            return new String[] {CONFIGURATION};
        }
    }
}
