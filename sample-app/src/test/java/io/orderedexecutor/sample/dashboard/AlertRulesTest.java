package io.orderedexecutor.sample.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The alert rules, checked by Prometheus' own tool. Skipped where there is none; where CI runs, there is one. */
class AlertRulesTest {
    private static final Path PROMTOOL = Path.of("/usr/bin/promtool");
    private static final Path RULES = Path.of("../docs/prometheus");

    @ParameterizedTest
    @CsvSource({"check, ordered-executors.rules.yml", "test, ordered-executors.test.yml"})
    void promtoolIsContent(String command, String file) throws IOException, InterruptedException {
        boolean there = Files.isExecutable(PROMTOOL);
        assertThat(there || !Boolean.getBoolean("promtool.required"))
                .as("there is %s", PROMTOOL)
                .isTrue();
        assumeTrue(there, "SKIPPED: there is no promtool to check the alert rules with. Install prometheus.");
        Process promtool = new ProcessBuilder(PROMTOOL.toString(), command, "rules", file)
                .directory(RULES.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(promtool.waitFor()).as(output).isZero();
        assertThat(output).contains("SUCCESS");
    }

    @Test
    void eachAlertHasATest() throws IOException {
        String tests = Files.readString(RULES.resolve("ordered-executors.test.yml"));
        try (Stream<String> rules = Files.lines(RULES.resolve("ordered-executors.rules.yml"))) {
            assertThat(rules.filter(line -> line.contains("- alert: "))
                            .map(line -> line.replaceFirst(".*- alert: ", "")))
                    .hasSize(7)
                    .allSatisfy(alert -> assertThat(tests).contains("alertname: " + alert));
        }
    }
}
