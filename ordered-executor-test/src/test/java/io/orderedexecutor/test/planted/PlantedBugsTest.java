package io.orderedexecutor.test.planted;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import io.orderedexecutor.test.SimulationFailure;
import io.orderedexecutor.test.SimulationRunner;
import io.orderedexecutor.test.Strategy;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the kit finds, and what it does not mistake for a find. */
@Tag("no-second-try")
@Timeout(120)
class PlantedBugsTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    /** How many schedules of a program without its mistake are tried: fewer in a build than in CI. */
    private static final int TWIN_RUNS = Boolean.getBoolean("tests.long") ? 1000 : 200;

    static {
        System.out.println("rounds: schedules without a mistake " + TWIN_RUNS);
    }

    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    /**
     * Of this JVM, compilers and all: a simulation waits for nothing, and so this is what it takes where it is alone.
     */
    private static Duration processorTime() {
        return Duration.ofNanos(PROCESS.getProcessCpuTime());
    }

    static Stream<Arguments> bugs() {
        return PlantedBugs.all().keySet().stream()
                .flatMap(
                        name -> Stream.of(Strategy.RANDOM, Strategy.PCT).map(strategy -> Arguments.of(name, strategy)));
    }

    private static SimulationRunner runner(String name, Strategy strategy) {
        return SimulationRunner.named(name).strategy(strategy).runs(1000);
    }

    @ParameterizedTest
    @MethodSource("bugs")
    void aMistakeIsFoundWithinAThousandSchedules(String name, Strategy strategy) {
        Duration start = processorTime();
        SimulationFailure failure = runner(name, strategy)
                .find(simulation -> PlantedBugs.all().get(name).run(simulation, false))
                .orElseThrow();
        Duration time = processorTime().minus(start);
        assertThat(time).isPositive().isLessThan(LIMIT);
        assertThat(failure.getMessage()).doesNotContain("another course").contains("shortest schedule");
        System.out.printf(
                "%s, %s: run %d, %d ms of a processor, with shrinking%n",
                name, strategy, failure.run(), time.toMillis());
        assertThat(SimulationRunner.named(name)
                        .seed(failure.seed())
                        .find(simulation -> PlantedBugs.all().get(name).run(simulation, false)))
                .as("its seed repeats it")
                .hasValueSatisfying(again -> assertThat(again.seed()).isEqualTo(failure.seed()));
    }

    @ParameterizedTest
    @MethodSource("bugs")
    void theTwinWithoutTheMistakeIsGreen(String name, Strategy strategy) {
        runner(name, strategy)
                .runs(strategy == Strategy.RANDOM ? TWIN_RUNS : TWIN_RUNS / 5)
                .run(simulation -> PlantedBugs.all().get(name).run(simulation, true));
    }
}
