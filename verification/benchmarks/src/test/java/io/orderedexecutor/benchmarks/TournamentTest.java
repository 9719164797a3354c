package io.orderedexecutor.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.orderedexecutor.StripedExecutor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TournamentTest {

    @Test
    void measuresInJvmsOfTheirOwnAndPrintsTables() {
        Plan plan = Options.parse(List.of(
                "quick",
                "--executors=ours,unordered",
                "--rows=hot,1k",
                "--batch=5000",
                "--slice=20",
                "--warmups=1",
                "--rounds=3",
                "--heap=64m"));
        Results results = new Tournament(plan, History.ALONE).run();

        assertThat(results.ratios(Row.THOUSAND_STRIPES, Subjects.OURS, Subjects.UNORDERED, Metric.TASKS_PER_SECOND))
                .hasSize(3)
                .allSatisfy(ratio -> assertThat(ratio).isPositive());
        assertThat(new Report(plan, results).markdown())
                .contains("| unordered | no order | 1.00 (1.00 – 1.00) |")
                .contains("| ours | ours |")
                .contains("Throughput, × unordered in the same round")
                .contains("beside a hot stripe: p50")
                .doesNotContain("**failed**", "NaN");
    }

    @Test
    void anotherBuildTakesTurnsWithThisOne() throws Exception {
        Path jar = Path.of(StripedExecutor.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Plan plan = Options.parse(List.of(
                "--executors=ours,unordered",
                "--rows=1",
                "--before=" + jar,
                "--histories=mixed",
                "--batch=5000",
                "--warmups=0",
                "--rounds=2"));
        Results results = new Tournament(plan, History.MIXED).run();

        assertThat(Subjects.names(plan.subjects())).containsExactly("unordered", "ours", "ours@before");
        assertThat(plan.histories()).containsExactly(History.MIXED);
        assertThat(results.ratios(Row.ONE_STRIPE, "ours", "ours@before", Metric.TASKS_PER_SECOND))
                .hasSize(2)
                .allSatisfy(ratio -> assertThat(ratio).isPositive());
        assertThat(new Report(plan, results).markdown())
                .contains("This build, × the other one", "| ours@before | ours |");
    }

    /** A build without the executors shows that its classes are those that are used. */
    @Test
    void anotherBuildIsFoundBeforeThisOne(@TempDir Path directory) throws Exception {
        Path jar = directory.resolve("broken.jar");
        try (JarOutputStream broken = new JarOutputStream(Files.newOutputStream(jar))) {
            broken.putNextEntry(new ZipEntry(StripedExecutor.class.getName().replace('.', '/') + ".class"));
            broken.write(new byte[] {1, 2, 3, 4});
        }
        Plan plan = Options.parse(List.of(
                "--executors=ours,unordered",
                "--rows=1",
                "--before=" + jar,
                "--histories=alone",
                "--batch=5000",
                "--warmups=0",
                "--rounds=1"));
        Results results = new Tournament(plan, History.ALONE).run();

        assertThat(results.verdict(Row.ONE_STRIPE, "ours")).isEqualTo(Verdict.OK);
        assertThat(results.verdict(Row.ONE_STRIPE, "ours@before")).isEqualTo(Verdict.FAILED);
    }

    @Test
    void aJvmThatEndsIsShown() {
        Plan plan = Options.parse(List.of(
                "--executors=ours,unordered",
                "--rows=1",
                "--batch=5000",
                "--warmups=0",
                "--rounds=1",
                "--jvm=-XX:NoSuchFlag=1"));
        Results results = new Tournament(plan, History.ALONE).run();

        assertThat(results.verdict(Row.ONE_STRIPE, Subjects.OURS)).isEqualTo(Verdict.FAILED);
        assertThat(new Report(plan, results).markdown()).contains("| ours | ours | **failed** |");
    }

    @Test
    void mistakesInOptionsAreNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(List.of("--executors=no-such")))
                .withMessageContaining("no-such")
                .withMessageContaining("unordered");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(List.of("--rows=7")))
                .withMessageContaining("100k");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(List.of("--fork=1")))
                .withMessageContaining("forks");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(List.of("--threads=0")))
                .withMessageContaining("too small");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(List.of("--histories=warm")))
                .withMessageContaining("[mixed, alone]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(List.of("--before=no-such.jar")))
                .withMessageContaining("no-such.jar");
    }
}
