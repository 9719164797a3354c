package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedExecutorBuilder;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.OrderedOutputExecutorBuilder;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.TaskListener;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;

/** The beans of the executors, and of builders for further ones. */
@Configuration(proxyBeanMethods = false)
@Import(NamedExecutorBeanDefinitions.class)
class ExecutorsConfiguration {
    static final String FACTORY = "orderedExecutorFactory";

    @Bean(FACTORY)
    ExecutorFactory orderedExecutorFactory(
            ObjectProvider<TaskListener> listeners,
            ObjectProvider<StripedExecutorCustomizer> stripedCustomizers,
            ObjectProvider<GroupedExecutorCustomizer> groupedCustomizers,
            ObjectProvider<OrderedOutputExecutorCustomizer> orderedOutputCustomizers,
            ListableBeanFactory beanFactory,
            Environment environment) {
        return new ExecutorFactory(
                listeners, stripedCustomizers, groupedCustomizers, orderedOutputCustomizers, beanFactory, environment);
    }

    // registrars run after bean methods: these conditions see the application's executors, and not those from
    // properties
    @Bean(name = "groupedExecutor", destroyMethod = "")
    @Primary
    @ConditionalOnMissingBean
    GroupedExecutor groupedExecutor(ExecutorFactory factory) {
        return factory.createDefaultExecutor();
    }

    /** The stripes of the only or primary grouped executor, whether this class or the application defines it. */
    @Bean(name = "stripedExecutor", destroyMethod = "")
    @Primary
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(GroupedExecutor.class)
    StripedExecutor stripesOfGroupedExecutor(GroupedExecutor groupedExecutor) {
        return groupedExecutor.stripes();
    }

    /** A separate executor, if the application has several grouped executors and none of them is primary. */
    @Bean(name = "stripedExecutor", destroyMethod = "")
    @Primary
    @ConditionalOnMissingBean
    StripedExecutor stripedExecutor(ExecutorFactory factory) {
        return factory.createDefaultExecutor().stripes();
    }

    /** A builder for executors that the application builds itself, with the settings of the default one. */
    @Bean
    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    @ConditionalOnMissingBean
    StripedExecutorBuilder stripedExecutorBuilder(ExecutorFactory factory) {
        return factory.newStripedBuilder("stripedExecutorBuilder");
    }

    /** A builder for executors that the application builds itself, with the settings of the default one. */
    @Bean
    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    @ConditionalOnMissingBean
    GroupedExecutorBuilder groupedExecutorBuilder(ExecutorFactory factory) {
        return factory.newGroupedBuilder("groupedExecutorBuilder");
    }

    /** A builder for executors that the application builds itself, with the settings of the one for ordered outputs. */
    @Bean
    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    @ConditionalOnMissingBean
    OrderedOutputExecutorBuilder orderedOutputExecutorBuilder(ExecutorFactory factory) {
        return factory.newOrderedOutputBuilder("orderedOutputExecutorBuilder");
    }

    @Bean(name = "orderedOutputExecutor", destroyMethod = "")
    @Primary
    @ConditionalOnMissingBean
    OrderedOutputExecutor orderedOutputExecutor(ExecutorFactory factory) {
        return factory.createOrderedOutputExecutor("orderedOutputExecutor");
    }
}
