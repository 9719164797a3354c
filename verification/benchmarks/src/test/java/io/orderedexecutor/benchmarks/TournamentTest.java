package io.orderedexecutor.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

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
        Results results = new Tournament(plan).run();

        assertThat(results.ratios(Row.THOUSAND_STRIPES, Subjects.OURS, Subjects.UNORDERED, Metric.TASKS_PER_SECOND))
                .hasSize(3)
                .allSatisfy(ratio -> assertThat(ratio).isPositive());
        assertThat(new Report(plan, results).markdown())
                .contains("| unordered | no order | 1.00 (1.00 – 1.00) |")
                .contains("| ours | ours |")
                .contains("1,000 stripes, × unordered")
                .contains("beside a hot stripe: p50")
                .doesNotContain("**failed**", "NaN");
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
        Results results = new Tournament(plan).run();

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
    }
}
