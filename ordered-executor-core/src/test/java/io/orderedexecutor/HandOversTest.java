package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.KeyedTasks;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * R2, R5: a pool, a stage or a handler that does more than it should runs nothing twice, and ends nothing too early.
 */
class HandOversTest {
    private final List<String> ran = new ArrayList<>();

    /** Keeps what it is given, and runs it again when the test wants. */
    private static final class Repeating implements Executor {
        private final List<Runnable> given = new ArrayList<>();
        private int next;

        @Override
        public void execute(Runnable handOver) {
            given.add(handOver);
        }

        void runNew() {
            while (next < given.size()) {
                given.get(next++).run();
            }
        }

        void runAllAgain() {
            runNew();
            for (int i = 0; i < next; i++) {
                given.get(i).run();
            }
        }
    }

    /** What a key waits for. */
    enum State {
        RETRY_PAUSE,
        PARKED,
        STAGE,
        RESERVED,
        PAUSED,
        EXECUTOR_PAUSED
    }

    private void failOnce() {
        ran.add("task");
        if (ran.size() == 1) {
            throw new ThrownOnPurpose();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "STRIPES, RETRY_PAUSE", "STRIPES, PARKED", "STRIPES, STAGE", "STRIPES, RESERVED", "STRIPES, PAUSED",
        "STRIPES, EXECUTOR_PAUSED", "GROUPS, RETRY_PAUSE", "GROUPS, PARKED", "GROUPS, STAGE", "GROUPS, RESERVED",
        "GROUPS, PAUSED", "GROUPS, EXECUTOR_PAUSED"
    })
    @DisplayName("a pool that runs its hand-overs again and again starts nothing in a key that waits")
    void runAgain(KeyedTasks.Kind kind, State state) {
        Repeating pool = new Repeating();
        FailurePolicy policy = state == State.RETRY_PAUSE
                ? FailurePolicy.retry()
                        .maxRetries(2)
                        .delay(Duration.ofHours(1))
                        .multiplier(2)
                        .thenProceed()
                : FailurePolicy.park();
        KeyedTasks tasks = kind.build(builder -> builder.executor(pool).failurePolicy(policy));
        tasks.execute("a", () -> ran.add("first"));
        pool.runNew();
        ran.clear();
        CompletableFuture<Boolean> stage = new CompletableFuture<>();
        Runnable goOn = switch (state) {
            case RETRY_PAUSE, PARKED -> {
                var failing = tasks.submit("a", () -> {
                    failOnce();
                    return true;
                });
                yield () -> {
                    if (state == State.PARKED) {
                        assertThat(tasks.resume("a")).isTrue();
                    } else {
                        assertThat(failing.cancel(false)).isTrue();
                    }
                };
            }
            case STAGE -> {
                var unused = tasks.submitAsync("a", () -> {
                    ran.add("task");
                    return stage;
                });
                yield () -> stage.complete(true);
            }
            case RESERVED -> {
                Reservation place = tasks.reserve("a");
                ran.add("task");
                yield () -> place.execute(() -> ran.add("reserved"));
            }
            case PAUSED -> {
                tasks.execute("a", () -> {
                    ran.add("task");
                    tasks.pause("a");
                });
                yield () -> assertThat(tasks.resume("a")).isTrue();
            }
            case EXECUTOR_PAUSED -> {
                tasks.execute("a", () -> {
                    ran.add("task");
                    tasks.executor().control().pause();
                });
                yield tasks.executor().control()::resume;
            }
        };
        CompletableFuture<Boolean> next = tasks.submit("a", () -> ran.add("next"));
        pool.runNew();
        for (int i = 0; i < 3; i++) {
            pool.runAllAgain();
        }
        assertThat(ran).containsExactly("task");
        goOn.run();
        for (int i = 0; i < 3; i++) {
            pool.runAllAgain();
        }
        assertThat(next).isCompletedWithValue(true);
        switch (state) {
            case PARKED -> assertThat(ran).containsExactly("task", "task", "next");
            case RESERVED -> assertThat(ran).containsExactly("task", "reserved", "next");
            default -> assertThat(ran).containsExactly("task", "next");
        }
        assertThat(tasks.openKeys()).isZero();
        tasks.executor().shutdown();
        assertThat(tasks.executor().isTerminated()).isTrue();
    }

    /** A stage that calls back when the test wants, as often as it wants. */
    private static final class Repeater extends CompletableFuture<Integer> {
        private final boolean throwsAfterwards;
        private BiConsumer<? super Integer, ? super Throwable> listener;

        Repeater(boolean throwsAfterwards) {
            this.throwsAfterwards = throwsAfterwards;
        }

        @Override
        public CompletableFuture<Integer> whenComplete(BiConsumer<? super Integer, ? super Throwable> action) {
            listener = action;
            if (throwsAfterwards) {
                throw new ThrownOnPurpose();
            }
            return this;
        }

        void callBack(int result) {
            listener.accept(result, null);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a stage that calls back again ends nothing but its own task")
    void secondCallback(KeyedTasks.Kind kind) {
        secondCallback(kind, false);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a stage that throws when it has taken the callback fails its task, and calls back to no effect")
    void stageThatThrows(KeyedTasks.Kind kind) {
        secondCallback(kind, true);
    }

    private void secondCallback(KeyedTasks.Kind kind, boolean throwsAfterwards) {
        SteppedExecutor stepped = new SteppedExecutor();
        KeyedTasks tasks = kind.build(builder -> builder.executor(stepped));
        Repeater stage = new Repeater(throwsAfterwards);
        CompletableFuture<Integer> first = tasks.submitAsync("a", () -> stage);
        CompletableFuture<Integer> open = new CompletableFuture<>();
        CompletableFuture<Integer> second = tasks.submitAsync("a", () -> {
            ran.add("second");
            return open;
        });
        tasks.execute("a", () -> ran.add("third"));
        stepped.runAll();
        if (!throwsAfterwards) {
            assertThat(ran).isEmpty();
            stage.callBack(1);
            stepped.runAll();
        }
        assertThat(first).isDone();
        assertThat(ran).containsExactly("second");
        stage.callBack(2);
        stage.callBack(3);
        stepped.runAll();
        assertThat(ran).containsExactly("second");
        assertThat(second).isNotDone();
        if (throwsAfterwards) {
            assertThat(first).isCompletedExceptionally();
        } else {
            assertThat(first).isCompletedWithValue(1);
        }
        open.complete(4);
        stepped.runAll();
        assertThat(second).isCompletedWithValue(4);
        assertThat(ran).containsExactly("second", "third");
        tasks.executor().shutdown();
        assertThat(tasks.executor().isTerminated()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("an uncaught exception handler that throws holds up nothing")
    void handlerThatThrows(KeyedTasks.Kind kind) {
        SteppedExecutor stepped = new SteppedExecutor();
        KeyedTasks tasks = kind.build(builder -> builder.executor(stepped));
        Thread.UncaughtExceptionHandler before = Thread.currentThread().getUncaughtExceptionHandler();
        Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> {
            ran.add("handler");
            throw new ThrownOnPurpose();
        });
        try {
            for (int i = 0; i < 3; i++) {
                tasks.execute("a", () -> {
                    throw new ThrownOnPurpose();
                });
            }
            tasks.execute("a", () -> ran.add("last"));
            stepped.runAll();
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(before);
        }
        assertThat(ran).containsExactly("handler", "handler", "handler", "last");
        assertThat(tasks.openKeys()).isZero();
        tasks.executor().shutdown();
        assertThat(tasks.executor().isTerminated()).isTrue();
    }
}
