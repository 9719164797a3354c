package io.orderedexecutor.spring.autoconfigure;

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
@Import(StripedExecutorBeanDefinitions.class)
class StripedExecutorConfiguration {
    static final String FACTORY = "orderedExecutorStripedExecutorFactory";

    @Bean(FACTORY)
    StripedExecutorFactory stripedExecutorFactory(
            ObjectProvider<StripedExecutorCustomizer> customizers,
            ListableBeanFactory beanFactory,
            Environment environment) {
        return new StripedExecutorFactory(customizers, beanFactory, environment);
    }

    // registrars run after bean methods: this condition sees the application's executors, and not those from properties
    @Bean(name = "stripedExecutor", destroyMethod = "")
    @Primary
    @ConditionalOnMissingBean
    StripedExecutor stripedExecutor(StripedExecutorFactory factory) {
        return factory.create("stripedExecutor");
    }
}
