package io.orderedexecutor.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Allocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What waits for a thread: nothing is lost, nothing comes twice, first come, first served. */
class ReadyQueueTest {

    /** More than a few blocks. */
    private static final int MANY = 2_000;

    private final ReadyQueue<Integer> queue = new ReadyQueue<>();

    @Test
    void firstComeFirstServed() {
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.poll()).isNull();
        IntStream.range(0, MANY).forEach(queue::add);
        for (int i = 0; i < MANY; i++) {
            assertThat(queue.isEmpty()).isFalse();
            assertThat(queue.poll()).isEqualTo(i);
        }
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.poll()).isNull();
    }

    @Test
    void emptyAgainAfterEachElement() {
        for (int i = 0; i < MANY; i++) {
            queue.add(i);
            assertThat(queue.isEmpty()).isFalse();
            assertThat(queue.poll()).isEqualTo(i);
            assertThat(queue.isEmpty()).isTrue();
            assertThat(queue.poll()).isNull();
        }
    }

    @Test
    void outOfTurn() {
        List<Integer> elements = IntStream.range(0, MANY).boxed().toList();
        elements.forEach(queue::add);
        assertThat(queue.poll()).isZero();
        assertThat(queue.remove(elements.get(0))).as("taken before").isFalse();
        for (int i = 1; i < MANY - 1; i++) {
            assertThat(queue.remove(elements.get(i))).isTrue();
            assertThat(queue.remove(elements.get(i))).isFalse();
        }
        assertThat(queue.isEmpty()).isFalse();
        assertThat(queue.poll()).isEqualTo(MANY - 1);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    @DisplayName("a sweep leaves the others in their order, and few arrays")
    void sweep() {
        ReadyQueue<Integer> queue = new ReadyQueue<>(4);
        IntStream.range(0, MANY).forEach(queue::add);
        assertThat(queue.poll()).isZero();
        assertThat(queue.removeIf(element -> element % 100 != 50)).isEqualTo(MANY / 100);
        assertThat(queue.hasMoreThan(4 * (MANY / 100 + 2))).isFalse();
        assertThat(queue.removeIf(element -> element % 100 != 50)).isEqualTo(MANY / 100);
        queue.add(MANY);
        for (int i = 50; i < MANY; i += 100) {
            assertThat(queue.poll()).isEqualTo(i);
        }
        assertThat(queue.poll()).isEqualTo(MANY);
        assertThat(queue.poll()).isNull();
        assertThat(queue.isEmpty()).isTrue();
    }

    @ParameterizedTest(name = "{0} slots in an array")
    @ValueSource(ints = {1, 2, 3, 256})
    @DisplayName("while one sweeps, two add and two take: what is not swept is taken once, in the order of its adder")
    void sweepBesideOthers(int blockLength) throws Exception {
        ReadyQueue<Integer> queue = new ReadyQueue<>(blockLength);
        int each = 200_000;
        AtomicIntegerArray taken = new AtomicIntegerArray(2 * each);
        CyclicBarrier start = new CyclicBarrier(5);
        AtomicInteger left = new AtomicInteger(2 * each / 8);
        List<Callable<Integer>> threads = new ArrayList<>();
        for (int adder = 0; adder < 2; adder++) {
            int base = adder * each;
            threads.add(() -> {
                start.await();
                IntStream.range(base, base + each).forEach(queue::add);
                return 0;
            });
        }
        for (int taker = 0; taker < 2; taker++) {
            threads.add(() -> {
                start.await();
                int[] last = {-1, -1};
                int late = 0;
                while (left.get() > 0 && !Thread.interrupted()) {
                    Integer element = queue.poll();
                    if (element != null) {
                        left.addAndGet(element % 8 == 0 ? -1 : 0);
                        taken.incrementAndGet(element);
                        late += element < last[element / each] ? 1 : 0;
                        last[element / each] = element;
                    }
                }
                return late;
            });
        }
        threads.add(() -> {
            start.await();
            while (left.get() > 0 && !Thread.interrupted()) {
                queue.removeIf(element -> element % 8 != 0);
            }
            return 0;
        });
        assertThat(run(threads)).containsOnly(0);
        assertThat(IntStream.range(0, 2 * each).filter(i -> taken.get(i) > 1 || (i % 8 == 0 && taken.get(i) == 0)))
                .isEmpty();
        assertThat(queue.removeIf(element -> element % 8 != 0)).isZero();
        assertThat(queue.poll()).isNull();
    }

    @ParameterizedTest(name = "{0} slots in an array")
    @ValueSource(ints = {1, 2, 3, 256})
    @DisplayName("two who add, two who take: each element is taken once, and those of one adder in their order")
    void manyThreads(int blockLength) throws Exception {
        ReadyQueue<Integer> queue = new ReadyQueue<>(blockLength);
        int each = 200_000;
        AtomicIntegerArray taken = new AtomicIntegerArray(2 * each);
        CyclicBarrier start = new CyclicBarrier(4);
        List<Callable<Integer>> threads = new ArrayList<>();
        for (int adder = 0; adder < 2; adder++) {
            int base = adder * each;
            threads.add(() -> {
                start.await();
                IntStream.range(base, base + each).forEach(queue::add);
                return 0;
            });
        }
        for (int taker = 0; taker < 2; taker++) {
            threads.add(() -> {
                start.await();
                int[] last = {-1, -1};
                int late = 0;
                // each takes half of them: so none waits for an element that the other one has
                for (int left = each; left > 0; ) {
                    Integer element = queue.poll();
                    if (element != null) {
                        left--;
                        taken.incrementAndGet(element);
                        late += element < last[element / each] ? 1 : 0;
                        last[element / each] = element;
                    } else if (Thread.interrupted()) {
                        throw new AssertionError("still waiting for " + left);
                    }
                }
                return late;
            });
        }
        assertThat(run(threads)).containsOnly(0);
        assertThat(IntStream.range(0, 2 * each).filter(i -> taken.get(i) != 1)).isEmpty();
        assertThat(queue.isEmpty()).isTrue();
    }

    private static List<Integer> run(List<Callable<Integer>> threads)
            throws InterruptedException, ExecutionException, TimeoutException {
        ExecutorService crew = Executors.newFixedThreadPool(threads.size());
        try {
            List<Future<Integer>> running = threads.stream().map(crew::submit).toList();
            List<Integer> results = new ArrayList<>();
            for (Future<Integer> thread : running) {
                results.add(thread.get(60, TimeUnit.SECONDS));
            }
            return results;
        } finally {
            crew.shutdownNow();
        }
    }

    @Test
    @DisplayName("no object is made for an element: a slot of four or eight bytes")
    void allocation() {
        long bytes =
                Allocation.ofLeastRound(() -> assertThat(passThrough(100_000)).isEqualTo(100_000));
        assertThat(bytes / 100_000.0).isBetween(3.0, 12.0);
    }

    private int passThrough(int count) {
        Integer element = 1;
        int taken = 0;
        for (int i = 0; i < count; i++) {
            queue.add(element);
            taken += Objects.equals(queue.poll(), element) ? 1 : 0;
        }
        return taken;
    }

    @Test
    void knowsWhetherThereAreMoreThanSoMany() {
        ReadyQueue<Integer> queue = new ReadyQueue<>(2);
        assertThat(queue.hasMoreThan(0)).isFalse();
        for (int i = 1; i <= 7; i++) {
            queue.add(i);
            assertThat(queue.hasMoreThan(i - 1)).isTrue();
            assertThat(queue.hasMoreThan(i)).isFalse();
        }
        for (int i = 6; i >= 0; i--) {
            queue.poll();
            assertThat(queue.hasMoreThan(i)).isFalse();
            assertThat(i == 0 || queue.hasMoreThan(i - 1)).isTrue();
        }
    }
}
