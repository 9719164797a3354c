package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.spring.fixtures.SavingsAccounts;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.ByteArrayResource;

/** Holds docs/reference.md to what the code and its metadata say. */
class ReferenceTest {
    /** Tests run in the directory of their module. */
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern QUOTED = Pattern.compile(
            "<!-- from (?<file>\\S+) -->\n```java\n(?<text>.+?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern YAML =
            Pattern.compile("^```yaml\n(?<text>.+?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    @Test
    void everyPropertyWithItsDefaultAndDescription() throws IOException {
        DocumentContext metadata = metadata();
        List<Map<String, Object>> properties = metadata.read("$.properties[?(@.name =~ /ordered-executor.*/)]");
        assertThat(rowsOf("Properties", "ordered-executor."))
                .isEqualTo(properties.stream()
                        .sorted(Comparator.comparing(
                                property -> property.get("name").toString()))
                        .map(ReferenceTest::rowOf)
                        .toList());
    }

    @Test
    void everyChoice() throws IOException {
        List<String> expected = new ArrayList<>();
        for (String property : List.of("overflow", "failure-policy")) {
            List<Map<String, String>> values =
                    metadata().read("$.hints[?(@.name == 'ordered-executor." + property + "')].values[*]");
            values.forEach(
                    value -> expected.add("| `" + value.get("value") + "` | " + value.get("description") + " |"));
        }
        assertThat(expected).hasSize(5);
        assertThat(rowsOf("Properties", ""))
                .filteredOn(row -> !row.contains("`ordered-executor."))
                .isEqualTo(expected);
    }

    /** The page names the settings that not all kinds have; all others are rows of the default executor. */
    @Test
    void theSettingsOfEachKind() throws IOException {
        Set<String> ofAll = new TreeSet<>(ExecutorSection.STRIPED.settings());
        ofAll.retainAll(ExecutorSection.GROUPED.settings());
        ofAll.retainAll(ExecutorSection.ORDERED_OUTPUT.settings());
        assertThat(ExecutorSection.STRIPED.settings())
                .containsExactlyInAnyOrderElementsOf(ExecutorSection.GROUPED.settings());
        assertThat(sectionOf("Properties").replace('\n', ' '))
                .contains("A named executor has the same settings, except `enabled`, `metrics` and `observations`:")
                .contains("Only striped and grouped ones have "
                        + without(ofAll, ExecutorSection.STRIPED)
                        + "; only ordered outputs have "
                        + without(ofAll, ExecutorSection.ORDERED_OUTPUT) + ".");
        List<String> rows = rowsOf("Properties", "ordered-executor.").stream()
                .map(row -> row.substring("| `ordered-executor.".length(), row.indexOf('`', 3)))
                .filter(name -> !name.startsWith("metrics.") && !name.startsWith("observations."))
                .filter(name -> !name.equals("enabled"))
                .filter(name -> Stream.of(ExecutorSection.values())
                        .noneMatch(kind -> kind.toString().equals(name)))
                .toList();
        assertThat(rows).containsExactlyInAnyOrderElementsOf(ExecutorSection.STRIPED.settings());
    }

    private static String without(Set<String> ofAll, ExecutorSection kind) {
        return kind.settings().stream()
                .filter(setting -> !ofAll.contains(setting))
                .sorted()
                .map(setting -> "`" + setting + "`")
                .collect(Collectors.joining(" and "));
    }

    /** What descriptions say in an editor, one by one, the page says once. */
    @Test
    void whatManyDescriptionsSayIsSaidOnce() throws IOException {
        assertThat(sectionOf("Properties").replace('\n', ' '))
                .contains("Durations are in milliseconds unless they have a unit.")
                .contains("Task timers, observations, `warn-after` and an `age-threshold` cost throughput.");
        List<Map<String, Object>> properties = metadata().read("$.properties[*]");
        assertThat(properties.stream()
                        .filter(property ->
                                property.get("description").toString().matches("(?i).*costs throughput.*"))
                        .map(property -> property.get("name")))
                .containsExactlyInAnyOrder(
                        "ordered-executor.metrics.task-timers",
                        "ordered-executor.observations.enabled",
                        "ordered-executor.warn-after",
                        "management.health.orderedexecutors.age-threshold");
    }

    @Test
    void theExampleIsValid() throws IOException {
        Matcher yaml = YAML.matcher(sectionOf("Properties"));
        assertThat(yaml.find()).isTrue();
        YamlPropertiesFactoryBean properties = new YamlPropertiesFactoryBean();
        properties.setResources(
                new ByteArrayResource(yaml.group("text").getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
                .withPropertyValues(properties.getObject().entrySet().stream()
                        .map(Object::toString)
                        .toArray(String[]::new))
                .run(context -> assertThat(context).hasNotFailed().hasBean("orders"));
    }

    @Test
    void everyAttributeOfTheAnnotation() throws IOException {
        List<String> expected = Stream.of(OrderedAsync.class.getDeclaredMethods())
                .map(ReferenceTest::headOf)
                .toList();
        assertThat(rowsOf("@OrderedAsync", ""))
                .allSatisfy(row -> assertThat(row).matches("(\\| [^|]+ ){3}\\| \\S.* \\|"));
        assertThat(rowsOf("@OrderedAsync", "").stream()
                        .map(row -> row.substring(0, row.lastIndexOf(" | ", row.length() - 4))))
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    /** A mode in the table, an overflow mode in the row of the attribute. */
    @Test
    void everyMode() throws IOException {
        String modes = sectionOf("@OrderedAsync");
        assertThat(modes.substring(modes.indexOf("### Modes"))
                        .lines()
                        .filter(line -> line.startsWith("| `") && !line.startsWith("| `whenBusy`"))
                        .map(line -> line.substring(3, line.indexOf('`', 3))))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(OrderedAsync.Mode.values()).map(Enum::name).toList());
        assertThat(rowsOf("@OrderedAsync", "overflow` "))
                .singleElement()
                .satisfies(row -> assertThat(row)
                        .contains(Stream.of(OrderedAsync.OverflowMode.values())
                                .map(mode -> "`" + mode + "`")
                                .toList()));
    }

    @Test
    void theExampleKeepsItsBalances() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
                .withBean(SavingsAccounts.class)
                .run(context -> {
                    SavingsAccounts accounts = context.getBean(SavingsAccounts.class);
                    for (int i = 0; i < 1_000; i++) {
                        accounts.deposit("alice", 2);
                        accounts.transfer("alice", "bob", 1);
                    }
                    assertThat(accounts.deposit("alice", 0))
                            .succeedsWithin(Duration.ofSeconds(30))
                            .isEqualTo(1_000);
                    assertThat(accounts.deposit("bob", 0))
                            .succeedsWithin(Duration.ofSeconds(30))
                            .isEqualTo(1_000);
                });
    }

    @Test
    void thePhases() throws IOException {
        assertThat(sectionOf("Lifecycle"))
                .contains("`Integer.MAX_VALUE / 2 + " + (ExecutorsLifecycle.PHASE - Integer.MAX_VALUE / 2) + "`")
                .contains("`Integer.MAX_VALUE / 2 + " + (ExecutorsHardStop.PHASE - Integer.MAX_VALUE / 2) + "`");
    }

    @Test
    void codeIsThatOfTheFileThatItIsFrom() throws IOException {
        Matcher quoted = QUOTED.matcher(reference());
        int blocks = 0;
        while (quoted.find()) {
            String file = Files.readString(ROOT.resolve(quoted.group("file")));
            assertThat(file.replaceAll("(?m)^ +", ""))
                    .as(quoted.group("file"))
                    .contains(quoted.group("text").replaceAll("(?m)^ +", ""));
            blocks++;
        }
        assertThat(blocks)
                .isEqualTo(reference().split("\n```java\n", -1).length - 1)
                .isGreaterThanOrEqualTo(1);
    }

    private static String rowOf(Map<String, Object> property) {
        String type = property.get("type").toString();
        String shown = type.startsWith("java.util.Map")
                ? "settings by name"
                : type.startsWith("java.util.List")
                        ? "class names"
                        : type.endsWith("Choice") ? "choice" : type.substring(type.lastIndexOf('.') + 1);
        Object value = property.get("defaultValue");
        return "| `%s` | %s | %s | %s |"
                .formatted(
                        property.get("name"),
                        shown,
                        value == null ? "" : "`" + value + "`",
                        property.get("description")
                                .toString()
                                .replace(", in milliseconds unless it has a unit", "")
                                .replace(" Costs throughput.", ""));
    }

    private static String headOf(Method attribute) {
        Object value = attribute.getDefaultValue();
        return "| `%s` | %s | `%s`"
                .formatted(
                        attribute.getName(),
                        attribute.getReturnType().getSimpleName(),
                        value instanceof String ? "\"" + value + "\"" : value);
    }

    private static List<String> rowsOf(String heading, String prefix) throws IOException {
        List<String> rows = sectionOf(heading)
                .lines()
                .takeWhile(line -> !line.startsWith("### "))
                .filter(line -> line.startsWith("| `" + prefix))
                .toList();
        assertThat(rows).as("rows of " + heading).isNotEmpty();
        return rows;
    }

    private static String sectionOf(String heading) throws IOException {
        String all = reference();
        int begin = all.indexOf("\n## " + heading + "\n");
        assertThat(begin).as(heading).isNotNegative();
        int end = all.indexOf("\n## ", begin + 1);
        return all.substring(begin, end < 0 ? all.length() : end);
    }

    private static String reference() throws IOException {
        return Files.readString(ROOT.resolve("docs/reference.md"));
    }

    private static DocumentContext metadata() throws IOException {
        try (InputStream file =
                ReferenceTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            return JsonPath.parse(file);
        }
    }
}
