package io.orderedexecutor.test;

import static io.orderedexecutor.test.SimulationAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulationAssertTest {

    private static void simulate(SimulationRunner.Body body) {
        SimulationRunner.named("assertions").runs(1).run(body);
    }

    @Test
    void whatIsRightPasses() {
        simulate(simulation -> {
            StripedExecutor executor = simulation.striped("orders").build();
            executor.execute("alice", () -> {});
            executor.execute("alice", () -> {});
            simulation.advance(Duration.ofSeconds(3));
            assertThat(simulation)
                    .keptOrder("alice")
                    .keptExclusion()
                    .lostNothing()
                    .isIdle()
                    .started("alice", 2)
                    .tookExactly(Duration.ofSeconds(3));
        });
    }

    /** The place in the order is that of the reservation, which is not told. */
    @Test
    void aTaskThatFillsAReservedPlaceMayStartBeforeEarlierOnes() {
        simulate(simulation -> {
            StripedExecutor executor = simulation.striped("orders").build();
            List<String> ran = new ArrayList<>();
            Reservation reserved = executor.reserve("alice");
            executor.execute("alice", () -> ran.add("later"));
            reserved.execute(() -> ran.add("reserved"));
            executor.execute("alice", () -> ran.add("last"));
            simulation.run();
            Assertions.assertThat(ran).containsExactly("reserved", "later", "last");
            assertThat(simulation).keptOrder("alice").lostNothing();
        });
    }

    /** Who is accepted first is told first, though the executor hands over to code that lets others go on. */
    @ParameterizedTest
    @ValueSource(strings = {"raw", "wrapped", "serial"})
    void tasksOnAnExecutorOfTheSimulationKeepTheirOrder(String kind) {
        SimulationRunner.named("hand-overs").runs(500).run(simulation -> {
            Executor own = simulation.executor();
            Executor given = switch (kind) {
                case "raw" -> own;
                case "wrapped" -> work -> own.execute(work);
                default -> simulation.serial();
            };
            StripedExecutor executor =
                    simulation.striped("orders").executor(given).build();
            List<String> ran = new ArrayList<>();
            for (String caller : List.of("one", "two")) {
                simulation.thread(caller, () -> executor.execute("alice", () -> ran.add(caller)));
            }
            simulation.run();
            assertThat(simulation).keptOrder("alice").lostNothing().started("alice", 2);
        });
    }

    @Test
    void aRefusedSubmissionBeforeAReservedPlaceIsFilledChangesNothing() {
        simulate(simulation -> {
            StripedExecutor executor = simulation.striped("orders").build();
            StripedExecutor closed = simulation.striped("closed").build();
            closed.shutdown();
            Reservation reserved = executor.reserve("alice");
            executor.execute("alice", () -> {});
            assertThatThrownBy(() -> closed.execute("alice", () -> {})).isInstanceOf(RejectedExecutionException.class);
            reserved.execute(() -> {});
            simulation.run();
            assertThat(simulation).keptOrder("alice").lostNothing();
        });
    }

    /** It was at a reserved place once, and is at one of its own now. */
    @Test
    void aTaskThatIsSubmittedAgainIsJudged() {
        simulate(simulation -> {
            Object again = new Object();
            Object other = new Object();
            History history = simulation.scheduler().history();
            for (History.Kind kind : List.of(History.Kind.FILLED, History.Kind.STARTED, History.Kind.ENDED)) {
                history.add(kind, "orders", "alice", again);
            }
            history.add(History.Kind.QUEUED, "orders", "alice", again);
            history.add(History.Kind.QUEUED, "orders", "alice", other);
            history.add(History.Kind.STARTED, "orders", "alice", other);
            assertThatThrownBy(() -> assertThat(simulation).keptOrder("alice"))
                    .hasMessageContaining("started before an earlier one");
            history.add(History.Kind.ENDED, "orders", "alice", other);
            history.add(History.Kind.STARTED, "orders", "alice", again);
            history.add(History.Kind.ENDED, "orders", "alice", again);
        });
    }

    /** Two instances of a service, or one that is started again. */
    @Test
    void tasksOfTwoExecutorsWithOneNameMayRunAtTheSameTime() {
        TakeOver.begin();
        StripedExecutor outside = StripedExecutor.builder().name("orders").build();
        SimulationRunner.named("instances").runs(200).run(simulation -> {
            for (String name : List.of("orders", "orders", "orders-2")) {
                StripedExecutor executor = simulation.striped(name).build();
                executor.execute("alice", () -> simulation.yieldPoint("in the task"));
            }
            outside.execute("alice", () -> simulation.yieldPoint("in the task"));
            simulation.run();
            assertThat(simulation).keptOrder("alice").keptExclusion().lostNothing();
        });
        outside.shutdown();
    }

    @Test
    void groupsOfOneKeyAreThatKey() {
        simulate(simulation -> {
            GroupedExecutor executor = simulation.grouped("bank").build();
            Groups alice = Groups.exclusive("alice");
            executor.execute(alice, () -> {});
            simulation.run();
            assertThat(simulation).keptOrder(alice).started(alice, 1).started("alice", 1);
        });
    }

    @Test
    void whatIsWrongFailsWithItsDescription() {
        simulate(simulation -> {
            StripedExecutor executor = simulation.striped("orders").build();
            CompletableFuture<Object> answer = new CompletableFuture<>();
            executor.submitAsync("alice", () -> answer);
            simulation.run();
            assertThatThrownBy(
                            () -> assertThat(simulation).as("orders of alice").lostNothing())
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("[orders of alice]")
                    .hasMessageContaining("was accepted and has not ended");
            assertThatThrownBy(() -> assertThat(simulation).isIdle()).hasMessageContaining("has not ended");
            assertThatThrownBy(() -> assertThat(simulation).started("alice", 2))
                    .hasMessageContaining("Expected 2 starts of tasks of 'alice', but there were 1");
            assertThatThrownBy(() -> assertThat(simulation).tookExactly(Duration.ofSeconds(1)))
                    .hasMessageContaining("Expected PT1S to have passed, but it was PT0S");
            answer.complete("done");
            simulation.run();
            assertThat(simulation).lostNothing().isIdle();
        });
    }

    @Test
    void whatWasOvertakenOrOverlapsIsFound() {
        simulate(simulation -> {
            Object first = new Object();
            Object second = new Object();
            History history = simulation.scheduler().history();
            history.add(History.Kind.QUEUED, "orders", "alice", first);
            history.add(History.Kind.QUEUED, "orders", "alice", second);
            history.add(History.Kind.STARTED, "orders", "alice", second);
            assertThatThrownBy(() -> assertThat(simulation).keptOrder("alice"))
                    .hasMessageContaining("started before an earlier one");
            history.add(History.Kind.STARTED, "orders", "alice", first);
            assertThatThrownBy(() -> assertThat(simulation).keptExclusion())
                    .hasMessageContaining("ran at the same time");
            history.add(History.Kind.ENDED, "orders", "alice", first);
            history.add(History.Kind.ENDED, "orders", "alice", second);
            history.events().clear();
        });
    }
}
