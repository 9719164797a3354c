package io.orderedexecutor.test.spring;

import io.orderedexecutor.test.SteppedExecutor;
import org.springframework.beans.factory.ObjectFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Makes the stepped executor injectable, although it is not a bean: a bean of type
 * {@link java.util.concurrent.Executor} would replace Spring Boot's {@code applicationTaskExecutor}.
 */
final class SteppedExecutorInjection implements BeanFactoryPostProcessor {

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        ObjectFactory<SteppedExecutor> executor =
                () -> beans.getBean(SteppedThreads.class).executor();
        beans.registerResolvableDependency(SteppedExecutor.class, executor);
    }
}
