package io.orderedexecutor.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BarTest {
    private static final Plan ONE_STRIPE = Options.parse(List.of("design", "--rows=1"));

    private static Results oneStripe(double ours, double globalLock) {
        Results results = new Results();
        results.add(Row.ONE_STRIPE, Subjects.named(Subjects.OURS), Sample.of(Metric.TASKS_PER_SECOND, ours));
        results.add(
                Row.ONE_STRIPE, Subjects.named(Subjects.GLOBAL_LOCK), Sample.of(Metric.TASKS_PER_SECOND, globalLock));
        return results;
    }

    @Test
    void eachBarIsAboutExecutorsThatItsRowsAreFor() {
        for (Bar bar : Bar.ALL) {
            assertThat(bar.uses()).isNotEmpty().allSatisfy(use -> {
                Subject subject = Subjects.named(use.subject().replace(Subject.BEFORE, ""));
                boolean isLater = subject.kind() == Subject.Kind.VIEW && !Core.PRESENT.hasStripesOfGroups();
                assertThat(use.row().isFor(subject) || isLater).as("%s", use).isTrue();
            });
        }
    }

    @Test
    void aDesignRunMeasuresWhatABarAsksForAndNothingElse() {
        Plan plan = Options.parse(List.of("design"));
        assertThat(plan.rows()).containsExactlyInAnyOrderElementsOf(Bar.rows());
        assertThat(plan.measures(Row.LATENCY, Subjects.named(Subjects.UNORDERED)))
                .isTrue();
        assertThat(plan.measures(Row.ONE_STRIPE, Subjects.named(Subjects.UNORDERED)))
                .isFalse();
        assertThat(plan.measures(Row.ONE_STRIPE, Subjects.named("guava"))).isFalse();
    }

    @Test
    void aBarThatIsMetAndOneThatIsNotAreTold() {
        assertThat(new Report(ONE_STRIPE, oneStripe(6, 2)).bars(true))
                .contains("| 1 stripe | × one global lock | ≥ 2.00 | 3.00 | 3.00 – 3.00 | yes |");
        assertThat(new Report(ONE_STRIPE, oneStripe(3, 2)).bars(true))
                .contains("| 1 stripe | × one global lock | ≥ 2.00 | 1.50 | 1.50 – 1.50 | **no** |");
    }

    @Test
    void whatIsNotMeasuredIsTold() {
        assertThat(new Report(ONE_STRIPE, oneStripe(6, 2)).bars(true))
                .contains("| 1 stripe | × before | ≥ 0.75 | – | – | not measured |")
                .doesNotContain("1,000 stripes");
    }

    @Test
    void aBarIsNotMetByAnExecutorThatBreaksTheOrder() {
        for (String subject : List.of(Subjects.OURS, Subjects.GLOBAL_LOCK)) {
            Results results = oneStripe(6, 2);
            results.judge(Row.ONE_STRIPE, Subjects.named(subject), Verdict.BREAKS_ORDER);
            assertThat(new Report(ONE_STRIPE, results).bars(true))
                    .contains("3.00 – 3.00 | **" + subject + " breaks order** |");
        }
    }

    @Test
    void severalBarsTogetherHaveTheRangeOfTheirMedians() {
        Results results = new Results();
        for (Row row : List.of(Row.ONE_STRIPE, Row.THOUSAND_STRIPES)) {
            Subject ours = Subjects.named(Subjects.OURS);
            Subject before = ours.before(new CoreClasses.Earlier("", List.of()));
            results.add(row, ours, Sample.of(Metric.TASKS_PER_SECOND, row == Row.ONE_STRIPE ? 4 : 1));
            results.add(row, before, Sample.of(Metric.TASKS_PER_SECOND, 1));
        }
        assertThat(new Report(ONE_STRIPE, results).bars(true))
                .contains("| stripes, all rows | geometric mean, × before | ≥ 0.95 | 2.00 | 1.00 – 4.00 | yes |");
    }

    @Test
    void whatIsAsGoodAsBeforeInAQuarterOfTheRoundsIsNotWorse() {
        assertThat(Rule.notLessThan(1).isMetBy(Figure.of(List.of(0.9, 0.9, 0.9, 1.0))))
                .isTrue();
        assertThat(Rule.notLessThan(1).isMetBy(Figure.of(List.of(0.9, 0.9, 0.9, 0.9, 1.0))))
                .isFalse();
        assertThat(Rule.notMoreThan(0).isMetBy(Figure.of(List.of(7.0, 7.0, 7.0, 0.0))))
                .isTrue();
        assertThat(Rule.notMoreThan(0).isMetBy(Figure.of(List.of(7.0, 7.0, 7.0, 1.0))))
                .isFalse();
    }

    @Test
    void aLimitIsForTheMedian() {
        Figure figure = Figure.of(List.of(1.0, 2.0, 9.0));
        assertThat(Rule.atLeast(2).isMetBy(figure)).isTrue();
        assertThat(Rule.atLeast(2.1).isMetBy(figure)).isFalse();
        assertThat(Rule.atMost(2).isMetBy(figure)).isTrue();
        assertThat(Rule.atMost(1.9).isMetBy(figure)).isFalse();
    }
}
