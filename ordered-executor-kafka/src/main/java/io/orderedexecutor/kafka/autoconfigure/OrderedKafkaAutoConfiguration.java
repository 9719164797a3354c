package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.OrderedKafkaListenerContainerFactory;
import io.orderedexecutor.kafka.OrderedMessageListenerContainer;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import org.apache.commons.logging.LogFactory;
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
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.config.ContainerCustomizer;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ConsumerRecordRecoverer;

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
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static OrderedByKeyEnhancer orderedByKeyEnhancer(BeanFactory beans) {
        return new OrderedByKeyEnhancer(beans);
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

    @Bean
    @ConditionalOnMissingBean(name = OrderedByKeyEnhancer.FACTORY)
    OrderedKafkaListenerContainerFactory<Object, Object> orderedKafkaListenerContainerFactory(
            ListenerProperties properties,
            ListableBeanFactory beans,
            ConcurrentKafkaListenerContainerFactoryConfigurer configurer,
            ConsumerFactory<Object, Object> consumerFactory,
            ObjectProvider<ConsumerRecordRecoverer> recoverers,
            ObjectProvider<KafkaTemplate<?, ?>> templates,
            ObjectProvider<ListenerBinder> binders,
            ObjectProvider<CommonErrorHandler> errorHandlers,
            ObjectProvider<ContainerCustomizer<Object, Object, ConcurrentMessageListenerContainer<Object, Object>>>
                    customizers) {
        OrderedKafkaListenerContainerFactory<Object, Object> factory = new OrderedKafkaListenerContainerFactory<>(
                new ConfiguredListeners(properties, beans, recoverers, templates, binders));
        configurer.configure(factory, consumerFactory);
        customizers.ifAvailable(factory::setContainerCustomizer);
        if (errorHandlers.stream().findAny().isPresent()) {
            LogFactory.getLog(OrderedMessageListenerContainer.class)
                    .info("Ordered listeners do not use the CommonErrorHandler bean: retries and what follows "
                            + "them are configured under "
                            + OrderedKafkaProperties.PREFIX);
        }
        return factory;
    }
}
