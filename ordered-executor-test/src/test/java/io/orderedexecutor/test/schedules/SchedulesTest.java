package io.orderedexecutor.test.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.test.SimulationRunner;
import io.orderedexecutor.test.Strategy;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The executors themselves, with features at random, against models that know one task after the other: ten thousand
 * schedules. {@code -Dordered-executor.simulation.runs=125000} makes it a million.
 */
class SchedulesTest {
    private static final int RUNS = 1250;

    static Stream<Arguments> schedules() {
        return Stream.of(Strategy.RANDOM, Strategy.PCT)
                .flatMap(strategy -> Stream.of(
                        Arguments.of("striped", strategy, (SimulationRunner.Body) StripedSchedule::run),
                        Arguments.of("grouped", strategy, (SimulationRunner.Body) GroupedSchedule::run),
                        Arguments.of("outputs", strategy, (SimulationRunner.Body) OutputSchedule::run),
                        Arguments.of("tickets", strategy, (SimulationRunner.Body) TicketSchedule::run)));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("schedules")
    void promisesAreKeptInAllSchedules(String kind, Strategy strategy, SimulationRunner.Body schedule) {
        long start = System.nanoTime();
        SimulationRunner runner =
                SimulationRunner.named(kind).strategy(strategy).runs(RUNS);
        runner.run(schedule);
        System.out.printf(
                "%s, %s: all schedules in %d ms%n",
                kind, strategy, Duration.ofNanos(System.nanoTime() - start).toMillis());
    }

    /** A model that finds nothing would keep all promises. */
    @Test
    void theModelFindsTasksThatOvertakeAndOverlapAndEndTwice() {
        Object first = new Object();
        Object second = new Object();
        assertThat(mistakeOf(model -> {
                    model.queued("a", first);
                    model.queued("a", second);
                    model.started("a", second, 0);
                }))
                .contains("started before the end of");
        assertThat(mistakeOf(model -> {
                    model.queued("a", first);
                    model.started("a", first, 0);
                    model.finished("a", first, 0);
                    model.finished("a", first, 0);
                }))
                .contains("ENDED");
        assertThat(mistakeOf(model -> {
                    model.capacity = 1;
                    model.queued("a", first);
                    model.queued("b", second);
                }))
                .contains("2 are queued, and 1 may be");
        assertThat(mistakeOf(model -> model.queued("a", first))).contains("not ended");
        assertThat(mistakeOf(model -> {
                    model.queued("a", first);
                    model.queued("b", second);
                    model.started("b", second, 0);
                    model.finished("b", second, 0);
                    model.cancelled("a", first);
                }))
                .isNull();
    }

    private interface Events {
        void tell(Model model);
    }

    private static @Nullable String mistakeOf(Events events) {
        Model model = new Model() {
            @Override
            boolean conflict(@Nullable Object one, @Nullable Object other) {
                return one != null && one.equals(other);
            }
        };
        events.tell(model);
        try {
            model.assertNothingLeft();
            return null;
        } catch (AssertionError found) {
            return found.getMessage();
        }
    }
}
