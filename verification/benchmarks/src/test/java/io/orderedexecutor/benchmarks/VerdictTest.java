package io.orderedexecutor.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.benchmarks.BrokenExecutor.Fault;
import io.orderedexecutor.benchmarks.Subject.Kind;
import io.orderedexecutor.benchmarks.ThroughputExperiment.Load;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The figures are worth something only if an executor that does not do its work is found out. */
class VerdictTest {
    /** No multiple of a thousand: there is a task behind the last fault. */
    private static final int BATCH = 4_100;

    private static final Settings SETTINGS = new Settings(2, 0, 2_048, BATCH, 50, 2_500, 2_500, 300);

    private static Subject broken(Kind kind, Fault fault) {
        return new Subject("broken", kind, fault.name(), threads -> new BrokenExecutor(fault, 1_000));
    }

    @ParameterizedTest
    @CsvSource({
        "NONE, OK",
        "LOSES, LOSES_TASKS",
        "REPEATS, REPEATS_TASKS",
        "LOSES_AND_REPEATS, REPEATS_TASKS",
        "REPEATS_AT_THE_END, REPEATS_TASKS",
        "SWAPS, BREAKS_ORDER"
    })
    void aFaultIsFoundInAThroughputRow(Fault fault, Verdict verdict) throws Exception {
        Experiment experiment = new ThroughputExperiment(broken(Kind.QUEUES, fault), SETTINGS, Load.of(1));
        experiment.measure();
        experiment.end();
        assertThat(experiment.verdict()).isEqualTo(verdict);
    }

    @Test
    void aSampleIsJudgedBeforeTheEnd() throws Exception {
        for (Fault fault : new Fault[] {Fault.LOSES, Fault.REPEATS, Fault.SWAPS}) {
            Experiment experiment = new ThroughputExperiment(broken(Kind.QUEUES, fault), SETTINGS, Load.of(1));
            experiment.measure();
            assertThat(experiment.verdict()).as("%s", fault).isNotEqualTo(Verdict.OK);
            experiment.end();
        }
    }

    @ParameterizedTest
    @CsvSource({"SWAPS, OK", "LOSES, LOSES_TASKS", "LOSES_AND_REPEATS, REPEATS_TASKS"})
    void aLimitMayChangeTheOrderOnly(Fault fault, Verdict verdict) throws Exception {
        Experiment experiment = new ThroughputExperiment(broken(Kind.LIMIT, fault), SETTINGS, Load.of(1));
        experiment.measure();
        experiment.end();
        assertThat(experiment.verdict()).isEqualTo(verdict);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"LOSES", "REPEATS"})
    void aFaultIsFoundWhereMemoryIsMeasured(Fault fault) throws Exception {
        Experiment experiment = new MemoryExperiment(
                broken(Kind.QUEUES, fault), new Settings(1, 0, 2_048, BATCH, 50, 2_500, 2_500, 300));
        experiment.measure();
        experiment.end();
        assertThat(experiment.verdict()).isNotEqualTo(Verdict.OK);
    }

    @ParameterizedTest
    @CsvSource({"NONE, OK", "LOSES, LOSES_TASKS", "REPEATS, REPEATS_TASKS", "SWAPS, BREAKS_ORDER"})
    void aFaultIsFoundWhereCallsTakeTime(Fault fault, Verdict verdict) throws Exception {
        Experiment experiment = new BusyExperiment(broken(Kind.CALLS, fault), SETTINGS);
        experiment.measure();
        experiment.end();
        assertThat(experiment.verdict()).isEqualTo(verdict);
    }

    static Stream<Arguments> everyRowFindsFaults() {
        return Stream.of(Row.values())
                .flatMap(row -> Stream.of(Fault.LOSES, Fault.REPEATS, Fault.SWAPS)
                        // of each key there is one task: nothing to swap
                        .filter(fault -> row != Row.SCRAPE || fault != Fault.SWAPS)
                        .map(fault -> Arguments.of(row, fault)));
    }

    @ParameterizedTest
    @MethodSource
    void everyRowFindsFaults(Row row, Fault fault) throws Exception {
        // the others arrive rarely: one fault in a hundred might not be seen
        int every = row == Row.HOT_STRIPE ? 5 : 100;
        Subject broken = new Subject("broken", Kind.OURS, fault.name(), threads -> new BrokenExecutor(fault, every));
        Experiment experiment = row.start(broken, new Settings(1, 0, 2_048, 20_000, 50, 2_500, 2_500, 300));
        experiment.measure();
        experiment.end();
        assertThat(experiment.verdict())
                .isEqualTo(
                        switch (fault) {
                            case LOSES -> Verdict.LOSES_TASKS;
                            case REPEATS -> Verdict.REPEATS_TASKS;
                            default -> Verdict.BREAKS_ORDER;
                        });
    }

    @Test
    void aTaskThatSharesItsKeyRunsBetweenTheTurnsOfOthers() {
        Ledger ledger = new Ledger();
        Lane lane = new Lane.Ordered(ledger, 0);
        new Task(lane, 0, 0).run();
        new SharedTask(lane, 1, 1).run();
        new SharedTask(lane, 1, 2).run();
        new Task(lane, 1, 3).run();
        assertThat(ledger.violations()).isZero();
        new SharedTask(lane, 1, 4).run();
        assertThat(ledger.violations()).as("behind a later one").isPositive();
        assertThat(ledger.ran()).isEqualTo(5);
    }

    @Test
    void aTaskThatRunsBesideOneThatSharesItsKeyBreaksTheOrder() {
        Ledger ledger = new Ledger();
        Lane lane = new Lane.Ordered(ledger, 0);
        lane.share(0);
        assertThat(ledger.violations()).isZero();
        lane.enter(0);
        lane.share(0);
        assertThat(ledger.violations()).isEqualTo(1);
    }

    @Test
    void aRollupHasItsTurnInBothLanes() {
        Ledger ledger = new Ledger();
        Lane first = new Lane.Ordered(ledger, 0);
        Lane second = new Lane.Ordered(ledger, 0);
        new RollupTask(first, 0, 0, second, 0).run();
        new Task(second, 1, 1).run();
        assertThat(ledger.violations()).isZero();
        new RollupTask(first, 1, 2, second, 3).run();
        assertThat(ledger.violations()).isEqualTo(1);
        assertThat(ledger.ran()).isEqualTo(3);
    }

    @Test
    void aTaskInsideOfAnotherBreaksTheOrder() {
        Ledger ledger = new Ledger();
        Lane lane = new Lane.Ordered(ledger, 0);
        lane.enter(0);
        lane.leave(0);
        lane.enter(1);
        assertThat(ledger.violations()).isZero();
        lane.enter(2);
        assertThat(ledger.violations()).isEqualTo(1);
    }
}
