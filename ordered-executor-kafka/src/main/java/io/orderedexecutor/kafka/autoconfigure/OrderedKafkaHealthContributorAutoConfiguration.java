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
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;

/** Auto-configuration of the health of ordered listeners. */
@AutoConfiguration(
        after = OrderedKafkaAutoConfiguration.class,
        beforeName = "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration")
@ConditionalOnClass({HealthContributor.class, ConditionalOnEnabledHealthIndicator.class, EnableKafka.class})
@ConditionalOnBean({ListenerProperties.class, KafkaListenerEndpointRegistry.class})
@ConditionalOnEnabledHealthIndicator("orderedkafka")
@EnableConfigurationProperties(OrderedKafkaHealthContributorAutoConfiguration.HealthProperties.class)
final class OrderedKafkaHealthContributorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"orderedkafkaHealthIndicator", "orderedkafkaHealthContributor"})
    OrderedKafkaHealthIndicator orderedkafkaHealthIndicator(
            KafkaListenerEndpointRegistry registry, HealthProperties properties) {
        return new OrderedKafkaHealthIndicator(
                OrderedListeners.of(registry), properties.parkedThreshold(), properties.heldThreshold());
    }

    /**
     * Properties of the health of ordered listeners.
     *
     * @param enabled Whether to enable the health of ordered Kafka listeners.
     * @param parkedThreshold Number of parked records from which on a listener is down. With 0, the number is not
     *     checked.
     * @param heldThreshold How long a record may hold up the commits of its partition before the listener is down, in
     *     milliseconds unless it has a unit. When not set, this time is not checked.
     */
    @ConfigurationProperties(prefix = HealthProperties.PREFIX, ignoreUnknownFields = false)
    record HealthProperties(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("0") int parkedThreshold,
            @Nullable Duration heldThreshold) {
        static final String PREFIX = "management.health.orderedkafka";

        HealthProperties {
            require(parkedThreshold >= 0, "parked-threshold", parkedThreshold, "at least 0");
            require(
                    heldThreshold == null || !(heldThreshold.isNegative() || heldThreshold.isZero()),
                    "held-threshold",
                    heldThreshold,
                    "more than zero");
        }

        private static void require(boolean right, String name, @Nullable Object value, String range) {
            if (!right) {
                throw new InvalidConfigurationPropertyValueException(
                        PREFIX + "." + name,
                        value,
                        "It must be " + range + ". Remove the property to disable the check.");
            }
        }
    }
}
