package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.HeardTasks.Kind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How long a {@link TaskListener} is told that a task was queued and has run, and how often that takes the time. */
class StripedTaskTimesTest {
    @RegisterExtension
    final DefaultHandler handler = DefaultHandler.quiet();

    private long now = 1_000;
    private int readings;

    private final SteppedExecutor stepped = new SteppedExecutor();
    private final HandTimer timer = new HandTimer(this::read);
    private final HeardTasks heard = new HeardTasks() {
        @Override
        public void onEvent(Event event) {
            StripedTaskTimesTest.this.onEvent.run(event);
        }
    };
    private OnEvent onEvent = event -> {};

    private interface OnEvent {
        void run(HeardTasks.Event event);
    }

    private long read() {
        readings++;
        return now;
    }

    private StripedExecutorBuilder builder() {
        return StripedExecutor.builder().executor(stepped).platform(timer).listener(heard);
    }

    private Runnable taking(long nanos) {
        // a new object for each task, by which it is told from the others
        return new Runnable() {
            @Override
            public void run() {
                now += nanos;
            }
        };
    }

    private void assertTimes(Object task, long queued, long ran) {
        assertThat(heard.only(Kind.STARTED, task).nanos()).as("queued").isEqualTo(queued);
        assertThat(heard.only(Kind.FINISHED, task).nanos()).as("ran").isEqualTo(ran);
    }

    @Test
    @DisplayName(
            "three readings of the clock a task: when it comes, starts and ends; and one more where a turn may end")
    void threeReadings() {
        StripedExecutor executor = builder().build();
        List<Runnable> tasks = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            tasks.add(taking(1));
        }
        tasks.forEach(task -> executor.execute("a", task));
        assertThat(readings).isEqualTo(10);
        stepped.runAll();
        assertThat(readings).isEqualTo(10 + 2 * 10 + 9);
        assertThat(heard.count(Kind.FINISHED)).isEqualTo(10);
    }

    @Test
    @DisplayName("neighbours: one starts when the one before has ended")
    void neighbours() {
        StripedExecutor executor = builder().build();
        Runnable first = taking(5);
        Runnable second = taking(7);
        executor.execute("a", first);
        now += 10;
        executor.execute("a", second);
        now += 20;
        stepped.runAll();
        assertTimes(first, 30, 5);
        assertTimes(second, 25, 7);
    }

    @Test
    @DisplayName("what a listener does at the end of a task is time that the next one waits")
    void listener() {
        StripedExecutor executor = builder().build();
        Runnable first = taking(5);
        Runnable second = taking(7);
        onEvent = event -> now += event.kind() == Kind.FINISHED ? 3 : 0;
        executor.execute("a", first);
        executor.execute("a", second);
        stepped.runAll();
        assertTimes(first, 0, 5);
        assertTimes(second, 5 + 3, 7);
    }

    @Test
    @DisplayName("a task that is submitted while a listener hears of the end of the one before waits from then on")
    void submittedByAListener() {
        StripedExecutor executor = builder().build();
        Runnable first = taking(5);
        Runnable second = taking(7);
        onEvent = event -> {
            if (event.kind() == Kind.FINISHED && event.task() == first) {
                now += 3;
                executor.execute("a", second);
                now += 2;
            }
        };
        executor.execute("a", first);
        stepped.runAll();
        assertTimes(first, 0, 5);
        assertTimes(second, 2, 7);
    }

    @Test
    @DisplayName("a pause is no time of the task behind it")
    void pause() {
        StripedExecutor executor = builder().build();
        Runnable pausing = () -> {
            now += 5;
            executor.control().pause("a");
        };
        Runnable second = taking(7);
        executor.execute("a", pausing);
        executor.execute("a", second);
        stepped.runAll();
        now += 100;
        executor.control().resume("a");
        stepped.runAll();
        assertTimes(pausing, 0, 5);
        assertTimes(second, 105, 7);
    }

    @Test
    @DisplayName("nor is the time for which the thread serves another stripe in between")
    void anotherTurn() {
        StripedExecutor executor = builder().turn(1, Duration.ofSeconds(1)).build();
        Runnable first = taking(5);
        Runnable second = taking(7);
        executor.execute("a", first);
        executor.execute("a", second);
        assertThat(stepped.runNext()).isTrue();
        now += 100;
        stepped.runAll();
        assertTimes(first, 0, 5);
        assertTimes(second, 105, 7);
    }

    @Test
    @DisplayName("nor is the time for which the stage of an asynchronous task is not complete")
    void stage() {
        StripedExecutor executor = builder().build();
        CompletableFuture<String> stage = new CompletableFuture<>();
        Runnable second = taking(7);
        CompletableFuture<String> future = executor.submitAsync("a", () -> stage);
        executor.execute("a", second);
        stepped.runAll();
        now += 100;
        stage.complete("done");
        stepped.runAll();
        assertThat(future).isCompletedWithValue("done");
        assertTimes(second, 100, 7);
    }

    @Test
    @DisplayName("each attempt at a task has its own time")
    void attempts() {
        StripedExecutor executor = builder()
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ZERO)
                        .multiplier(2)
                        .thenProceed())
                .build();
        Runnable failing = () -> {
            now += 5;
            throw new ThrownOnPurpose();
        };
        onEvent = event -> now += event.kind() == Kind.RETRIED ? 3 : 0;
        executor.execute("a", failing);
        stepped.runAll();
        assertThat(heard.all().stream()
                        .filter(event -> event.kind() == Kind.STARTED)
                        .map(HeardTasks.Event::nanos))
                .containsExactly(0L, 8L);
        assertThat(heard.only(Kind.FAILED, failing).nanos()).isEqualTo(5);
    }

    @Test
    @DisplayName("what runs is seen while it runs, and its task not kept afterwards")
    void seenWhileItRuns() {
        StripedExecutor executor = builder().build();
        List<Object> seen = new ArrayList<>();
        Runnable first = new Runnable() {
            @Override
            public void run() {
                now += 5;
                executor.inspect().runningTasks().forEach(running -> {
                    seen.add(running.task());
                    seen.add(running.age());
                });
            }
        };
        onEvent = event -> {
            if (event.kind() == Kind.FINISHED) {
                executor.inspect().runningTasks().forEach(running -> seen.add(running.task()));
            }
        };
        executor.execute("a", first);
        stepped.runAll();
        assertThat(seen).containsExactly(first, Duration.ofNanos(5), null);
    }
}
