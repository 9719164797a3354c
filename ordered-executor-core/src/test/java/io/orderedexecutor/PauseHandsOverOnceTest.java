package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A task is handed over once for each time it becomes startable, however often its executor or key is resumed. */
class PauseHandsOverOnceTest {
    private static final int KEYS = 50;

    private final SteppedExecutor stepped = new SteppedExecutor();
    private final GroupedExecutor executor =
            GroupedExecutor.builder().executor(stepped).build();
    private final OrderedOutputExecutor outputs =
            OrderedOutputExecutor.builder().executor(stepped).build();
    private final List<Object> ran = new ArrayList<>();

    @AfterEach
    void terminate() {
        executor.shutdown();
        outputs.shutdown();
        stepped.runAll();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(outputs.isTerminated()).isTrue();
    }

    private List<Object> keys() {
        List<Object> keys = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            keys.add(i);
        }
        return keys;
    }

    private void submitAll() {
        keys().forEach(key -> executor.stripes().execute(key, () -> ran.add(key)));
    }

    private void pauseAndResume() {
        for (int i = 0; i < 20; i++) {
            executor.control().pause();
            executor.control().resume();
        }
    }

    @Test
    @DisplayName("what is handed over already is not handed over again")
    void notTwice() {
        submitAll();
        pauseAndResume();
        assertThat(stepped.runAll()).isEqualTo(KEYS);
        assertThat(ran).isEqualTo(keys());
    }

    @Test
    @DisplayName("what was submitted during a pause is handed over by the first resume")
    void submittedDuringAPause() {
        executor.control().pause();
        submitAll();
        assertThat(stepped.waiting()).isZero();
        executor.control().resume();
        pauseAndResume();
        assertThat(stepped.runAll()).isEqualTo(KEYS);
        assertThat(ran).hasSize(KEYS).containsExactlyInAnyOrderElementsOf(keys());
    }

    @Test
    @DisplayName("what a thread has found paused is handed over by the first resume")
    void foundPaused() {
        submitAll();
        executor.control().pause();
        assertThat(stepped.runAll()).isEqualTo(KEYS);
        assertThat(ran).isEmpty();
        executor.control().resume();
        pauseAndResume();
        assertThat(stepped.runAll()).isEqualTo(KEYS);
        assertThat(ran).hasSize(KEYS).containsExactlyInAnyOrderElementsOf(keys());
    }

    @Test
    @DisplayName("a rollup goes on when the last of its keys is resumed, and a barrier when all are")
    void severalKeys() {
        executor.control().pause("a");
        executor.control().pause("b");
        executor.control().pause("other");
        executor.execute(Groups.exclusive("a", "b"), () -> ran.add("rollup"));
        executor.execute(Groups.all(), () -> ran.add("barrier"));
        executor.control().resume("a");
        executor.control().pause("a");
        executor.control().resume("a");
        assertThat(stepped.waiting()).isZero();
        executor.control().resume("b");
        assertThat(stepped.runAll())
                .as("the rollup; and the barrier, which is paused")
                .isEqualTo(1);
        assertThat(ran).containsExactly("rollup");
        executor.control().pause("b");
        executor.control().resume("b");
        assertThat(stepped.waiting()).isZero();
        executor.control().resume("other");
        assertThat(stepped.runAll()).isEqualTo(1);
        assertThat(ran).containsExactly("rollup", "barrier");
    }

    @Test
    @DisplayName("pieces that a thread has found paused are handed over by the first resume")
    void pieces() {
        OrderedOutput<Object> output = outputs.open(ran::add);
        for (Object piece : keys()) {
            output.submit(() -> piece);
        }
        outputs.control().pause();
        outputs.control().resume();
        outputs.control().pause();
        assertThat(stepped.runAll()).isEqualTo(KEYS);
        assertThat(ran).isEmpty();
        for (int i = 0; i < 20; i++) {
            outputs.control().resume();
            outputs.control().pause();
        }
        outputs.control().resume();
        assertThat(stepped.runAll()).isEqualTo(KEYS);
        assertThat(ran).isEqualTo(keys());
    }

    @Test
    @DisplayName("a task that was set aside can be replaced, cancelled and dropped")
    void othersWhileSetAside() {
        StripedExecutor stripes = executor.stripes();
        StripedSubmitter latest = stripes.with(WhenBusy.latest("slot"));
        CompletableFuture<?> first = latest.submit("a", () -> ran.add("first"));
        CompletableFuture<?> cancelled = stripes.submit("b", () -> ran.add("cancelled"));
        stripes.execute("b", () -> ran.add("behind"));
        executor.control().pause();
        stepped.runAll();
        latest.execute("a", () -> ran.add("second"));
        assertThat(first).isCancelled();
        latest.execute("a", () -> ran.add("third"));
        cancelled.cancel(false);
        assertThat(executor.inspect().stats().queued()).isEqualTo(2);
        assertThat(stepped.waiting())
                .as("what is behind the cancelled one is set aside at once")
                .isZero();
        executor.control().resume();
        assertThat(stepped.runAll()).isEqualTo(2);
        assertThat(ran).containsExactlyInAnyOrder("third", "behind");
    }

    @Test
    @DisplayName("a later task replaces one that a thread is about to set aside")
    void replacedWhileItIsSetAside() {
        int rounds = 5_000;
        AtomicInteger done = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(1);
        StripedExecutor racing = StripedExecutor.builder().executor(pool).build();
        StripedSubmitter latest = racing.with(WhenBusy.latest("slot"));
        int replaced = 0;
        for (int i = 0; i < rounds; i++) {
            CompletableFuture<?> first = latest.submit("a", done::incrementAndGet);
            racing.control().pause();
            CompletableFuture<?> second = latest.submit("a", done::incrementAndGet);
            // the only thread has come for the first task, and has started it or set it aside
            Patience.get(pool.submit(() -> {}));
            assertThat(racing.inspect().stats().queued()).as("round %s", i).isLessThan(2);
            racing.control().resume();
            Patience.get(second);
            replaced += first.isCancelled() ? 1 : 0;
        }
        Patience.terminate(racing);
        pool.shutdown();
        assertThat(done.get() + replaced).isEqualTo(2 * rounds);
    }

    @Test
    @DisplayName("a shutdown returns what was set aside")
    void shutdownNow() {
        submitAll();
        executor.control().pause();
        stepped.runAll();
        assertThat(executor.shutdownNow()).hasSize(KEYS);
        assertThat(ran).isEmpty();
    }

    @Test
    @DisplayName("nothing is left where threads set tasks aside while another one resumes")
    void race() {
        int rounds = 20_000;
        AtomicInteger done = new AtomicInteger();
        GroupedExecutor racing = GroupedExecutor.builder().threads(2).build();
        for (int i = 0; i < rounds; i++) {
            List<CompletableFuture<?>> futures = new ArrayList<>();
            futures.add(racing.submit(i % 3 == 0 ? Groups.all() : Groups.exclusive("a", "b"), done::incrementAndGet));
            futures.add(racing.submit(Groups.exclusive("a"), done::incrementAndGet));
            futures.add(racing.submit(Groups.exclusive("b"), done::incrementAndGet));
            for (int pauses = 0; pauses < 3; pauses++) {
                if (i % 2 == 0) {
                    racing.control().pause();
                    racing.control().resume();
                } else {
                    racing.control().pause("a");
                    racing.control().resume("a");
                }
            }
            // nobody resumes anything any more
            Patience.get(CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)));
        }
        assertThat(done).hasValue(3 * rounds);
        Patience.terminate(racing);
    }
}
