package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.KeyedTasks;
import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys that are hard on a table: with extreme and equal hash codes, that change, or whose comparison takes long. */
@Timeout(60)
class KeysTest {
    private final OrderRecorder recorder = new OrderRecorder();
    private final SteppedExecutor stepped = new SteppedExecutor();

    /** A key with a hash code of the test's choice. */
    private record Hashed(int number, int hash) {
        @Override
        public int hashCode() {
            return hash;
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("tasks of keys with the least, the greatest and other extreme hash codes run in order")
    void extremeHashCodes(KeyedTasks.Kind kind) {
        KeyedTasks tasks = kind.build(builder -> builder.threads(2));
        int[] hashes = {Integer.MIN_VALUE, Integer.MIN_VALUE + 1, -1, 0, 1, Integer.MAX_VALUE, 0x8000, 0xffff_0000};
        List<OrderRecorder.Source> sources = new ArrayList<>();
        for (int i = 0; i < 2 * hashes.length; i++) {
            sources.add(recorder.lane("key " + i).source());
        }
        for (int round = 0; round < 1_000; round++) {
            for (int i = 0; i < 2 * hashes.length; i++) {
                // two keys for each hash code
                tasks.execute(new Hashed(i, hashes[i / 2]), sources.get(i).next());
            }
        }
        Patience.terminate(tasks.executor());
        recorder.assertAllRanOnceInOrder();
        assertThat(tasks.openKeys()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("100,000 keys with one hash code come and go, and each of their tasks runs once")
    void oneHashCode(KeyedTasks.Kind kind) {
        KeyedTasks tasks = kind.build(builder ->
                builder.threads(2).capacity(100).overflow(Overflow.block(Duration.ofSeconds(Patience.SECONDS))));
        int keys = 100_000;
        AtomicInteger[] runs = new AtomicInteger[keys];
        for (int i = 0; i < keys; i++) {
            AtomicInteger run = new AtomicInteger();
            runs[i] = run;
            tasks.execute(new Hashed(i, 42), run::incrementAndGet);
        }
        Patience.terminate(tasks.executor());
        assertThat(runs).allMatch(run -> run.get() == 1);
        assertThat(tasks.openKeys()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("5,000 keys with one hash code that are open together keep their tasks apart and in order")
    void openTogether(KeyedTasks.Kind kind) {
        KeyedTasks tasks = kind.build(builder -> builder.executor(stepped));
        int keys = 5_000;
        List<OrderRecorder.Source> sources = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            sources.add(recorder.lane("key " + i).source());
        }
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < keys; i++) {
                tasks.execute(new Hashed(i, 42), sources.get(i).next());
            }
        }
        assertThat(tasks.openKeys()).isEqualTo(keys);
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertThat(tasks.openKeys()).isZero();
        Patience.terminate(tasks.executor());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("tasks of a key that its owner changes meanwhile all run, in order, and leave nothing behind")
    void keysThatChange(KeyedTasks.Kind kind) {
        KeyedTasks tasks = kind.build(builder -> builder.executor(stepped));
        List<Integer> key = new ArrayList<>(List.of(1));
        OrderRecorder.Source before = recorder.lane("before").source();
        OrderRecorder.Source after = recorder.lane("after").source();
        for (int i = 0; i < 10; i++) {
            tasks.execute(key, before.next(() -> key.add(2)));
        }
        CompletableFuture<Integer> cancelled = tasks.submit(key, () -> 1);
        key.add(3);
        for (int i = 0; i < 10; i++) {
            tasks.execute(List.copyOf(key), after.next());
        }
        assertThat(cancelled.cancel(false)).isTrue();
        assertThat(tasks.openKeys()).isEqualTo(2);
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertThat(tasks.openKeys()).isZero();
        assertThat(tasks.executor().inspect().stats().queued()).isZero();
        tasks.executor().shutdown();
        assertThat(tasks.executor().isTerminated()).isTrue();
    }

    /** A key that is compared as long as the test wants, with all keys that have its hash code. */
    private static final class Slow {
        private final CountDownLatch compared;
        private final CountDownLatch goOn;

        Slow(CountDownLatch compared, CountDownLatch goOn) {
            this.compared = compared;
            this.goOn = goOn;
        }

        @Override
        public boolean equals(Object other) {
            if (this != other) {
                compared.countDown();
                Patience.await(goOn);
            }
            return this == other;
        }

        @Override
        public int hashCode() {
            return 42;
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("while a key is compared with another one, tasks of all other keys come, run and end")
    void comparisonHoldsUpNobody(KeyedTasks.Kind kind) {
        KeyedTasks tasks = kind.build(builder -> builder.threads(2));
        CountDownLatch compared = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Hashed open = new Hashed(0, 42);
        tasks.execute(open, () -> Patience.await(release));
        AtomicBoolean ran = new AtomicBoolean();
        Thread submitter = new Thread(() -> tasks.execute(new Slow(compared, goOn), () -> ran.set(true)));
        submitter.start();
        Patience.await(compared);
        // the same hash code, thus the same part of any table
        assertThat(Patience.get(tasks.submit(new Hashed(1, 42), () -> 1))).isEqualTo(1);
        CompletableFuture<Integer> behind = tasks.submit(open, () -> 2);
        CompletableFuture<Integer> cancelled = tasks.submit(open, () -> 3);
        assertThat(cancelled.cancel(false)).isTrue();
        release.countDown();
        assertThat(Patience.get(behind)).isEqualTo(2);
        assertThat(submitter.isAlive()).isTrue();
        assertThat(ran).isFalse();
        goOn.countDown();
        Patience.join(submitter);
        Patience.terminate(tasks.executor());
        assertThat(ran).isTrue();
        assertThat(tasks.openKeys()).isZero();
    }

    @Test
    @DisplayName("a group that a task names twice is one group, and exclusive if it is so once")
    void namedTwice() {
        GroupedExecutor executor = GroupedExecutor.builder().executor(stepped).build();
        List<String> ran = new ArrayList<>();
        Groups twice = Groups.shared(new Hashed(1, 7), new Hashed(2, 7))
                .andExclusive(new Hashed(2, 7), new Hashed(2, 7))
                .andShared(new Hashed(2, 7));
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        CompletableFuture<Integer> held = executor.submitAsync(twice, () -> stage);
        executor.execute(Groups.shared(new Hashed(2, 7)), () -> ran.add("reader of what is exclusive"));
        executor.execute(Groups.shared(new Hashed(1, 7)), () -> ran.add("reader of what is shared"));
        executor.execute(twice, () -> ran.add("again"));
        stepped.runAll();
        assertThat(ran).containsExactly("reader of what is shared");
        assertThat(executor.inspect().stats().keys()).isEqualTo(2);
        stage.complete(1);
        stepped.runAll();
        assertThat(held).isCompletedWithValue(1);
        assertThat(ran).containsExactly("reader of what is shared", "reader of what is exclusive", "again");
        assertThat(executor.inspect().stats().keys()).isZero();
        Patience.terminate(executor);
    }
}
