package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an editor knows of the properties: the files that the annotation processors wrote. */
class MetadataTest {
    private DocumentContext metadata;

    @BeforeEach
    void read() throws IOException {
        try (InputStream file = getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            metadata = JsonPath.parse(file);
        }
    }

    @Test
    void everyPropertyIsThereWithADescription() {
        List<Map<String, Object>> properties = metadata.read("$.properties[*]");
        assertThat(properties.stream()
                        .map(property -> property.get("name"))
                        .filter(name -> !name.toString().startsWith("management.")))
                .containsExactlyInAnyOrder(
                        "ordered-executor.enabled",
                        "ordered-executor.threads",
                        "ordered-executor.executor",
                        "ordered-executor.capacity",
                        "ordered-executor.key-capacity",
                        "ordered-executor.overflow",
                        "ordered-executor.overflow-timeout",
                        "ordered-executor.failure-policy",
                        "ordered-executor.retry.max-retries",
                        "ordered-executor.retry.delay",
                        "ordered-executor.retry.multiplier",
                        "ordered-executor.retry.max-delay",
                        "ordered-executor.retry.jitter",
                        "ordered-executor.retry.includes",
                        "ordered-executor.retry.excludes",
                        "ordered-executor.warn-after",
                        "ordered-executor.ordered-output",
                        "ordered-executor.striped",
                        "ordered-executor.grouped",
                        "ordered-executor.metrics.task-timers",
                        "ordered-executor.observations.enabled");
        assertThat(properties.stream().map(property -> property.get("name")))
                .contains(
                        "management.health.orderedexecutors.enabled",
                        "management.health.orderedexecutors.parked-threshold",
                        "management.health.orderedexecutors.age-threshold",
                        "management.endpoint.orderedexecutors.access",
                        "management.endpoint.orderedexecutors.cache.time-to-live",
                        "management.endpoint.orderedexecutors.show-values",
                        "management.endpoint.orderedexecutors.roles");
        assertThat(properties).allSatisfy(property -> {
            assertThat(property.get("description"))
                    .as("description of " + property)
                    .isInstanceOf(String.class);
            assertThat((String) property.get("description")).isNotBlank().endsWith(".");
            assertThat(property.get("type")).as("type of " + property).isNotNull();
        });
    }

    /** To pause is what somebody does to an executor or a key. */
    @Test
    void retriesHaveDelaysAndNoPauses() {
        List<Map<String, Object>> retry = metadata.read("$.properties[?(@.name =~ /ordered-executor\\.retry\\..*/)]");
        assertThat(retry)
                .hasSizeGreaterThan(4)
                .allSatisfy(property -> assertThat((String) property.get("description"))
                        .as("description of " + property.get("name"))
                        .doesNotContainIgnoringCase("pause"));
    }

    /** A number such as {@code retry.delay: 5} is easily meant as seconds. */
    @Test
    void durationsSayWhatANumberWithoutAUnitIs() {
        List<Map<String, Object>> properties = metadata.read("$.properties[?(@.type == 'java.time.Duration')]");
        List<Map<String, Object>> durations = properties.stream()
                .filter(property -> !property.get("name").toString().endsWith("cache.time-to-live")) // Spring Boot's
                .toList();
        assertThat(durations)
                .extracting(property -> property.get("name"))
                .contains("ordered-executor.retry.delay", "ordered-executor.retry.max-delay");
        assertThat(durations)
                .allSatisfy(property -> assertThat((String) property.get("description"))
                        .as("description of " + property.get("name"))
                        .contains("in milliseconds unless it has a unit"));
    }

    @Test
    void defaultsAreKnown() {
        assertThat(defaultOf("ordered-executor.enabled")).isEqualTo(true);
        assertThat(defaultOf("ordered-executor.overflow")).isEqualTo("reject");
        assertThat(defaultOf("ordered-executor.failure-policy")).isEqualTo("proceed");
        assertThat(defaultOf("ordered-executor.retry.max-retries")).isEqualTo(0);
        assertThat(defaultOf("ordered-executor.retry.delay")).isEqualTo("1s");
        assertThat(defaultOf("ordered-executor.retry.multiplier")).isEqualTo(1);
        assertThat(defaultOf("ordered-executor.retry.jitter")).isEqualTo("0s");
        assertThat(defaultOf("management.endpoint.orderedexecutors.access")).isEqualTo("read_only");
        assertThat(defaultOf("management.endpoint.orderedexecutors.show-values"))
                .isEqualTo("never");
    }

    @Test
    void hintsNameExecutors() {
        List<String> providers = metadata.read("$.hints[?(@.name == 'ordered-executor.executor')].providers[*].name");
        assertThat(providers).containsExactly("spring-bean-reference");
        for (String types : List.of("includes", "excludes")) {
            List<String> classes =
                    metadata.read("$.hints[?(@.name == 'ordered-executor.retry." + types + "')].providers[*].name");
            assertThat(classes).as(types).containsExactly("class-reference");
        }
        List<String> outputs =
                metadata.read("$.hints[?(@.name == 'ordered-executor.ordered-output.keys')].values[*].value");
        assertThat(outputs).containsExactly("orderedOutputExecutor");
    }

    /** Written by hand, in addition to an enum that may grow. */
    @Test
    void hintsExplainEveryChoice() {
        assertThat(choicesOf("ordered-executor.overflow"))
                .isEqualTo(dashed(Settings.OverflowChoice.values()))
                .contains("discard-oldest");
        assertThat(choicesOf("ordered-executor.failure-policy"))
                .isEqualTo(dashed(Settings.FailureChoice.values()))
                .contains("park");
    }

    private List<String> choicesOf(String property) {
        List<Map<String, String>> values = metadata.read("$.hints[?(@.name == '" + property + "')].values[*]");
        assertThat(values)
                .allSatisfy(value -> assertThat(value.get("description")).endsWith("."));
        return values.stream().map(value -> value.get("value")).toList();
    }

    private static List<String> dashed(Enum<?>... choices) {
        return Stream.of(choices)
                .map(choice -> choice.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .toList();
    }

    @Test
    void conditionsAreKnownBeforeClassesAreLoaded() throws IOException {
        Properties conditions = new Properties();
        try (InputStream file = getClass().getResourceAsStream("/META-INF/spring-autoconfigure-metadata.properties")) {
            conditions.load(file);
        }
        List<String> missing = new ArrayList<>();
        for (Class<?> type : List.of(
                OrderedExecutorAutoConfiguration.class,
                OrderedExecutorMetricsAutoConfiguration.class,
                OrderedExecutorsEndpointAutoConfiguration.class,
                OrderedExecutorsHealthContributorAutoConfiguration.class,
                OrderedAsyncObservationAutoConfiguration.class)) {
            if (conditions.getProperty(type.getName() + ".ConditionalOnClass") == null) {
                missing.add(type.getName());
            }
        }
        assertThat(missing).isEmpty();
    }

    private Object defaultOf(String property) {
        List<Object> values = metadata.read("$.properties[?(@.name == '" + property + "')].defaultValue");
        assertThat(values).as("default of " + property).hasSize(1);
        return values.get(0);
    }
}
