package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.kafka.actuate.OrderedKafkaHealthIndicator;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What can be configured of the health of ordered listeners. No broker is needed. */
class HealthPropertiesTest {
    private static final String PREFIX = "management.health.orderedkafka.";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class,
                    KafkaAutoConfiguration.class,
                    OrderedKafkaAutoConfiguration.class,
                    OrderedKafkaHealthContributorAutoConfiguration.class))
            .withPropertyValues("spring.kafka.bootstrap-servers=localhost:1");

    @ParameterizedTest
    @CsvSource({
        "parked-threshold=-1, at least 0",
        "held-threshold=0s, more than zero",
        "held-threshold=-1s, more than zero",
        "parked-thresholds=1, parked-thresholds"
    })
    void aWrongOneFailsTheStart(String property, String message) {
        runner.withPropertyValues(PREFIX + property)
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining(message));
    }

    @Test
    void theHealthIsThereUnlessItIsDisabled() {
        runner.withPropertyValues(PREFIX + "parked-threshold=1", PREFIX + "held-threshold=5m", PREFIX + "enabled=true")
                .run(context -> assertThat(context).hasSingleBean(OrderedKafkaHealthIndicator.class));
        runner.withPropertyValues(PREFIX + "enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(OrderedKafkaHealthIndicator.class));
    }
}
