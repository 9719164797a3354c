package io.orderedexecutor.spring.autoconfigure;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/** The end of the executors: of all beans, those that the application defines included. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class ExecutorsLifecycleConfiguration {

    @Bean
    ExecutorsLifecycle orderedExecutorsLifecycle(ConfigurableListableBeanFactory beanFactory) {
        return new ExecutorsLifecycle(beanFactory);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ExecutorsShutdown orderedExecutorsShutdown() {
        return new ExecutorsShutdown();
    }
}
