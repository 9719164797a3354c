package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
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
        assertThat(properties.stream().map(property -> property.get("name")))
                .containsExactlyInAnyOrder(
                        "ordered-executor.enabled",
                        "ordered-executor.defaults.threads",
                        "ordered-executor.defaults.identity-stripes",
                        "ordered-executor.defaults.turn.tasks",
                        "ordered-executor.defaults.turn.time",
                        "ordered-executor.defaults.executor",
                        "ordered-executor.striped",
                        "ordered-executor.grouped",
                        "management.health.orderedexecutors.enabled",
                        "management.health.orderedexecutors.parked-threshold",
                        "management.health.orderedexecutors.capacity-threshold",
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

    @Test
    void defaultsAreKnown() {
        assertThat(defaultOf("ordered-executor.enabled")).isEqualTo(true);
        assertThat(defaultOf("ordered-executor.defaults.identity-stripes")).isEqualTo(false);
        assertThat(defaultOf("ordered-executor.defaults.turn.tasks")).isEqualTo(64);
        assertThat(defaultOf("ordered-executor.defaults.turn.time")).isEqualTo("1ms");
        assertThat(defaultOf("management.endpoint.orderedexecutors.access")).isEqualTo("read_only");
        assertThat(defaultOf("management.endpoint.orderedexecutors.show-values"))
                .isEqualTo("never");
    }

    @Test
    void hintsNameExecutors() {
        List<String> providers =
                metadata.read("$.hints[?(@.name == 'ordered-executor.defaults.executor')].providers[*].name");
        assertThat(providers).containsExactly("spring-bean-reference");
        List<String> keys = metadata.read("$.hints[?(@.name == 'ordered-executor.striped.keys')].values[*].value");
        assertThat(keys).containsExactly("stripedExecutor");
        List<String> grouped = metadata.read("$.hints[?(@.name == 'ordered-executor.grouped.keys')].values[*].value");
        assertThat(grouped).containsExactly("groupedExecutor");
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
                OrderedExecutorsHealthContributorAutoConfiguration.class)) {
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
