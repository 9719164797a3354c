package io.orderedexecutor.test.schedules;

import io.orderedexecutor.test.SimulationRunner;
import io.orderedexecutor.test.Strategy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The executors themselves, with features at random, against models that know one task after the other: ten thousand
 * schedules. {@code -Dordered-executor.simulation.runs=125000} makes it a million; docs/proof.md has the command.
 */
class SchedulesTest {
    private static final int RUNS = 1250;

    static Stream<Arguments> schedules() {
        return Stream.of(
                Arguments.of("striped", (SimulationRunner.Body) StripedSchedule::run),
                Arguments.of("grouped", (SimulationRunner.Body) GroupedSchedule::run),
                Arguments.of("outputs", (SimulationRunner.Body) OutputSchedule::run),
                Arguments.of("tickets", (SimulationRunner.Body) TicketSchedule::run));
    }

    /** Both strategies at once: a simulation keeps one processor busy at most. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("schedules")
    void promisesAreKeptInAllSchedules(String kind, SimulationRunner.Body schedule) {
        CompletableFuture<Void> byPriority =
                CompletableFuture.runAsync(() -> run(kind, Strategy.PCT, schedule), job -> new Thread(job).start());
        run(kind, Strategy.RANDOM, schedule);
        byPriority.join();
    }

    private static void run(String kind, Strategy strategy, SimulationRunner.Body schedule) {
        long start = System.nanoTime();
        SimulationRunner.named(kind).strategy(strategy).runs(RUNS).run(schedule);
        System.out.printf(
                "%s, %s: all schedules in %d ms%n",
                kind, strategy, Duration.ofNanos(System.nanoTime() - start).toMillis());
    }
}
