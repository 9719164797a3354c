package io.orderedexecutor.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * How much the auto-configurations add to the start of an empty application: a reading, taken on demand, for docs/reference.md. Of CPU time,
 * that of the compilers included, since it says the same on a busy machine.
 */
@EnabledIfSystemProperty(named = "start-up-cost", matches = "\\d+", disabledReason = "takes a minute or more")
@Timeout(900)
class StartUpCostTest {
    private static final Pattern READY = Pattern.compile("CPU milliseconds until it was ready: (\\d+)");

    @Test
    void isSmall() throws Exception {
        int rounds = Integer.getInteger("start-up-cost");
        List<Double> with = new ArrayList<>();
        List<Double> without = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            with.add(millisOfStart());
            without.add(millisOfStart("--spring.autoconfigure.exclude=" + String.join(",", ours())));
        }
        double added = median(with) - median(without);
        System.out.printf(
                "Start of an empty application, CPU time, medians of %d: %.0f ms with and %.0f ms without, so %.0f ms more%n",
                rounds, median(with), median(without), added);
        assertThat(added).isLessThan(median(without) * 0.25);
    }

    private static List<String> ours() {
        List<String> ours = new ArrayList<>();
        for (String type : ImportCandidates.load(AutoConfiguration.class, StartUpCostTest.class.getClassLoader())) {
            if (type.startsWith("io.orderedexecutor.")) {
                ours.add(type);
            }
        }
        assertThat(ours).isNotEmpty();
        return ours;
    }

    private static double millisOfStart(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Empty.class.getName(),
                "--spring.main.web-application-type=none"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        Matcher started = READY.matcher(output);
        assertThat(started.find()).as(output).isTrue();
        return Double.parseDouble(started.group(1));
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    /** An application with nothing in it. */
    @EnableAutoConfiguration
    public static class Empty {

        /** Starts it. */
        public static void main(String[] arguments) {
            try (ConfigurableApplicationContext application = SpringApplication.run(Empty.class, arguments)) {
                long nanos = ProcessHandle.current()
                        .info()
                        .totalCpuDuration()
                        .orElseThrow()
                        .toNanos();
                assertThat(application.isRunning()).isTrue();
                System.out.println("CPU milliseconds until it was ready: " + nanos / 1_000_000);
            }
        }
    }
}
