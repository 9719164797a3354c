package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.ExecutorSummary;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.KeyedExecutorDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.OrderedOutputExecutorDescriptor;
import io.orderedexecutor.spring.observation.OrderedAsyncObservation;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * Holds docs/reference.md to its word on meters, observations, the endpoint and health: it names what there is, and
 * nothing else.
 */
class ObservabilityReferenceTest {
    private static final Pattern ROW = Pattern.compile("^\\| `([^`]+)` \\|([^|]*)\\|", Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    /** Tests run in the directory of their module. */
    private static String section(String heading) throws IOException {
        String page = Files.readString(Path.of("..", "docs", "reference.md"));
        return Arrays.stream(page.split("(?m)^## "))
                .filter(section -> section.startsWith(heading + "\n"))
                .findFirst()
                .orElseThrow();
    }

    /** The first column of all tables of a section, with the second. */
    private static Map<String, String> rows(String heading) throws IOException {
        Map<String, String> rows = new LinkedHashMap<>();
        ROW.matcher(section(heading))
                .results()
                .forEach(row -> rows.put(row.group(1), row.group(2).strip()));
        return rows;
    }

    @Test
    void meters() throws IOException {
        Map<String, String> documented = rows("Meters");
        documented.keySet().removeIf(name -> !name.startsWith("ordered.executor."));
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        OrderedExecutorAutoConfiguration.class, OrderedExecutorMetricsAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withBean(GroupedExecutorCustomizer.class, () -> (name, builder) -> builder.capacity(10))
                .withPropertyValues("ordered-executor.metrics.task-timers=true")
                .run(context -> {
                    SimpleMeterRegistry registry = context.getBean(SimpleMeterRegistry.class);
                    context.getBeansOfType(io.micrometer.core.instrument.binder.MeterBinder.class)
                            .values()
                            .forEach(binder -> binder.bindTo(registry));
                    assertThat(names(registry)).containsExactlyInAnyOrderElementsOf(documented.keySet());
                    for (Meter meter : registry.getMeters()) {
                        assertThat(documented.get(meter.getId().getName()))
                                .as(meter.getId().getName())
                                .startsWith(kindOf(meter))
                                .contains(unitOf(meter));
                    }
                });
    }

    private static Set<String> names(MeterRegistry registry) {
        return registry.getMeters().stream()
                .map(meter -> meter.getId().getName())
                .collect(Collectors.toSet());
    }

    private static String kindOf(Meter meter) {
        return switch (meter.getId().getType()) {
            case GAUGE -> "gauge";
            case COUNTER -> "counter";
            case TIMER -> "timer";
            case DISTRIBUTION_SUMMARY -> "summary";
            default -> throw new AssertionError(meter.getId());
        };
    }

    private static String unitOf(Meter meter) {
        String unit = meter.getId().getBaseUnit();
        return unit == null || unit.equals("seconds") ? "" : unit;
    }

    @Test
    void observations() throws IOException {
        Map<String, String> documented = rows("Observations");
        documented.keySet().removeIf(name -> !name.startsWith("ordered.async."));
        assertThat(documented.keySet())
                .containsExactlyElementsOf(Arrays.stream(OrderedAsyncObservation.values())
                        .map(OrderedAsyncObservation::getName)
                        .toList());
        String text = section("Observations");
        for (OrderedAsyncObservation.LowCardinalityKeyNames key :
                OrderedAsyncObservation.LowCardinalityKeyNames.values()) {
            assertThat(text.substring(text.indexOf("Tags of both"))).contains("`" + key.asString() + "`");
        }
    }

    @Test
    void requests() throws IOException {
        Map<String, String> documented = rows("Endpoint");
        documented.keySet().removeIf(request -> !request.contains("/orderedexecutors"));
        Map<String, List<String>> there = new LinkedHashMap<>();
        for (Class<?> type : List.of(OrderedExecutorsEndpoint.class, OrderedExecutorsEndpointWebExtension.class)) {
            for (Method method : type.getDeclaredMethods()) {
                boolean reads = method.isAnnotationPresent(ReadOperation.class);
                if (reads || method.isAnnotationPresent(WriteOperation.class)) {
                    List<String> before = there.put((reads ? "GET" : "POST") + pathOf(method), parametersOf(method));
                    assertThat(before).isIn(null, parametersOf(method));
                }
            }
        }
        assertThat(documented.keySet()).containsExactlyInAnyOrderElementsOf(there.keySet());
        there.forEach((request, parameters) -> assertThat(CODE.matcher(documented.get(request))
                        .results()
                        .map(MatchResult::group)
                        .map(code -> code.replace("`", "")))
                .as(request)
                .containsExactlyElementsOf(parameters));
    }

    /**
     * Each field of an executor that the example does not show, with the kinds of executors that have it, and whether
     * the list of all shows it. The example is of a striped executor; the page says what others do not have of it.
     */
    @Test
    void fields() throws IOException {
        Map<String, Class<?>> shownAs = new LinkedHashMap<>();
        shownAs.put("list", ExecutorSummary.class);
        shownAs.put("striped, grouped", KeyedExecutorDescriptor.class);
        shownAs.put("ordered-output", OrderedOutputExecutorDescriptor.class);
        Map<String, String> there = new LinkedHashMap<>();
        shownAs.forEach((where, type) -> {
            for (RecordComponent field : type.getRecordComponents()) {
                there.merge(field.getName(), where, (before, also) -> before + ", " + also);
            }
        });
        there.replaceAll((field, where) -> where.equals(String.join(", ", shownAs.keySet())) ? "all" : where);
        Set<String> shown = shownInTheExample();
        assertThat(there.keySet()).containsAll(shown);
        assertThat(section("Endpoint").replace('\n', ' '))
                .contains("Ordered output executors have none of "
                        + shown.stream()
                                .filter(field -> !there.get(field).contains("ordered-output")
                                        && !there.get(field).equals("all"))
                                .sorted()
                                .map(field -> "`" + field + "`")
                                .collect(Collectors.joining(", "))
                                .replaceFirst(", (`[^`]+`)$", " and $1")
                        + ".");
        there.keySet().removeAll(shown);
        Map<String, String> documented = rows("Endpoint");
        documented.keySet().removeIf(name -> name.contains("orderedexecutors"));
        assertThat(documented).containsExactlyInAnyOrderEntriesOf(there);
    }

    private static Set<String> shownInTheExample() throws IOException {
        Matcher example = Pattern.compile("orders\\?limit=1'\n```\n```json\n(.*?)```", Pattern.DOTALL)
                .matcher(section("Endpoint"));
        assertThat(example.find()).as("the example of an executor").isTrue();
        return JsonPath.parse(example.group(1)).<Map<String, Object>>read("$").keySet();
    }

    private static String pathOf(Method method) {
        StringBuilder path = new StringBuilder(" /orderedexecutors");
        for (Parameter parameter : method.getParameters()) {
            if (parameter.isAnnotationPresent(Selector.class)) {
                path.append("/{").append(parameter.getName()).append("}");
            }
        }
        return path.toString();
    }

    private static List<String> parametersOf(Method method) {
        return Arrays.stream(method.getParameters())
                .filter(parameter -> !parameter.isAnnotationPresent(Selector.class))
                .filter(parameter -> parameter.getType() != SecurityContext.class)
                .map(Parameter::getName)
                .toList();
    }

    @Test
    void properties() throws IOException {
        List<Map<String, Object>> properties = new ArrayList<>();
        try (InputStream file = getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            properties.addAll(JsonPath.parse(file).<List<Map<String, Object>>>read("$.properties[*]"));
        }
        Map<String, String> there = new LinkedHashMap<>();
        properties.forEach(
                property -> there.put((String) property.get("name"), defaultOf(property.get("defaultValue"))));
        there.keySet().removeIf(name -> !name.startsWith("management."));
        Map<String, String> documented = new LinkedHashMap<>();
        documented.putAll(rows("Endpoint"));
        documented.putAll(rows("Timeline"));
        documented.putAll(rows("Health"));
        documented.keySet().removeIf(name -> !name.startsWith("management."));
        assertThat(documented).containsExactlyInAnyOrderEntriesOf(there);
    }

    private static String defaultOf(Object value) {
        return value == null || value instanceof List
                ? ""
                : "`" + value.toString().replace('_', '-') + "`";
    }
}
