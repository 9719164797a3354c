package io.orderedexecutor.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.Batcher;
import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.WhenBusy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Items of a batch run together, which is neither an overlap nor a disorder. */
class BatchesInSimulationsTest {

    @Test
    void itemsOfABatchKeepOrderAndExclusion() {
        Set<List<Integer>> sizes = new HashSet<>();
        SimulationRunner.named("batches").runs(200).run(simulation -> {
            StripedExecutor executor = simulation
                    .striped("ledger")
                    .failurePolicy(FailurePolicy.retry()
                            .maxRetries(2)
                            .delay(Duration.ofSeconds(1))
                            .multiplier(2)
                            .thenProceed())
                    .build();
            List<Integer> batches = new ArrayList<>();
            Batcher<String, Integer> ledger = executor.<String, Integer>batchTo((stripe, items) -> {
                        batches.add(items.size());
                        if (batches.size() == 1) {
                            throw new IllegalStateException("the first one is repeated");
                        }
                    })
                    .build();
            for (int i = 0; i < 4; i++) {
                ledger.submit("alice", 1000 + i);
            }
            executor.execute("alice", () -> {});
            simulation.run();
            simulation.assertExclusion();
            simulation.assertInOrder("alice");
            simulation.assertIdle();
            sizes.add(batches);
        });
        assertThat(sizes).as("also several at once").anyMatch(some -> some.get(0) > 1);
    }

    /** A task that replaces another one may start before its submitter is back to tell that it is accepted. */
    @Test
    void whatReplacesAnotherTaskIsInOrder() {
        SimulationRunner.named("latest").runs(200).run(simulation -> {
            StripedExecutor executor = simulation.striped("views").build();
            for (int i = 0; i < 4; i++) {
                executor.with(WhenBusy.latest("view")).execute("alice", () -> {});
            }
            executor.execute("alice", () -> {});
            simulation.run();
            simulation.assertExclusion();
            simulation.assertInOrder("alice");
            simulation.assertIdle();
        });
    }

    @Test
    void twoBatchesThatOverlapAreFound() {
        History history = new History();
        history.batched("ledger", "alice", 2);
        history.add(History.Kind.STARTED, "ledger", "alice", "one");
        history.add(History.Kind.STARTED, "ledger", "alice", "two");
        assertThat(history.findOverlap()).isNull();
        history.batched("ledger", "alice", 1);
        history.add(History.Kind.STARTED, "ledger", "alice", "three");
        assertThat(history.findOverlap()).contains("ran at the same time");
    }

    @Test
    void aBatchThatOvertakesAnItemIsFound() {
        History history = new History();
        for (String item : List.of("one", "two", "three")) {
            history.add(History.Kind.QUEUED, "ledger", "alice", item);
        }
        history.batched("ledger", "alice", 2);
        history.add(History.Kind.STARTED, "ledger", "alice", "one");
        history.add(History.Kind.STARTED, "ledger", "alice", "three");
        assertThat(history.findDisorder("alice")).contains("started before an earlier one: three");
    }
}
