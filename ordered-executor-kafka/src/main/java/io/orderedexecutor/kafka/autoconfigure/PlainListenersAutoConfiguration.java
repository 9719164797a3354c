package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.OrderedKafkaListenerContainerFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;

/**
 * Auto-configuration of a warning about methods and classes with {@code @OrderedByKey} where the annotation has no
 * effect. Nothing else is configured in this case.
 */
@AutoConfiguration(after = {KafkaAutoConfiguration.class, OrderedKafkaAutoConfiguration.class})
@ConditionalOnClass({EnableKafka.class, KafkaAutoConfiguration.class})
@ConditionalOnBean(KafkaListenerEndpointRegistry.class)
@ConditionalOnMissingBean(
        value = {OrderedByKeyEnhancer.class, OrderedKafkaListenerContainerFactory.class},
        search = SearchStrategy.CURRENT)
final class PlainListenersAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static PlainListeners orderedKafkaPlainListeners() {
        return new PlainListeners();
    }
}
