package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.orderedexecutor.fixtures.KeyedTasks;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R9: shutdownNow returns what waits and starts none of it, and what there is to wait for at a termination. */
class ShutdownNowTest {
    private static final int TASKS = 200;

    private final SteppedExecutor stepped = new SteppedExecutor();
    private final List<Integer> started = new ArrayList<>();
    private final List<Runnable> returned = new ArrayList<>();

    /** Ends the executor by shutdownNow. When the first task is cancelled, a thread does all that it finds to do. */
    private void stopWhileAThreadWorks(OrderedExecutor executor, List<? extends CompletableFuture<?>> futures) {
        futures.get(0).whenComplete((result, failure) -> stepped.runAll());
        returned.addAll(executor.shutdownNow());
        assertThat(started)
                .as("started by one thread after shutdownNow was called")
                .hasSizeLessThanOrEqualTo(1);
        stepped.runAll();
        assertThat(started.size() + returned.size()).isEqualTo(TASKS);
        assertThat(futures.stream().filter(CompletableFuture::isCancelled)).hasSize(returned.size());
        assertThat(futures).allMatch(CompletableFuture::isDone);
        assertThat(executor.isTerminated()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("tasks of one key that wait when shutdownNow is called are returned and not started")
    void oneKey(KeyedTasks.Kind kind) {
        KeyedTasks tasks = kind.build(builder -> builder.executor(stepped));
        List<CompletableFuture<Boolean>> futures = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            int number = i;
            futures.add(tasks.submit("a", () -> started.add(number)));
        }
        stopWhileAThreadWorks(tasks.executor(), futures);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("tasks of many keys that wait when shutdownNow is called are returned and not started")
    void manyKeys(KeyedTasks.Kind kind) {
        KeyedTasks tasks = kind.build(builder -> builder.executor(stepped));
        List<CompletableFuture<Boolean>> futures = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            int number = i;
            futures.add(tasks.submit(i, () -> started.add(number)));
        }
        stopWhileAThreadWorks(tasks.executor(), futures);
    }

    @Test
    @DisplayName("pieces of an output that wait when shutdownNow is called are returned and not started")
    void pieces() {
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(stepped).window(TASKS).build();
        List<Boolean> written = new ArrayList<>();
        OrderedOutput<Boolean> output = executor.open(written::add);
        List<CompletableFuture<Boolean>> futures = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            int number = i;
            futures.add(output.submit(() -> started.add(number)));
        }
        stopWhileAThreadWorks(executor, futures);
        assertThat(written).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a task that runs when shutdownNow is called ends, and the next one of its key does not start")
    void calledInsideATask(KeyedTasks.Kind kind) {
        KeyedTasks tasks = kind.build(builder -> builder.executor(stepped));
        Consumer<Integer> submission = number -> tasks.execute("a", () -> started.add(number));
        tasks.execute("a", () -> returned.addAll(tasks.executor().shutdownNow()));
        for (int i = 0; i < TASKS; i++) {
            submission.accept(i);
        }
        stepped.runAll();
        assertThat(started).isEmpty();
        assertThat(returned).hasSize(TASKS);
        assertThat(tasks.executor().isTerminated()).isTrue();
        assertThat(catchThrowable(() -> submission.accept(0))).isInstanceOf(RejectedExecutionException.class);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a task that waits for a retry is not tried again after shutdownNow, and nothing waits for its pause")
    void retryPause(KeyedTasks.Kind kind) {
        KeyedTasks tasks = retryingLater(kind);
        CompletableFuture<Integer> failing = tasks.submit("a", () -> {
            started.add(1);
            throw new ThrownOnPurpose();
        });
        CompletableFuture<Integer> behind = tasks.submit("a", () -> 2);
        stepped.runAll();
        assertThat(failing).isNotDone();
        returned.addAll(tasks.executor().shutdownNow());
        stepped.runAll();
        assertThat(tasks.executor().isTerminated()).isTrue();
        assertThat(started).hasSize(1);
        assertThat(failing).isCompletedExceptionally();
        assertThat(behind).isCancelled();
        assertThat(returned).contains((Runnable) behind);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a task that fails after it has called shutdownNow itself begins no pause before a retry")
    void retryPauseThatBeginsAfterwards(KeyedTasks.Kind kind) {
        KeyedTasks tasks = retryingLater(kind);
        CompletableFuture<Integer> failing = tasks.submit("a", () -> {
            started.add(1);
            returned.addAll(tasks.executor().shutdownNow());
            throw new ThrownOnPurpose();
        });
        CompletableFuture<Integer> behind = tasks.submit("a", () -> 2);
        stepped.runAll();
        assertThat(tasks.executor().isTerminated()).isTrue();
        assertThat(started).hasSize(1);
        assertThat(failing).isCompletedExceptionally();
        assertThat(behind).isCancelled();
        assertThat(returned).containsExactly((Runnable) behind);
    }

    private KeyedTasks retryingLater(KeyedTasks.Kind kind) {
        FailurePolicy policy = FailurePolicy.retry()
                .maxRetries(2)
                .delay(Duration.ofHours(1))
                .multiplier(2)
                .thenPark();
        return kind.build(builder -> builder.executor(stepped).failurePolicy(policy));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("an executor or key that is paused after the shutdown goes on, and terminates")
    void pausedAfterwards(KeyedTasks.Kind kind) {
        KeyedTasks tasks = kind.build(builder -> builder.executor(stepped));
        for (int i = 0; i < TASKS; i++) {
            int number = i;
            tasks.execute(i % 10, () -> started.add(number));
        }
        tasks.executor().shutdown();
        tasks.executor().control().pause();
        tasks.pause(1);
        tasks.pause("a new one");
        stepped.runAll();
        assertThat(started).hasSize(TASKS).doesNotHaveDuplicates();
        assertThat(tasks.executor().isTerminated()).isTrue();
        assertThat(tasks.executor().control().isPaused()).isFalse();
    }

    @Test
    @DisplayName("an executor in which only a barrier waits or runs, or an open place of one, is not terminated")
    void barriersCount() {
        GroupedExecutor executor = GroupedExecutor.builder().executor(stepped).build();
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        CompletableFuture<Integer> barrier = executor.submitAsync(Groups.all(), () -> stage);
        Reservation place = executor.reserve(Groups.all());
        executor.shutdown();
        assertThat(executor.isTerminated()).isFalse();
        stepped.runAll();
        assertThat(executor.isTerminated()).isFalse();
        stage.complete(1);
        stepped.runAll();
        assertThat(barrier).isCompletedWithValue(1);
        assertThat(executor.isTerminated()).isFalse();
        place.execute(() -> started.add(1));
        stepped.runAll();
        assertThat(started).containsExactly(1);
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    @DisplayName("an executor of which only an output waits to be written is not terminated")
    void outputsCount() {
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(stepped).build();
        OrderedOutput<Integer> output = executor.open(started::add);
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        CompletableFuture<Integer> first = output.submitAsync(() -> stage);
        CompletableFuture<Integer> second = output.submit(() -> 2);
        stepped.runAll();
        executor.shutdown();
        assertThat(executor.isTerminated()).isFalse();
        stage.complete(1);
        stepped.runAll();
        assertThat(started).containsExactly(1, 2);
        assertThat(first).isCompletedWithValue(1);
        assertThat(second).isCompletedWithValue(2);
        assertThat(executor.isTerminated()).isTrue();
    }
}
