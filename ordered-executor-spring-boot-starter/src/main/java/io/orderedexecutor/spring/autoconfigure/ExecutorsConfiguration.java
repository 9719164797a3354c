package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.StripedExecutor;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;

/** The executors. */
@Configuration(proxyBeanMethods = false)
@Import(NamedExecutorBeanDefinitions.class)
class ExecutorsConfiguration {
    static final String FACTORY = "orderedExecutorFactory";

    @Bean(FACTORY)
    ExecutorFactory orderedExecutorFactory(
            ObjectProvider<StripedExecutorCustomizer> stripedCustomizers,
            ObjectProvider<GroupedExecutorCustomizer> groupedCustomizers,
            ObjectProvider<OrderedOutputExecutorCustomizer> orderedOutputCustomizers,
            ListableBeanFactory beanFactory,
            Environment environment) {
        return new ExecutorFactory(
                stripedCustomizers, groupedCustomizers, orderedOutputCustomizers, beanFactory, environment);
    }

    // registrars run after bean methods: these conditions see the application's executors, and not those from
    // properties
    @Bean(name = "stripedExecutor", destroyMethod = "")
    @Primary
    @ConditionalOnMissingBean
    StripedExecutor stripedExecutor(ExecutorFactory factory) {
        return factory.createStripedExecutor("stripedExecutor");
    }

    @Bean(name = "groupedExecutor", destroyMethod = "")
    @Primary
    @ConditionalOnMissingBean
    GroupedExecutor groupedExecutor(ExecutorFactory factory) {
        return factory.createGroupedExecutor("groupedExecutor");
    }

    @Bean(name = "orderedOutputExecutor", destroyMethod = "")
    @Primary
    @ConditionalOnMissingBean
    OrderedOutputExecutor orderedOutputExecutor(ExecutorFactory factory) {
        return factory.createOrderedOutputExecutor("orderedOutputExecutor");
    }
}
