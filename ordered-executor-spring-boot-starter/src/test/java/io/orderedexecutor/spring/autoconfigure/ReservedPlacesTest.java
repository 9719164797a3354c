package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.KeyDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.KeyedExecutorDescriptor;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Reserved places, as the endpoint and the meters show them, and their lease as a property. */
class ReservedPlacesTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class,
                    EndpointAutoConfiguration.class,
                    OrderedExecutorsEndpointAutoConfiguration.class,
                    OrderedExecutorMetricsAutoConfiguration.class,
                    MetricsAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class)
            .withPropertyValues(
                    "management.endpoints.jmx.exposure.include=orderedexecutors",
                    "spring.jmx.enabled=true",
                    "management.endpoint.orderedexecutors.show-values=always",
                    "ordered-executor.striped.orders.threads=1")
            .withBean(
                    GroupedExecutorCustomizer.class,
                    () -> (name, builder) -> builder.reservationLease(Duration.ofHours(1)))
            .withBean(
                    StripedExecutorCustomizer.class,
                    () -> (name, builder) -> builder.reservationLease(Duration.ofHours(2)));

    @Test
    void ofAStripedExecutor() {
        contexts.run(context -> {
            StripedExecutor executor = context.getBean("orders", StripedExecutor.class);
            OrderedExecutorsEndpoint endpoint = context.getBean(OrderedExecutorsEndpoint.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            Reservation first = executor.reserve("alice");
            Reservation second = executor.reserve("alice");
            KeyedExecutorDescriptor shown =
                    (KeyedExecutorDescriptor) Objects.requireNonNull(endpoint.executor("orders", null, null));
            assertThat(shown.reserved()).isEqualTo(2);
            assertThat(shown.oldestReservedAge()).isNotNull().isLessThan(Duration.ofMinutes(1));
            assertThat(registry.get("ordered.executor.reserved.oldest")
                            .tags("name", "orders", "type", "striped")
                            .timeGauge()
                            .value(TimeUnit.NANOSECONDS))
                    .isPositive();
            assertThat(shown.settings().reservationLease()).isEqualTo(Duration.ofHours(2));
            assertThat(shown.deepestKeys())
                    .extracting(KeyDescriptor::queued, KeyDescriptor::reserved)
                    .containsExactly(tuple(2L, 2L));
            assertThat(reserved(registry, "orders")).isEqualTo(2);
            first.close();
            KeyDescriptor stripe =
                    (KeyDescriptor) Objects.requireNonNull(endpoint.key("orders", new String[] {"alice"}, null, null));
            assertThat(stripe.reserved()).isEqualTo(1);
            assertThat(stripe.oldestReservedAge()).isNotNull();
            second.close();
            assertThat(endpoint.executor("orders", null, null))
                    .extracting("reserved", "oldestReservedAge")
                    .containsExactly(0L, null);
            // what was read above is shown for a while, so this is read by a meter of its own
            MeterRegistry afterwards = new SimpleMeterRegistry();
            new OrderedExecutorMetrics(Map.of("orders", executor)).bindTo(afterwards);
            assertThat(reserved(afterwards, "orders")).isZero();
        });
    }

    @Test
    void ofAGroupedExecutor() {
        contexts.run(context -> {
            GroupedExecutor executor = context.getBean(GroupedExecutor.class);
            OrderedExecutorsEndpoint endpoint = context.getBean(OrderedExecutorsEndpoint.class);
            try (Reservation place = executor.reserve(Groups.exclusive("a", "b"))) {
                assertThat(place.isOpen()).isTrue();
                KeyedExecutorDescriptor shown = (KeyedExecutorDescriptor)
                        Objects.requireNonNull(endpoint.executor("ordered-executor", null, null));
                assertThat(shown.reserved()).isEqualTo(1);
                assertThat(shown.settings().reservationLease()).isEqualTo(Duration.ofHours(1));
                assertThat(shown.deepestKeys())
                        .hasSize(2)
                        .extracting(KeyDescriptor::reserved)
                        .containsOnly(1L);
                KeyDescriptor group = (KeyDescriptor)
                        Objects.requireNonNull(endpoint.key("ordered-executor", new String[] {"a"}, null, null));
                assertThat(group.reserved()).isEqualTo(1);
                assertThat(group.oldestReservedAge()).isNotNull();
            }
            assertThat(reserved(context.getBean(MeterRegistry.class), "ordered-executor"))
                    .isZero();
        });
    }

    @Test
    void anOutputHasNone() {
        contexts.run(context -> assertThat(context.getBean(MeterRegistry.class)
                        .find("ordered.executor.reserved")
                        .tag("name", "orderedOutputExecutor")
                        .gauge())
                .isNull());
    }

    private static double reserved(MeterRegistry registry, String executor) {
        return registry.get("ordered.executor.reserved")
                .tag("name", executor)
                .gauge()
                .value();
    }
}
