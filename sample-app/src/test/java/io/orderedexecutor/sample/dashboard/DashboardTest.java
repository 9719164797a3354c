package io.orderedexecutor.sample.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.sample.SampleApplication;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Every metric and label of the dashboard and of the alerts is in a real scrape of the sample. */
class DashboardTest {
    private static final Path DASHBOARD = Path.of("../docs/grafana/ordered-executors.json");
    private static final Path RULES = Path.of("../docs/prometheus/ordered-executors.rules.yml");

    private static final Pattern METRIC = Pattern.compile("\\bordered_executor_\\w+");
    private static final Pattern BY = Pattern.compile("\\bby \\(([\\w, ]+)\\)");
    private static final Pattern SELECTED = Pattern.compile("(\\w+)(?:=~|!~|!=|=)\"");
    private static final Pattern SAMPLE = Pattern.compile("(?m)^(ordered_executor_\\w+)\\{([^}]*)}");

    /** The labels of each metric, of all its series. */
    private static final Map<String, Set<String>> SCRAPED = new HashMap<>();

    private static JsonNode dashboard;

    @BeforeAll
    static void scrape() throws IOException, InterruptedException {
        dashboard = new ObjectMapper().readTree(Files.readString(DASHBOARD));
        // no test context: that would switch the export of metrics off
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(SampleApplication.class)
                .properties("server.port=0")
                .run("--spring.main.banner-mode=off")) {
            URI uri = URI.create("http://localhost:"
                    + application.getEnvironment().getRequiredProperty("local.server.port") + "/actuator/prometheus");
            HttpResponse<String> scrape = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(scrape.statusCode()).isEqualTo(200);
            SAMPLE.matcher(scrape.body())
                    .results()
                    .forEach(sample -> SELECTED.matcher(sample.group(2))
                            .results()
                            .forEach(label -> SCRAPED.computeIfAbsent(sample.group(1), metric -> new LinkedHashSet<>())
                                    .add(label.group(1))));
        }
        assertThat(SCRAPED).hasSizeGreaterThan(20);
    }

    private static Stream<JsonNode> panels() {
        return dashboard.get("panels").valueStream();
    }

    private static List<String> expressions() {
        return panels().flatMap(panel -> panel.get("targets").valueStream())
                .map(target -> target.get("expr").asString())
                .toList();
    }

    private static void assertScraped(String expression) {
        List<String> metrics =
                METRIC.matcher(expression).results().map(MatchResult::group).toList();
        assertThat(metrics).as(expression).isNotEmpty();
        Stream<String> grouped = BY.matcher(expression)
                .results()
                .flatMap(by -> Stream.of(by.group(1).split(", ")));
        Stream<String> selected = SELECTED.matcher(expression).results().map(label -> label.group(1));
        List<String> labels = Stream.concat(grouped, selected).distinct().toList();
        for (String metric : metrics) {
            assertThat(SCRAPED).as(expression).containsKey(metric);
            assertThat(SCRAPED.get(metric)).as(metric + " in " + expression).containsAll(labels);
        }
    }

    @Test
    void eachMetricOfTheDashboardIsMeasured() {
        assertThat(expressions()).hasSizeGreaterThan(20).allSatisfy(DashboardTest::assertScraped);
    }

    @Test
    void eachMetricOfTheAlertsIsMeasured() throws IOException {
        assertThat(Files.readAllLines(RULES).stream()
                        .filter(line -> line.strip().startsWith("expr: "))
                        // the sample has no Kafka listener: OperatingIT looks at these
                        .filter(line -> !line.contains("ordered_kafka_"))
                        .map(line -> line.strip().substring("expr: ".length())))
                .hasSize(5)
                .allSatisfy(DashboardTest::assertScraped);
    }

    @Test
    void eachPanelHasAUnitAndSaysWhatToDo() {
        assertThat(panels()).hasSizeGreaterThan(10).allSatisfy(panel -> {
            String title = panel.get("title").asString();
            assertThat(panel.at("/fieldConfig/defaults/unit").asString())
                    .as(title)
                    .isNotBlank();
            assertThat(panel.get("description").asString()).as(title).hasSizeBetween(30, 160);
            assertThat(panel.get("targets").valueStream())
                    .as(title)
                    .allSatisfy(target ->
                            assertThat(target.get("legendFormat").asString()).isNotBlank());
        });
        assertThat(panels().map(panel -> panel.get("id").asInt())).doesNotHaveDuplicates();
        assertThat(panels().map(panel -> panel.get("gridPos").toString())).doesNotHaveDuplicates();
    }
}
