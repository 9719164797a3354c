package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.kafka.InvalidOrderedListenerException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Which listener a property is for. */
class ListenerPropertiesTest {

    private static ListenerProperties of(Map<String, Object> properties, Map<String, Object> variables) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        environment.getPropertySources().addLast(new MapPropertySource("application", properties));
        return new ListenerProperties(environment);
    }

    @ParameterizedTest
    @CsvSource({
        "orders, listeners.orders",
        "order-events, listeners.order-events",
        "orderEvents, listeners.orderEvents",
        "orders.eu, listeners[orders.eu]",
        "order_events, listeners[order_events]",
        "order_events, listeners.order_events",
        "orders#0, listeners[orders#0]"
    })
    void idsAsTheyAreWritten(String id, String written) {
        ListenerProperties properties = of(Map.of("ordered-executor.kafka." + written + ".window", "5"), Map.of());
        assertThat(properties.settingsOf(id).window()).isEqualTo(5);
        properties.checkAllAreUsed();
    }

    /** The part before the dot looks like an id, and the rest like a setting. */
    @Test
    void anIdWithADotNeedsBrackets() {
        assertThatThrownBy(() -> of(Map.of("ordered-executor.kafka.listeners.orders.eu.window", "5"), Map.of()))
                .isInstanceOf(InvalidOrderedListenerException.class)
                .hasMessageContainingAll("orders.eu.window", "listeners.[orders.eu]");
    }

    @ParameterizedTest
    @CsvSource({
        "ORDEREDEXECUTOR_KAFKA_DEFAULTS_RETRY_ATTEMPTS, other",
        "ORDERED_EXECUTOR_KAFKA_DEFAULTS_RETRY_ATTEMPTS, other",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_ORDERS_RETRY_ATTEMPTS, orders",
        "ORDEREDEXECUTOR_KAFKA_LISTENERS_ORDEREVENTS_RETRY_ATTEMPTS, order-events",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_ORDER_EVENTS_RETRY_ATTEMPTS, order-events",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_ORDERS_EU_RETRY_ATTEMPTS, orders.eu",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_ORDERLINES_RETRY_ATTEMPTS, orderLines",
    })
    void variablesMeanWhatFilesConfigure(String variable, String id) {
        ListenerProperties properties = of(
                Map.of(
                        "ordered-executor.kafka.listeners.order-events.window", "5",
                        "ordered-executor.kafka.listeners.orderLines.window", "5",
                        "ordered-executor.kafka.listeners[orders.eu].window", "5"),
                Map.of(variable, "3"));
        assertThat(properties.settingsOf(id).attempts()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({
        "ORDERED_EXECUTOR_KAFKA_DEFAULTS_COMMIT_INTERVAL",
        "ORDERED_EXECUTOR_KAFKA_DEFAULTS_COMMITINTERVAL",
        "ORDEREDEXECUTOR_KAFKA_DEFAULTS_COMMIT_INTERVAL",
    })
    void anUnderscoreMayBeADash(String variable) {
        assertThat(of(Map.of(), Map.of(variable, "${interval:7s}"))
                        .settingsOf("orders")
                        .commitInterval())
                .hasSeconds(7);
    }

    @ParameterizedTest
    @CsvSource({
        "ORDERED_EXECUTOR_KAFKA_DEFAULTS_WINDOWS",
        "ORDEREDEXECUTOR_KAFKA_DEFAULTS_WINDOWS",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_ORDER_EVENTS_WINDOW",
        "ORDERED_EXECUTOR_KAFKA_WINDOW",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_ORDERS",
    })
    void unknownVariablesAreRefused(String variable) {
        assertThatThrownBy(() -> of(Map.of(), Map.of(variable, "3")))
                .isInstanceOf(InvalidOrderedListenerException.class)
                .hasMessageContainingAll("'" + variable + "'", "listeners.<id>.*", "commit-interval");
    }

    @Test
    void aVariableThatFitsTwoIdsIsRefused() {
        assertThatThrownBy(() -> of(
                        Map.of(
                                "ordered-executor.kafka.listeners.order-events.window", "5",
                                "ordered-executor.kafka.listeners[order.events].window", "5"),
                        Map.of("ORDERED_EXECUTOR_KAFKA_LISTENERS_ORDER_EVENTS_WINDOW", "3")))
                .isInstanceOf(InvalidOrderedListenerException.class)
                .hasMessageContainingAll("can mean", "listeners.order-events.window", "listeners[order.events].window");
    }

    /** They are there if a service of this name is. */
    @Test
    void variablesOfKubernetesAreLeftAlone() {
        of(
                Map.of(),
                Map.of(
                        "ORDERED_EXECUTOR_KAFKA_SERVICE_HOST", "10.0.0.1",
                        "ORDERED_EXECUTOR_KAFKA_SERVICE_PORT", "9092",
                        "ORDERED_EXECUTOR_KAFKA_PORT", "tcp://10.0.0.1:9092",
                        "ORDERED_EXECUTOR_KAFKA_PORT_9092_TCP_ADDR", "10.0.0.1"));
    }
}
