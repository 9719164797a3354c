package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.SteppedExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R5: tasks whose stages are the futures of other tasks end without nesting in each other, however many they are. */
class StripedStackTest {
    private static final int TASKS = 20_000;

    private final SteppedExecutor stepped = new SteppedExecutor();
    private final StripedExecutor executor =
            StripedExecutor.builder().executor(stepped).build();
    private final CompletableFuture<Integer> first = new CompletableFuture<>();
    private final List<CompletableFuture<Integer>> futures = new ArrayList<>();
    private final AtomicInteger ran = new AtomicInteger();

    /** Tasks on stripes of their own, of which each returns the future of the one before. */
    private void submitAll() {
        CompletionStage<Integer> before = first;
        for (int i = 0; i < TASKS; i++) {
            CompletionStage<Integer> stage = before;
            CompletableFuture<Integer> future = executor.submitAsync(i, () -> stage);
            futures.add(future);
            executor.execute(i, ran::incrementAndGet);
            before = future;
        }
        stepped.runAll();
        assertThat(ran).hasValue(0);
    }

    @Test
    @DisplayName("20,000 tasks that each wait for the one before on another stripe end when the first does")
    void completedOneAfterTheOther() {
        submitAll();
        first.complete(7);
        stepped.runAll();
        assertThat(futures).allMatch(future -> future.isDone() && !future.isCompletedExceptionally());
        assertThat(ran).hasValue(TASKS);
        assertThat(executor.inspect().stats().completed()).isEqualTo(2 * TASKS);
        assertThat(executor.inspect().stats().keys()).isZero();
    }

    @Test
    @DisplayName("shutdownNow ends 20,000 tasks that each wait for the one before on another stripe")
    void shutDown() {
        submitAll();
        assertThat(executor.shutdownNow()).hasSize(TASKS);
        stepped.runAll();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(futures).allMatch(CompletableFuture::isDone);
        assertThat(executor.inspect().stats().cancelled()).isGreaterThanOrEqualTo(TASKS);
    }
}
