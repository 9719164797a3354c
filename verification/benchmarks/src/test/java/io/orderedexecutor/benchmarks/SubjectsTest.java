package io.orderedexecutor.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every subject goes through every row that is for it, in small. */
class SubjectsTest {
    private static final Settings SETTINGS = new Settings(2, 0, 2_048, 20_000, 40, 2_000, 2_000, 10_000);

    static Stream<Arguments> everySubjectInItsRows() {
        return Subjects.ALL.stream()
                .flatMap(subject -> Stream.of(Row.values())
                        .filter(row -> row.isFor(subject))
                        .map(row -> Arguments.of(subject.name(), row)));
    }

    @ParameterizedTest
    @MethodSource
    void everySubjectInItsRows(String name, Row row) throws Exception {
        Experiment experiment = row.start(Subjects.named(name), SETTINGS);
        Sample sample = experiment.measure();
        experiment.end();
        assertThat(experiment.verdict()).isEqualTo(Verdict.OK);
        assertThat(sample.values())
                .isNotEmpty()
                .allSatisfy(
                        (metric, value) -> assertThat(value).as("%s", metric).isFinite());
    }
}
