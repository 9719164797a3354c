package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.actuate.OrderedKafkaHealthIndicator;
import io.orderedexecutor.kafka.actuate.OrderedListeners;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;

/** Auto-configuration of the health of ordered listeners. */
@AutoConfiguration(
        after = OrderedKafkaAutoConfiguration.class,
        beforeName = "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration")
@ConditionalOnClass({HealthContributor.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean({ListenerProperties.class, KafkaListenerEndpointRegistry.class})
@ConditionalOnEnabledHealthIndicator("orderedkafka")
@EnableConfigurationProperties(OrderedKafkaHealthContributorAutoConfiguration.HealthProperties.class)
public final class OrderedKafkaHealthContributorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"orderedkafkaHealthIndicator", "orderedkafkaHealthContributor"})
    OrderedKafkaHealthIndicator orderedkafkaHealthIndicator(
            KafkaListenerEndpointRegistry registry, HealthProperties properties) {
        return new OrderedKafkaHealthIndicator(OrderedListeners.of(registry), properties.heldThreshold());
    }

    /**
     * What can be configured of the health of ordered listeners.
     *
     * @param heldThreshold How long a record may hold up the commits of its partition before the listener is down. When
     *     not set, that is not looked at.
     */
    @ConfigurationProperties("management.health.orderedkafka")
    record HealthProperties(@Nullable Duration heldThreshold) {}
}
