package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.kafka.InvalidOrderedListenerException;
import io.orderedexecutor.kafka.OrderedListenerSettings;
import java.io.IOException;
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
        "orders#0, listeners[orders#0]",
        "listeners, listeners.listeners",
        "window, listeners.window"
    })
    void idsAsTheyAreWritten(String id, String written) {
        ListenerProperties properties = of(Map.of("ordered-executor.kafka." + written + ".window", "5"), Map.of());
        assertThat(properties.settingsOf(id).window()).isEqualTo(5);
        properties.checkAllAreUsed();
    }

    /** Where it runs is one choice: what a listener says of it takes the place of what is said for all. */
    @Test
    void settingsOfOneListenerGoBeforeThoseOfAll() {
        String prefix = "ordered-executor.kafka.";
        ListenerProperties properties = of(
                Map.of(
                        prefix + "executor", "shared",
                        prefix + "retry.delay", "20ms",
                        prefix + "retry.excludes", "java.io.IOException",
                        prefix + "listeners.orders.threads", "7",
                        prefix + "listeners.orders.failure-policy", "dead-letter",
                        prefix + "listeners.orders.retry.max-retries", "1",
                        prefix + "listeners.orders.retry.jitter", "3ms",
                        prefix + "listeners.orders.retry.multiplier", "1.5"),
                Map.of());
        assertThat(properties.propertiesOf("orders").executor()).isNull();
        assertThat(properties.propertiesOf("orders").threads()).isEqualTo(7);
        assertThat(properties.propertiesOf("others").executor()).isEqualTo("shared");
        OrderedListenerSettings orders = properties.settingsOf("orders");
        assertThat(orders.deadLetters()).isTrue();
        assertThat(orders.failurePolicy()).isInstanceOfSatisfying(FailurePolicy.Retry.class, retry -> {
            assertThat(retry.parks()).isFalse();
            assertThat(retry.maxRetries()).isEqualTo(1);
            assertThat(retry.delay()).hasMillis(20);
            assertThat(retry.maxDelay()).hasSeconds(10);
            assertThat(retry.multiplier()).isEqualTo(1.5);
            assertThat(retry.jitter()).hasMillis(3);
            assertThat(retry.excludes()).containsExactly(IOException.class);
        });
        OrderedListenerSettings others = properties.settingsOf("others");
        assertThat(others.deadLetters()).isFalse();
        assertThat(others.failurePolicy().parks()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"proceed, false", "park, true"})
    void whatHappensAfterTheLastAttempt(String policy, boolean parks) {
        OrderedListenerSettings settings = of(Map.of("ordered-executor.kafka.failure-policy", policy), Map.of())
                .settingsOf("orders");
        assertThat(settings.failurePolicy().parks()).isEqualTo(parks);
        assertThat(settings.deadLetters()).isFalse();
    }

    /** Spring Boot ignores them: with a misspelt access the endpoint stays readable. */
    @ParameterizedTest
    @CsvSource({"acces, none", "show-value, always", "role, admin"})
    void unknownPropertiesOfTheEndpointAreRefused(String property, String value) {
        String name = "management.endpoint.orderedkafka." + property;
        assertThatThrownBy(() -> of(Map.of(name, value), Map.of()))
                .isInstanceOf(InvalidOrderedListenerException.class)
                .hasMessageContainingAll("'" + name + "' is unknown", "access, show-values, roles");
    }

    @ParameterizedTest
    @CsvSource({
        "orderedkafka.access",
        "orderedkafka.showValues",
        "orderedkafka.roles[0]",
        "orderedkafkas.acces",
        "health.acces"
    })
    void otherPropertiesOfEndpointsAreAccepted(String property) {
        of(Map.of("management.endpoint." + property, "none"), Map.of());
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
        "ORDEREDEXECUTOR_KAFKA_RETRY_MAXRETRIES, other",
        "ORDERED_EXECUTOR_KAFKA_RETRY_MAX_RETRIES, other",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_ORDERS_RETRY_MAX_RETRIES, orders",
        "ORDEREDEXECUTOR_KAFKA_LISTENERS_ORDEREVENTS_RETRY_MAX_RETRIES, order-events",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_ORDER_EVENTS_RETRY_MAX_RETRIES, order-events",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_ORDERS_EU_RETRY_MAX_RETRIES, orders.eu",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_ORDERLINES_RETRY_MAX_RETRIES, orderLines",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_SERVICE_PORT_RETRY_MAX_RETRIES, service-port",
    })
    void variablesMeanWhatFilesConfigure(String variable, String id) {
        ListenerProperties properties = of(
                Map.of(
                        "ordered-executor.kafka.listeners.order-events.window", "5",
                        "ordered-executor.kafka.listeners.orderLines.window", "5",
                        "ordered-executor.kafka.listeners.service-port.window", "5",
                        "ordered-executor.kafka.listeners[orders.eu].window", "5"),
                Map.of(variable, "3"));
        assertThat(properties.settingsOf(id).failurePolicy())
                .extracting(policy -> ((FailurePolicy.Retry) policy).maxRetries())
                .isEqualTo(3L);
    }

    @ParameterizedTest
    @CsvSource({
        "ORDERED_EXECUTOR_KAFKA_RETRY_EXCLUDES_, others",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_ORDER_EVENTS_RETRY_EXCLUDES_, order-events",
    })
    void variablesForTheElementsOfAList(String variable, String id) {
        ListenerProperties properties = of(
                Map.of("ordered-executor.kafka.listeners.order-events.window", "5"),
                Map.of(variable + "0", "java.io.IOException", variable + "1_", "java.lang.SecurityException"));
        assertThat(properties.settingsOf(id).failurePolicy())
                .isInstanceOfSatisfying(
                        FailurePolicy.Retry.class,
                        retry -> assertThat(retry.excludes())
                                .containsExactlyInAnyOrder(IOException.class, SecurityException.class));
    }

    /** Also what looks like a group of settings, or like a listener without an id. */
    @ParameterizedTest
    @CsvSource({"windows", "all.window", "retry.retries", "listeners.window.retries", "listeners.retry.delay"})
    void unknownPropertiesAreRefused(String property) {
        String name = "ordered-executor.kafka." + property;
        assertThatThrownBy(() -> of(Map.of(name, "5"), Map.of()))
                .isInstanceOf(InvalidOrderedListenerException.class)
                .hasMessageContainingAll(
                        "'" + name + "' is unknown",
                        "Under ordered-executor.kafka there are executor, threads, window,",
                        "and retry.excludes for all listeners, and listeners.<id>.* with the same for one of them.");
    }

    @ParameterizedTest
    @CsvSource({
        "ORDERED_EXECUTOR_KAFKA_COMMIT_INTERVAL",
        "ORDERED_EXECUTOR_KAFKA_COMMITINTERVAL",
        "ORDEREDEXECUTOR_KAFKA_COMMIT_INTERVAL",
    })
    void anUnderscoreMayBeADash(String variable) {
        assertThat(of(Map.of(), Map.of(variable, "${interval:7s}"))
                        .settingsOf("orders")
                        .commitInterval())
                .hasSeconds(7);
    }

    @ParameterizedTest
    @CsvSource({
        "ORDERED_EXECUTOR_KAFKA_WINDOWS",
        "ORDEREDEXECUTOR_KAFKA_WINDOWS",
        "ORDERED_EXECUTOR_KAFKA_ALL_WINDOW",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_WINDOW",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_ORDER_EVENTS_WINDOW",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_ORDERS",
        "ORDERED_EXECUTOR_KAFKA_LISTENERS_ORDERS_PORT",
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
                        "ORDERED_EXECUTOR_KAFKA_SAMPLE_SERVICE_HOST", "10.0.0.1",
                        "ORDERED_EXECUTOR_KAFKA_SERVICE_PORT", "9092",
                        "ORDERED_EXECUTOR_KAFKA_PORT", "tcp://10.0.0.1:9092",
                        "ORDERED_EXECUTOR_KAFKA_PORT_9092_TCP_ADDR", "10.0.0.1"));
    }
}
