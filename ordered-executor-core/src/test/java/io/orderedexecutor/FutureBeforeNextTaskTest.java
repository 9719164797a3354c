package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.KeyedTasks;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R1: the future of a task is complete before the next conflicting task starts. */
class FutureBeforeNextTaskTest {
    private static final int TASKS = 4_000;

    private final ExecutorService others = Executors.newFixedThreadPool(2);
    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicInteger tooEarly = new AtomicInteger();

    @AfterEach
    void close() {
        others.shutdownNow();
    }

    private void check(CompletableFuture<?> previous) {
        ran.incrementAndGet();
        if (!previous.isDone()) {
            tooEarly.incrementAndGet();
        }
    }

    /** A task of each kind in turn, which looks whether the one before it is done. */
    private CompletableFuture<Integer> submit(KeyedTasks tasks, int number, CompletableFuture<?> previous) {
        return switch (number % 4) {
            case 0 ->
                tasks.submit("a", () -> {
                    check(previous);
                    return number;
                });
            case 1 ->
                tasks.submit("a", () -> {
                    check(previous);
                    throw new ThrownOnPurpose();
                });
            case 2 ->
                tasks.submitAsync("a", () -> {
                    check(previous);
                    return CompletableFuture.supplyAsync(() -> number, others);
                });
            default ->
                tasks.submitAsync("a", () -> {
                    check(previous);
                    return CompletableFuture.failedFuture(new ThrownOnPurpose());
                });
        };
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("the future of a task, whatever its end, is done when the next task of its key starts")
    void tasks(KeyedTasks.Kind kind) {
        KeyedTasks tasks = kind.build(builder -> builder.threads(2));
        List<CompletableFuture<Integer>> futures = new ArrayList<>();
        CompletableFuture<Integer> previous = CompletableFuture.completedFuture(0);
        for (int i = 0; i < TASKS; i++) {
            previous = submit(tasks, i, previous);
            futures.add(previous);
        }
        Patience.terminate(tasks.executor());
        assertThat(tooEarly)
                .as("tasks that started before the future of the one before was done")
                .hasValue(0);
        assertThat(ran).hasValue(TASKS);
        assertThat(futures.stream().filter(CompletableFuture::isCompletedExceptionally))
                .hasSize(TASKS / 2);
    }

    @Test
    @DisplayName("the future of a piece is done when the next output begins")
    void outputs() {
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().threads(2).build();
        AtomicReferenceArray<CompletableFuture<?>> futures = new AtomicReferenceArray<>(TASKS);
        OrderedOutput<Integer> output = executor.open(number -> {
            if (number > 0) {
                check(futures.get(number - 1));
            }
        });
        for (int i = 0; i < TASKS; i++) {
            int number = i;
            futures.set(
                    i,
                    number % 2 == 0
                            ? output.submit(() -> number)
                            : output.submitAsync(() -> CompletableFuture.supplyAsync(() -> number, others)));
        }
        output.close();
        Patience.terminate(executor);
        assertThat(tooEarly)
                .as("outputs that began before the future of the one before was done")
                .hasValue(0);
        assertThat(ran).hasValue(TASKS - 1);
    }
}
