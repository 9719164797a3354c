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
}
