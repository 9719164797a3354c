package io.orderedexecutor.engine.striped;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.engine.executor.SegmentedTable;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.stats.StripedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stripes that share a bin, and come and go in any order. */
class StripeBinsTest {

    /** Keys of one segment whose stripes are in one bin, as long as there are not more than so many. */
    private static int[] keysOfOneBin(int count, int bins) {
        int hash = SegmentedTable.spread(0);
        return IntStream.iterate(0, key -> key + 1)
                .filter(key -> SegmentedTable.segmentOf(SegmentedTable.spread(key)) == SegmentedTable.segmentOf(hash))
                .filter(key -> ((SegmentedTable.spread(key) ^ hash) & (bins - 1)) == 0)
                .limit(count)
                .toArray();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0123", "0132", "0213", "0231", "1023", "1203", "1320", "2013", "2310", "3210", "3012", "3120"})
    @DisplayName("stripes of one bin end in any order: those that are left are found, and nothing else")
    void inAnyOrder(String order) {
        StripedExecutor executor =
                StripedExecutor.builder().executor(Runnable::run).build();
        int[] keys = keysOfOneBin(4, 16);
        List<CompletableFuture<String>> open = new ArrayList<>();
        for (int key : keys) {
            CompletableFuture<String> stage = new CompletableFuture<>();
            open.add(stage);
            var unused = executor.submitAsync(key, () -> stage);
        }
        Set<Integer> left = new TreeSet<>(Set.of(0, 1, 2, 3));
        for (int ended : order.chars().map(digit -> digit - '0').toArray()) {
            assertThat(executor.stats().stripes()).isEqualTo(left.size());
            for (int i = 0; i < keys.length; i++) {
                assertThat(executor.snapshot(keys[i]).isPresent()).isEqualTo(left.contains(i));
            }
            left.remove(ended);
            open.get(ended).complete("done");
        }
        assertThat(executor.stats()).isEqualTo(new StripedExecutorStats(0, 0, 0, 4, 0, 0, 0));
    }

    @Test
    @DisplayName("threads open and end stripes in a few bins that grow and are given back meanwhile: all run once, "
            + "none is left")
    void fromManyThreads() throws InterruptedException {
        int submitters = 3;
        int rounds = 20_000;
        int[] keys = keysOfOneBin(48, 4);
        AtomicIntegerArray ran = new AtomicIntegerArray(submitters * rounds);
        StripedExecutor executor = StripedExecutor.builder().threads(3).build();
        CyclicBarrier start = new CyclicBarrier(submitters);
        CountDownLatch submitted = new CountDownLatch(submitters);
        for (int submitter = 0; submitter < submitters; submitter++) {
            int base = submitter * rounds;
            new Thread(() -> {
                        Patience.meet(start);
                        for (int i = 0; i < rounds; i++) {
                            int number = base + i;
                            // few keys at some times, all of them at others
                            int key = keys[(number * 31) % (i / 1_000 % 2 == 0 ? 5 : keys.length)];
                            executor.execute(key, () -> ran.incrementAndGet(number));
                        }
                        submitted.countDown();
                    })
                    .start();
        }
        Patience.await(submitted);
        assertThat(executor.drain(Duration.ofSeconds(Patience.SECONDS))).isTrue();
        assertThat(IntStream.range(0, submitters * rounds).filter(i -> ran.get(i) != 1))
                .isEmpty();
        assertThat(executor.stats()).isEqualTo(new StripedExecutorStats(0, 0, 0, (long) submitters * rounds, 0, 0, 0));
        Patience.terminate(executor);
    }
}
