package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.InvalidOrderedListenerException;
import io.orderedexecutor.kafka.OrderedKafkaListenerContainerFactory;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import java.util.List;
import java.util.TreeSet;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.kafka.autoconfigure.ConcurrentKafkaListenerContainerFactoryConfigurer;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.config.ContainerCustomizer;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;

/**
 * Auto-configuration of {@code @OrderedByKey} and of the container factory behind it, beside Spring Boot's own factory.
 */
@AutoConfiguration(after = {OrderedExecutorAutoConfiguration.class, KafkaAutoConfiguration.class})
@ConditionalOnClass({EnableKafka.class, ConcurrentKafkaListenerContainerFactoryConfigurer.class})
@ConditionalOnBean({
    StripedExecutor.class,
    ConsumerFactory.class,
    ConcurrentKafkaListenerContainerFactoryConfigurer.class
})
@EnableConfigurationProperties(OrderedKafkaProperties.class)
@ImportRuntimeHints(OrderedKafkaRuntimeHints.class)
public final class OrderedKafkaAutoConfiguration {

    @Bean
    ListenerProperties orderedKafkaListenerProperties(Environment environment) {
        return new ListenerProperties(environment);
    }

    @Bean
    ConfiguredListeners orderedKafkaListeners(
            ListenerProperties properties,
            ListableBeanFactory beans,
            OwnExecutors executors,
            ObjectProvider<ListenerBinder> binders) {
        return new ConfiguredListeners(properties, beans, executors, binders);
    }

    @Bean
    OwnExecutors orderedKafkaOwnExecutors(ListableBeanFactory beans, Environment environment) {
        return new OwnExecutors(beans, environment);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static FactoryInitialization orderedKafkaFactoryInitialization(ObjectProvider<ConfiguredListeners> listeners) {
        return new FactoryInitialization(listeners);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static OrderedByKeyEnhancer orderedByKeyEnhancer(ConfigurableApplicationContext context) {
        return new OrderedByKeyEnhancer(context.getBeanFactory());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static OrderedByKeyWithoutListener orderedByKeyWithoutListener() {
        return new OrderedByKeyWithoutListener();
    }

    @Bean
    UnusedSettingsCheck orderedKafkaUnusedSettingsCheck(ListenerProperties properties) {
        return new UnusedSettingsCheck(properties);
    }

    /** Not for injection: an application that injects a factory means its own, or Spring Boot's. */
    @Bean(name = LateContainerFactory.NAME, defaultCandidate = false)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    LateContainerFactory orderedKafkaLateContainerFactory(BeanFactory beans) {
        return new LateContainerFactory(beans);
    }

    /**
     * The default container factory. Created only when a listener needs it, since its creation fails if there is no
     * single consumer factory.
     */
    @Bean
    @Lazy
    @ConditionalOnMissingBean(name = OrderedByKeyEnhancer.FACTORY)
    OrderedKafkaListenerContainerFactory<Object, Object> orderedKafkaListenerContainerFactory(
            ConcurrentKafkaListenerContainerFactoryConfigurer configurer,
            ListableBeanFactory beans,
            ObjectProvider<ConsumerFactory<Object, Object>> consumerFactories,
            ObjectProvider<ContainerCustomizer<Object, Object, ConcurrentMessageListenerContainer<Object, Object>>>
                    customizers) {
        OrderedKafkaListenerContainerFactory<Object, Object> factory = new OrderedKafkaListenerContainerFactory<>();
        configurer.configure(factory, consumerFactories.getIfUnique(() -> onlyConsumerFactory(beans)));
        customizers.ifAvailable(factory::setContainerCustomizer);
        return factory;
    }

    /**
     * Returns the only consumer factory. Without this, Spring Boot would create one from {@code spring.kafka} if the
     * type arguments differ, and might use another broker.
     */
    @SuppressWarnings("unchecked")
    private static ConsumerFactory<Object, Object> onlyConsumerFactory(ListableBeanFactory beans) {
        ConsumerFactory<Object, Object> only =
                beans.getBeanProvider(ConsumerFactory.class).getIfUnique();
        if (only == null) {
            throw new InvalidOrderedListenerException(
                    "Ordered listeners need one ConsumerFactory bean, and there are "
                            + String.join(
                                    ", ", new TreeSet<>(List.of(beans.getBeanNamesForType(ConsumerFactory.class)))),
                    "Mark one of them with @Primary, or define the container factory '" + OrderedByKeyEnhancer.FACTORY
                            + "' with one of them, as a bean of the type OrderedKafkaListenerContainerFactory.");
        }
        return only;
    }
}
