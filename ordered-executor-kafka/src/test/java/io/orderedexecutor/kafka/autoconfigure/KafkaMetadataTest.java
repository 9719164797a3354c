package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.kafka.OrderedListenerSettings;
import io.orderedexecutor.kafka.autoconfigure.OrderedKafkaProperties.FailureChoice;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.convert.DurationStyle;

/** What an editor knows of the properties: the file that the annotation processor wrote. */
class KafkaMetadataTest {
    /** Of the table of properties in the page. */
    private static final Pattern ROW =
            Pattern.compile("^\\| (`[a-z][^|]+`) \\| ([^|]+) \\| [^|]+ \\|$", Pattern.MULTILINE);

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
                        "ordered-executor.kafka.executor",
                        "ordered-executor.kafka.threads",
                        "ordered-executor.kafka.window",
                        "ordered-executor.kafka.commit-interval",
                        "ordered-executor.kafka.drain-timeout",
                        "ordered-executor.kafka.retry.max-retries",
                        "ordered-executor.kafka.retry.delay",
                        "ordered-executor.kafka.retry.max-delay",
                        "ordered-executor.kafka.retry.multiplier",
                        "ordered-executor.kafka.retry.jitter",
                        "ordered-executor.kafka.retry.includes",
                        "ordered-executor.kafka.retry.excludes",
                        "ordered-executor.kafka.failure-policy",
                        "ordered-executor.kafka.listeners",
                        "management.endpoint.orderedkafka.access",
                        "management.endpoint.orderedkafka.show-values",
                        "management.endpoint.orderedkafka.roles",
                        "management.health.orderedkafka.enabled",
                        "management.health.orderedkafka.parked-threshold",
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
        String prefix = OrderedKafkaProperties.PREFIX + ".";
        List<String> names = metadata.read("$.properties[*].name");
        assertThat(names.stream()
                        .filter(name -> name.startsWith(prefix))
                        .map(name -> name.substring(prefix.length()))
                        .filter(name -> !name.equals("listeners")))
                .containsExactlyInAnyOrderElementsOf(OrderedKafkaProperties.SETTINGS);
    }

    @Test
    void durationsSayWhatANumberWithoutAUnitIs() {
        List<Map<String, Object>> properties = metadata.read("$.properties[?(@.type == 'java.time.Duration')]");
        List<Map<String, Object>> durations = properties.stream()
                .filter(property -> !property.get("name").toString().endsWith("cache.time-to-live")) // Spring Boot's
                .toList();
        assertThat(durations)
                .extracting(property -> property.get("name"))
                .contains("ordered-executor.kafka.retry.delay", "management.health.orderedkafka.held-threshold");
        assertThat(durations)
                .allSatisfy(property -> assertThat((String) property.get("description"))
                        .as("description of " + property.get("name"))
                        .contains("in milliseconds unless it has a unit"));
    }

    @Test
    void defaultsAreThoseOfTheSettings() {
        OrderedListenerSettings defaults = OrderedListenerSettings.defaults();
        assertThat(defaultOf("window")).isEqualTo(defaults.window());
        assertThat(duration("commit-interval")).isEqualTo(defaults.commitInterval());
        assertThat(duration("drain-timeout")).isEqualTo(defaults.drainTimeout());
        FailurePolicy.Retry retry = (FailurePolicy.Retry) defaults.failurePolicy();
        assertThat(((Number) defaultOf("retry.max-retries")).longValue()).isEqualTo(retry.maxRetries());
        assertThat(duration("retry.delay")).isEqualTo(retry.delay());
        assertThat(duration("retry.max-delay")).isEqualTo(retry.maxDelay());
        assertThat(((Number) defaultOf("retry.multiplier")).doubleValue()).isEqualTo(retry.multiplier());
        assertThat(duration("retry.jitter")).isEqualTo(retry.jitter());
        assertThat(defaultOf("failure-policy")).isEqualTo("park");
        assertThat(retry.parks()).isTrue();
        assertThat(defaults.deadLetters()).isFalse();
    }

    private Duration duration(String property) {
        return DurationStyle.detectAndParse((String) defaultOf(property));
    }

    /** A row may have several, of which only the first has a prefix. */
    @Test
    void thePageHasEveryPropertyWithItsDefault() throws IOException {
        Map<String, String> shown = new HashMap<>();
        Matcher rows = ROW.matcher(section("Properties"));
        while (rows.find()) {
            String[] names = rows.group(1).replace("`", "").split(", ", -1);
            String[] defaults = rows.group(2).split(", ", names.length);
            String prefix = names[0].substring(0, names[0].indexOf('.') + 1);
            for (int i = 0; i < names.length; i++) {
                shown.put(i == 0 ? names[0] : prefix + names[i].substring(1), defaults[i].replace("`", ""));
            }
        }
        assertThat(shown).containsOnlyKeys(OrderedKafkaProperties.SETTINGS);
        for (String property : OrderedKafkaProperties.SETTINGS) {
            List<Object> values =
                    metadata.read("$.properties[?(@.name == 'ordered-executor.kafka." + property + "')].defaultValue");
            values.forEach(value -> assertThat(shown).containsEntry(property, String.valueOf(value)));
        }
    }

    @Test
    void thePageHasEveryPropertyOfTheEndpointAndOfHealth() throws IOException {
        List<String> shown = Pattern.compile("^\\| `(management\\.[^`]+)` \\| ([^|]*)\\|", Pattern.MULTILINE)
                .matcher(section("Meters, endpoint and health"))
                .results()
                .map(row -> row.group(1) + " " + row.group(2).replace("`", "").strip())
                .toList();
        List<Map<String, Object>> properties = metadata.read("$.properties[?(@.name =~ /management\\..*/)]");
        assertThat(shown)
                .containsExactlyInAnyOrderElementsOf(properties.stream()
                        .map(property -> property.get("name") + " " + shownDefault(property.get("defaultValue")))
                        .toList());
    }

    private static String shownDefault(Object value) {
        return value == null || value instanceof List ? "" : value.toString().replace('_', '-');
    }

    private static String section(String heading) throws IOException {
        String page = Files.readString(Path.of("../docs/kafka.md"));
        int begin = page.indexOf("\n## " + heading + "\n");
        assertThat(begin).as(heading).isNotNegative();
        int end = page.indexOf("\n## ", begin + 1);
        return page.substring(begin, end < 0 ? page.length() : end);
    }

    /** Written by hand, beside enums that may grow. */
    @Test
    void hintsExplainEveryChoice() {
        assertThat(choicesOf("failure-policy"))
                .containsExactlyElementsOf(Stream.of(FailureChoice.values())
                        .map(KafkaMetadataTest::dashed)
                        .toList());
    }

    private List<String> choicesOf(String property) {
        List<Map<String, String>> values =
                metadata.read("$.hints[?(@.name == 'ordered-executor.kafka." + property + "')].values[*]");
        assertThat(values)
                .allSatisfy(value -> assertThat(value.get("description")).endsWith("."));
        return values.stream().map(value -> value.get("value")).toList();
    }

    private static String dashed(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private Object defaultOf(String property) {
        List<Object> values =
                metadata.read("$.properties[?(@.name == 'ordered-executor.kafka." + property + "')].defaultValue");
        assertThat(values).as("default of " + property).hasSize(1);
        return values.get(0);
    }
}
