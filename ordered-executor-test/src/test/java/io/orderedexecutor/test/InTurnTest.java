package io.orderedexecutor.test;

import static io.orderedexecutor.test.InTurn.assertInTurn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class InTurnTest {
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final StripedExecutor executor =
            stepped.configure(StripedExecutor.builder().name("orders")).build();

    @Test
    void aTaskOfTheKeyIsInTurn() {
        CompletableFuture<Void> checked = executor.submit("alice", () -> {
            assertInTurn("alice");
            return null;
        });
        stepped.runAll();
        assertThat(checked).isCompleted();
    }

    @Test
    void aTaskOfAnotherKeyIsNot() {
        CompletableFuture<Void> checked = executor.submit("bob", () -> {
            assertInTurn("alice");
            return null;
        });
        stepped.runAll();
        assertThatThrownBy(checked::join)
                .hasCauseInstanceOf(AssertionError.class)
                .hasMessageContaining("runs a task of bob in executor 'orders'");
    }

    @Test
    void aTaskOfOneGroupIsInTurnForTheGroupAndForItsGroups() {
        Groups alice = Groups.exclusive("alice");
        GroupedExecutor bank = stepped.configure(GroupedExecutor.builder()).build();
        CompletableFuture<Void> checked = bank.submit(alice, () -> {
            assertInTurn(alice);
            assertInTurn("alice");
            return null;
        });
        assertThat(stepped.runNextOf(Groups.exclusive("bob"))).isFalse();
        assertThat(stepped.runNextOf(alice)).isTrue();
        assertThat(checked).isCompleted();
    }

    @Test
    void aThreadThatRunsNoTaskIsNot() {
        executor.execute("alice", () -> {});
        stepped.runAll();
        assertThatThrownBy(() -> assertInTurn("alice"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("runs no task of an ordered executor here");
    }

    @Test
    void afterATaskThatRanOnThisThreadItIsNotEither() {
        SteppedExecutor here = SteppedExecutor.onCallingThread();
        StripedExecutor inline = here.configure(StripedExecutor.builder()).build();
        inline.execute("alice", () -> assertInTurn("alice"));
        here.runAll();
        assertThatThrownBy(() -> assertInTurn("alice")).isInstanceOf(AssertionError.class);
    }

    /** An executor may run a task on the thread that submits it, which is in the middle of another one. */
    @Test
    void aTaskIsInTurnAgainAfterOneThatItHasSubmittedToItsOwnThread() {
        TakeOver.begin();
        try (StripedExecutor executor =
                StripedExecutor.builder().executor(Runnable::run).build()) {
            List<String> inTurn = new ArrayList<>();
            CompletableFuture<Void> done = executor.submit("alice", () -> {
                executor.execute("bob", () -> {
                    assertInTurn("bob");
                    inTurn.add("bob");
                });
                assertInTurn("alice");
                inTurn.add("alice");
                return null;
            });
            assertThat(done).isCompleted();
            assertThat(inTurn).containsExactly("bob", "alice");
            assertThatThrownBy(() -> assertInTurn("alice")).isInstanceOf(AssertionError.class);
        }
    }

    @Test
    void aTaskThatCompletesTheStageOfAnotherIsInTurnStill() {
        SimulationRunner.named("stage").runs(20).run(simulation -> {
            StripedExecutor executor = simulation.striped("orders").build();
            CompletableFuture<String> answer = new CompletableFuture<>();
            CompletableFuture<String> held = executor.submitAsync("alice", () -> answer);
            simulation.advance(Duration.ZERO);
            CompletableFuture<Void> completes = executor.submit("bob", () -> {
                answer.complete("answer");
                assertInTurn("bob");
                return null;
            });
            completes.join();
            assertThat(held.join()).isEqualTo("answer");
        });
    }
}
