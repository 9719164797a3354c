package io.orderedexecutor.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class StrategyTest {

    /** Two threads of three steps each. */
    private static void steps(Simulation simulation, Set<List<String>> orders) {
        List<String> order = new ArrayList<>();
        for (String name : List.of("x", "y")) {
            simulation.thread(name, () -> {
                for (int i = 0; i < 3; i++) {
                    order.add(name);
                    simulation.yieldPoint("step " + i);
                }
            });
        }
        simulation.run();
        orders.add(List.copyOf(order));
    }

    @Test
    void allOrdersAreExhausted() {
        Set<List<String>> orders = new HashSet<>();
        SimulationRunner.named("exhaustive")
                .strategy(Strategy.EXHAUSTIVE)
                .preemptions(100)
                .runs(20_000)
                .run(simulation -> steps(simulation, orders));
        assertThat(orders).as("six steps, three of them of x").hasSize(20);
    }

    @Test
    void withNoPreemptionAThreadStaysUntilItWaits() {
        Set<List<String>> orders = new HashSet<>();
        List<Integer> runs = new ArrayList<>();
        SimulationRunner.named("few")
                .strategy(Strategy.EXHAUSTIVE)
                .preemptions(0)
                .run(simulation -> {
                    runs.add(1);
                    steps(simulation, orders);
                });
        assertThat(orders)
                .containsExactlyInAnyOrder(
                        List.of("x", "x", "x", "y", "y", "y"), List.of("y", "y", "y", "x", "x", "x"));
        assertThat(runs).hasSizeLessThan(20);
    }

    /** Who hands work over may go on before or after it, as with an ordered executor. */
    @Test
    void allOrdersOfAnExecutorForOtherCodeAreExhausted() {
        for (boolean isSerial : new boolean[] {false, true}) {
            Set<Boolean> seen = new HashSet<>();
            SimulationRunner.named("hand-over").strategy(Strategy.EXHAUSTIVE).run(simulation -> {
                Executor executor = isSerial ? simulation.serial() : simulation.executor();
                AtomicBoolean written = new AtomicBoolean();
                executor.execute(() -> seen.add(written.get()));
                written.set(true);
            });
            assertThat(seen).as("serial: %s", isSerial).containsExactlyInAnyOrder(false, true);
        }
    }

    @Test
    void moreOrdersThanRunsAreAFailure() {
        assertThatThrownBy(() -> SimulationRunner.named("many")
                        .strategy(Strategy.EXHAUSTIVE)
                        .runs(10)
                        .run(simulation -> steps(simulation, new HashSet<>())))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("many has more than 10 schedules, so the runs did not try all of them");
    }

    @Test
    void whatTheTestChoosesIsExhaustedToo() {
        Set<Integer> chosen = new HashSet<>();
        SimulationRunner.named("numbers")
                .strategy(Strategy.EXHAUSTIVE)
                .run(simulation -> chosen.add(10 * simulation.choose(3) + simulation.choose(2)));
        assertThat(chosen).containsExactlyInAnyOrder(0, 1, 10, 11, 20, 21);
    }

    @ParameterizedTest
    @EnumSource(names = {"RANDOM", "PCT"})
    void manyOrdersAreTried(Strategy strategy) {
        Set<List<String>> orders = new HashSet<>();
        SimulationRunner.named("tried").strategy(strategy).runs(500).run(simulation -> steps(simulation, orders));
        assertThat(orders).hasSizeGreaterThan(10);
    }

    /** A switch at the one right step of a long run: what priorities are for. */
    @Test
    void prioritiesFindWhatTakesOneSwitchInALongRun() {
        assertThat(SimulationRunner.named("deep").strategy(Strategy.PCT).find(simulation -> {
                    boolean[] written = {false};
                    boolean[] seen = {false};
                    simulation.thread("reader", () -> {
                        for (int i = 0; i < 40; i++) {
                            boolean before = written[0];
                            simulation.yieldPoint("look " + i);
                            seen[0] |= i == 30 && !before && written[0];
                        }
                    });
                    simulation.thread("writer", () -> {
                        for (int i = 0; i < 40; i++) {
                            simulation.yieldPoint("before");
                        }
                        written[0] = true;
                    });
                    simulation.run();
                    assertThat(seen[0]).isFalse();
                }))
                .isPresent();
    }

    @Test
    void aChoiceWithoutOptionsIsRefused() {
        assertThat(SimulationRunner.named("none")
                        .find(simulation -> simulation.choose(0))
                        .orElseThrow()
                        .getCause())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("bound is 0, but must be at least 1");
    }
}
