package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.orderedexecutor.kafka.OrderedListenerSettings;
import io.orderedexecutor.kafka.OrderedListenerSettings.FailurePolicy;
import io.orderedexecutor.kafka.OrderedListenerSettings.NullKey;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.convert.DurationStyle;

/** What an editor knows of the properties: the file that the annotation processor wrote. */
class KafkaMetadataTest {
    private DocumentContext metadata;

    @BeforeEach
    void read() throws IOException {
        // also on the class path: that of the starter
        String types = OrderedKafkaProperties.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString();
        String file = types + (types.endsWith("/") ? "" : "/") + "META-INF/spring-configuration-metadata.json";
        try (InputStream stream = java.net.URI.create(file).toURL().openStream()) {
            metadata = JsonPath.parse(stream);
        }
    }

    @Test
    void everyPropertyIsThereWithADescription() {
        List<Map<String, Object>> properties = metadata.read("$.properties[*]");
        assertThat(properties.stream().map(property -> property.get("name")))
                .containsExactlyInAnyOrder(
                        "ordered-executor.kafka.defaults.executor",
                        "ordered-executor.kafka.defaults.window",
                        "ordered-executor.kafka.defaults.commit-interval",
                        "ordered-executor.kafka.defaults.commit-metadata",
                        "ordered-executor.kafka.defaults.drain-timeout",
                        "ordered-executor.kafka.defaults.null-key",
                        "ordered-executor.kafka.defaults.retry.attempts",
                        "ordered-executor.kafka.defaults.retry.backoff",
                        "ordered-executor.kafka.defaults.retry.ceiling",
                        "ordered-executor.kafka.defaults.retry.excludes",
                        "ordered-executor.kafka.defaults.failure-policy",
                        "ordered-executor.kafka.listeners",
                        "management.endpoint.orderedkafka.access",
                        "management.endpoint.orderedkafka.show-values",
                        "management.endpoint.orderedkafka.roles",
                        "management.health.orderedkafka.enabled",
                        "management.health.orderedkafka.held-threshold");
        assertThat(properties).allSatisfy(property -> {
            assertThat((String) property.get("description"))
                    .as("description of " + property)
                    .isNotBlank()
                    .endsWith(".");
            assertThat(property.get("type")).as("type of " + property).isNotNull();
        });
    }

    /** What variables may set, and messages list. */
    @Test
    void allSettingsAreListed() {
        String defaults = OrderedKafkaProperties.PREFIX + ".defaults.";
        List<String> names = metadata.read("$.properties[*].name");
        assertThat(names.stream()
                        .filter(name -> name.startsWith(defaults))
                        .map(name -> name.substring(defaults.length())))
                .containsExactlyInAnyOrderElementsOf(OrderedKafkaProperties.SETTINGS);
    }

    @Test
    void defaultsAreThoseOfTheSettings() {
        OrderedListenerSettings defaults = OrderedListenerSettings.defaults();
        assertThat(defaultOf("executor")).isEqualTo("stripedExecutor");
        assertThat(defaultOf("window")).isEqualTo(defaults.window());
        assertThat(DurationStyle.detectAndParse((String) defaultOf("commit-interval")))
                .isEqualTo(defaults.commitInterval());
        assertThat(defaultOf("commit-metadata")).isEqualTo(defaults.commitMetadata());
        assertThat(DurationStyle.detectAndParse((String) defaultOf("drain-timeout")))
                .isEqualTo(defaults.drainTimeout());
        assertThat(defaultOf("null-key")).isEqualTo(dashed(defaults.nullKey()));
        assertThat(defaultOf("retry.attempts")).isEqualTo(defaults.attempts());
        assertThat(DurationStyle.detectAndParse((String) defaultOf("retry.backoff")))
                .isEqualTo(defaults.backoff());
        assertThat(DurationStyle.detectAndParse((String) defaultOf("retry.ceiling")))
                .isEqualTo(defaults.ceiling());
        assertThat(defaultOf("failure-policy")).isEqualTo(dashed(defaults.failurePolicy()));
    }

    /** Written by hand, beside enums that may grow. */
    @Test
    void hintsExplainEveryChoice() {
        assertThat(choicesOf("failure-policy"))
                .containsExactlyElementsOf(Stream.of(FailurePolicy.values())
                        .map(KafkaMetadataTest::dashed)
                        .toList());
        assertThat(choicesOf("null-key"))
                .containsExactlyElementsOf(Stream.of(NullKey.values())
                        .map(KafkaMetadataTest::dashed)
                        .toList());
    }

    private List<String> choicesOf(String property) {
        List<Map<String, String>> values =
                metadata.read("$.hints[?(@.name == 'ordered-executor.kafka.defaults." + property + "')].values[*]");
        assertThat(values)
                .allSatisfy(value -> assertThat(value.get("description")).endsWith("."));
        return values.stream().map(value -> value.get("value")).toList();
    }

    private static String dashed(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private Object defaultOf(String property) {
        List<Object> values = metadata.read(
                "$.properties[?(@.name == 'ordered-executor.kafka.defaults." + property + "')].defaultValue");
        assertThat(values).as("default of " + property).hasSize(1);
        return values.get(0);
    }
}
