package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.annotation.OrderedAsyncPostProcessor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/** The beans that drain and end all executor beans, those of the application included. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class ExecutorsLifecycleConfiguration {

    @Bean
    CurrentDrain orderedExecutorsDrain(ConfigurableListableBeanFactory beanFactory) {
        return new CurrentDrain(new CreatedExecutors(beanFactory));
    }

    @Bean
    ExecutorsLifecycle orderedExecutorsLifecycle(ConfigurableListableBeanFactory beanFactory, CurrentDrain drain) {
        return new ExecutorsLifecycle(new CreatedExecutors(beanFactory), drain);
    }

    @Bean
    ExecutorsHardStop orderedExecutorsHardStop(
            ConfigurableListableBeanFactory beanFactory,
            CurrentDrain drain,
            ObjectProvider<UnfinishedTasksHandler> handlers,
            ConfigurableApplicationContext context) {
        return new ExecutorsHardStop(new CreatedExecutors(beanFactory), drain, new UnfinishedTasks(handlers), context);
    }

    @Bean
    StuckTasks orderedExecutorsStuckTasks(
            ConfigurableListableBeanFactory beanFactory,
            ExecutorFactory factory,
            ObjectProvider<ExplanationTexts> texts) {
        return new StuckTasks(
                new CreatedExecutors(beanFactory),
                factory::shortestWarnAfter,
                factory::warnAfter,
                (kind, value) ->
                        texts.getIfAvailable(() -> ExplanationTexts.MASKED).apply(kind, value));
    }

    @Bean
    ParkedTasks orderedExecutorsParkedTasks(
            ConfigurableListableBeanFactory beanFactory,
            ExecutorFactory factory,
            ObjectProvider<ExplanationTexts> texts) {
        return new ParkedTasks(
                new CreatedExecutors(beanFactory),
                factory::isAnyToPark,
                (kind, value) ->
                        texts.getIfAvailable(() -> ExplanationTexts.MASKED).apply(kind, value),
                System::nanoTime);
    }

    @Bean
    StartUpReport orderedExecutorsStartUpReport(
            ConfigurableListableBeanFactory beanFactory,
            ExecutorFactory factory,
            ObjectProvider<OrderedAsyncPostProcessor> annotated) {
        return new StartUpReport(
                new CreatedExecutors(beanFactory),
                factory::isConfigured,
                name -> annotated.stream()
                        .anyMatch(methods -> !methods.methodsOf(name).isEmpty()));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ExecutorsShutdown orderedExecutorsShutdown(ObjectProvider<UnfinishedTasksHandler> handlers) {
        return new ExecutorsShutdown(new UnfinishedTasks(handlers));
    }
}
