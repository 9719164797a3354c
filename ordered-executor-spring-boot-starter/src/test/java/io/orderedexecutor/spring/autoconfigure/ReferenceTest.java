package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
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

    @Test
    void theSettingsOfEachKind() throws IOException {
        List<String> expected = Stream.of(ExecutorSection.values())
                .flatMap(section -> section.settings().stream())
                .distinct()
                .map(setting -> "| " + setting
                        + Stream.of(ExecutorSection.values())
                                .map(kind -> kind.settings().contains(setting) ? " | yes" : " |")
                                .collect(Collectors.joining())
                        + " |")
                .toList();
        List<String> rows = sectionOf("Properties")
                .lines()
                .dropWhile(line -> !line.startsWith("| Setting "))
                .toList();
        assertThat(rows.get(0)).isEqualTo("| Setting | striped | grouped | ordered-output |");
        assertThat(rows.subList(2, rows.indexOf(""))).containsExactlyInAnyOrderElementsOf(expected);
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
                .isGreaterThanOrEqualTo(3);
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
                        property.get("description"));
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
