package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.orderedexecutor.fixtures.KeyedTasks;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R9: what waits when shutdownNow is called is returned. It is not started, however slowly the shutdown gets on. */
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
}
