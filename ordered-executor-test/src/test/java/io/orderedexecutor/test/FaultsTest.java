package io.orderedexecutor.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultsTest {
    private final Set<String> seen = new HashSet<>();

    private void run(Fault... faults) {
        SimulationRunner.named("faults").runs(200).run(simulation -> {
            simulation.faults(faults);
            StripedExecutor executor = simulation.striped("orders").build();
            for (int i = 0; i < 3; i++) {
                try {
                    submit(executor);
                } catch (RejectedExecutionException rejected) {
                    seen.add("rejected");
                }
            }
            simulation.run();
            if (!simulation.now().isZero()) {
                assertThat(simulation.now()).isGreaterThanOrEqualTo(Duration.ofMinutes(1));
                seen.add("slow");
            }
        });
    }

    private void submit(StripedExecutor executor) {
        CompletableFuture<String> future = executor.submit("alice", () -> {
            if (Thread.currentThread().isInterrupted()) {
                seen.add("interrupted");
            }
            return "done";
        });
        future.whenComplete((value, failure) ->
                seen.add(failure == null ? value : failure.getClass().getSimpleName()));
    }

    @Test
    void nothingGoesWrongUnlessItIsWanted() {
        run();
        assertThat(seen).containsExactly("done");
    }

    @Test
    void aTaskFails() {
        run(Fault.EXCEPTION);
        assertThat(seen).containsExactlyInAnyOrder("done", "InjectedFault");
    }

    @Test
    void aSubmissionIsRejected() {
        run(Fault.REJECTION);
        assertThat(seen).containsExactlyInAnyOrder("done", "rejected");
    }

    @Test
    void aTaskIsCancelled() {
        run(Fault.CANCELLATION);
        assertThat(seen).contains("done", "CancellationException").doesNotContain("InjectedFault", "slow", "rejected");
    }

    @Test
    void aTaskIsInterrupted() {
        run(Fault.INTERRUPT);
        assertThat(seen).containsExactlyInAnyOrder("done", "interrupted");
    }

    @Test
    void aTaskIsSlow() {
        run(Fault.SLOWNESS);
        assertThat(seen).containsExactlyInAnyOrder("done", "slow");
    }

    @Test
    void anExecutorIsShutDownByItself() {
        run(Fault.SHUTDOWN);
        assertThat(seen).containsExactlyInAnyOrder("done", "rejected");
    }

    @Test
    void allOfThemAtOnceLoseNothing() {
        run(EnumSet.allOf(Fault.class).toArray(new Fault[0]));
        assertThat(seen)
                .containsExactlyInAnyOrder(
                        "done", "InjectedFault", "rejected", "CancellationException", "interrupted", "slow");
    }

    @Test
    void anExecutorIsShutDownAtSomeTime() {
        Set<String> ends = new HashSet<>();
        SimulationRunner.named("shutdown").runs(200).run(simulation -> {
            StripedExecutor executor = simulation.striped("orders").build();
            simulation.shutDownSometime(executor, true);
            List<CompletableFuture<String>> accepted = new ArrayList<>();
            try {
                for (int i = 0; i < 3; i++) {
                    accepted.add(executor.submit("alice", () -> "done"));
                }
            } catch (RejectedExecutionException closed) {
                ends.add("rejected");
            }
            simulation.run();
            assertThat(accepted).allMatch(CompletableFuture::isDone);
            accepted.forEach(future -> ends.add(future.isCancelled() ? "cancelled" : "done"));
            assertThat(executor.isTerminated()).isTrue();
        });
        assertThat(ends).containsExactlyInAnyOrder("rejected", "cancelled", "done");
    }
}
