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
 * How much the auto-configurations add to the start of an empty application: a reading, taken on demand, for
 * docs/performance.md. Of CPU time, that of the compiler included, since it says the same on a busy machine; starts
 * with and without take turns, and it is the median of their differences. With the compiler that
 * {@code spring-boot:run} uses: the other one is at work long after the start.
 */
@EnabledIfSystemProperty(named = "start-up-cost", matches = "\\d+", disabledReason = "takes a minute or more")
@Timeout(900)
class StartUpCostTest {
    private static final Pattern READY = Pattern.compile("CPU milliseconds until it was ready: (\\d+)");

    @Test
    void theStarterAddsLessThanAQuarterToTheStart() throws Exception {
        int rounds = Integer.getInteger("start-up-cost");
        String excluded = "--spring.autoconfigure.exclude=" + String.join(",", ours());
        List<Double> without = new ArrayList<>();
        List<Double> added = new ArrayList<>();
        millisOfStart(); // the files are in memory from here on
        for (int i = 0; i < rounds; i++) {
            boolean withFirst = i % 2 == 0;
            double first = withFirst ? millisOfStart() : millisOfStart(excluded);
            double second = withFirst ? millisOfStart(excluded) : millisOfStart();
            without.add(withFirst ? second : first);
            added.add(withFirst ? first - second : second - first);
        }
        System.out.printf(
                "Start of an empty application, CPU time, medians of %d: %.0f ms, and with the starter's "
                        + "auto-configurations %.0f ms"
                        + " more (the middle half of the differences: %.0f to %.0f)%n",
                rounds, quantile(without, 0.5), quantile(added, 0.5), quantile(added, 0.25), quantile(added, 0.75));
        assertThat(quantile(added, 0.5)).isLessThan(quantile(without, 0.5) * 0.25);
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
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
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

    private static double quantile(List<Double> values, double share) {
        return values.stream().sorted().toList().get((int) Math.round((values.size() - 1) * share));
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
