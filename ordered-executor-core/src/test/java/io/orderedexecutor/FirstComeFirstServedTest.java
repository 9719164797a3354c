package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.KeyedTasks;
import io.orderedexecutor.fixtures.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** R8: who waits for room gets it before those who come later, also in the moment in which there is room. */
@Timeout(60)
class FirstComeFirstServedTest {
    private static final int ROUNDS = 300;

    private final Queue<String> ran = new ConcurrentLinkedQueue<>();

    private static KeyedTasks build(KeyedTasks.Kind kind, boolean ofKey) {
        Overflow waits = Overflow.block(Duration.ofSeconds(Patience.SECONDS));
        return kind.build(
                builder -> {
                    builder.threads(1).overflow(waits);
                    if (!ofKey) {
                        builder.capacity(1);
                    }
                },
                ofKey ? 1 : 0);
    }

    @ParameterizedTest
    @CsvSource({"STRIPES, false", "STRIPES, true", "GROUPS, false", "GROUPS, true"})
    @DisplayName("a submission that comes when room is made does not get past one that has waited for it")
    void nobodyGetsPast(KeyedTasks.Kind kind, boolean ofKey) {
        KeyedTasks tasks = build(kind, ofKey);
        for (int round = 0; round < ROUNDS; round++) {
            CountDownLatch release = new CountDownLatch(1);
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch room = new CountDownLatch(1);
            tasks.execute("a", () -> {
                running.countDown();
                Patience.await(release);
            });
            Patience.await(running);
            tasks.execute("a", room::countDown);
            Thread waits = new Thread(() -> tasks.execute("a", () -> ran.add("first")));
            waits.start();
            Patience.awaitParked(waits);
            Thread comes = new Thread(() -> {
                Patience.await(room);
                tasks.execute("a", () -> ran.add("late"));
            });
            comes.start();
            release.countDown();
            Patience.join(waits);
            Patience.join(comes);
            // all that was accepted has run when this has
            assertThat(Patience.get(tasks.submit("a", () -> ran.size()))).isEqualTo(2);
            assertThat(ran).as("round " + round).containsExactly("first", "late");
            ran.clear();
        }
        Patience.terminate(tasks.executor());
    }

    @ParameterizedTest
    @CsvSource({"STRIPES, false", "STRIPES, true", "GROUPS, false", "GROUPS, true"})
    @DisplayName("many that wait for room in one key get it in the order in which they came")
    void inOrder(KeyedTasks.Kind kind, boolean ofKey) {
        KeyedTasks tasks = build(kind, ofKey);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        tasks.execute("a", () -> {
            running.countDown();
            Patience.await(release);
        });
        Patience.await(running);
        CompletableFuture<Boolean> queued = tasks.submit("a", () -> true);
        List<Thread> threads = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            String name = "submitter " + i;
            Thread thread = new Thread(() -> tasks.execute("a", () -> ran.add(name)));
            thread.start();
            Patience.awaitParked(thread);
            threads.add(thread);
            expected.add(name);
        }
        release.countDown();
        threads.forEach(Patience::join);
        Patience.terminate(tasks.executor());
        assertThat(queued).isCompletedWithValue(true);
        assertThat(ran).containsExactlyElementsOf(expected);
    }
}
