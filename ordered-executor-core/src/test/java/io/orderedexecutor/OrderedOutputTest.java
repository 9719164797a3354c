package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.SteppedPieces;
import io.orderedexecutor.fixtures.Written;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every ordered output promises: each result is written once, in the order of submission, one at a time. */
class OrderedOutputTest {

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void resultsAreWrittenInTheirOrderWhateverIsFinishedFirst(long seed) {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(50);
        List<Integer> finishing = new ArrayList<>(IntStream.range(0, 50).boxed().toList());
        Collections.shuffle(finishing, new Random(seed));
        finishing.forEach(pieces::finish);
        pieces.assertWrittenAndEnded(IntStream.range(0, 50).boxed().toArray());
        for (int i = 0; i < 50; i++) {
            assertThat(pieces.futures.get(i)).isCompletedWithValue(i);
        }
        assertThat(pieces.executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 50, 0, 0, 0));
    }

    @Test
    void whoFinishesTheHeadWritesWhatWasLeftBehindIt() {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(3);
        pieces.finish(2, 1);
        assertThat(pieces.written.all()).isEmpty();
        assertThat(pieces.futures).noneMatch(CompletableFuture::isDone);
        pieces.stages.get(0).complete(0);
        assertThat(pieces.steps.waiting()).as("threads that are asked").isEqualTo(1);
        // a turn also ends after a millisecond, which may be over at once on a busy machine
        pieces.steps.runAll();
        pieces.assertWrittenAndEnded(0, 1, 2);
    }

    @Test
    void aFutureIsDoneAfterItsOutputAndBeforeTheNextOne() {
        List<String> events = new ArrayList<>();
        SteppedExecutor steps = new SteppedExecutor();
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(steps).build();
        List<CompletableFuture<String>> futures = new ArrayList<>();
        OrderedOutput<String> output = executor.open(result ->
                events.add("write " + result + (futures.get(events.size() / 2).isDone() ? " too late" : "")));
        for (String work : List.of("a", "b")) {
            CompletableFuture<String> future = output.submit(() -> work);
            futures.add(future);
            var unused = future.thenAccept(result -> events.add("done " + result));
        }
        // the second is finished first
        Runnable first = () -> assertThat(steps.runNext()).isTrue();
        first.run();
        steps.runAll();
        assertThat(events).containsExactly("write a", "done a", "write b", "done b");
    }

    @Test
    void aResultMayBeNull() {
        Written<String> written = new Written<>();
        try (OrderedOutputExecutor executor =
                        OrderedOutputExecutor.builder().threads(2).build();
                OrderedOutput<String> output = executor.open(written)) {
            CompletableFuture<String> none = output.submit(() -> null);
            CompletableFuture<String> later = output.submitAsync(() -> CompletableFuture.completedFuture(null));
            assertThat(Patience.get(none)).isNull();
            assertThat(Patience.get(later)).isNull();
        }
        assertThat(written.allAndNulls()).isEqualTo(Arrays.asList(null, null));
    }

    @Test
    void aStageOfOthersThreadsIsWrittenByAThreadOfTheExecutor() {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(2);
        pieces.stages.get(1).complete(1);
        pieces.stages.get(0).complete(0);
        assertThat(pieces.written.all()).as("written by the completing thread").isEmpty();
        pieces.steps.runAll();
        pieces.assertWrittenAndEnded(0, 1);
    }

    @Test
    @DisplayName("if the pool refuses to go on, the helper writes")
    void whatNoOtherThreadWritesIsWrittenByTheHelper() {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(200);
        for (int i = 199; i > 0; i--) {
            pieces.finish(i);
        }
        pieces.steps.refuse(true);
        pieces.stages.get(0).complete(0);
        Patience.terminate(pieces.executor);
        pieces.assertWrittenAndEnded(IntStream.range(0, 200).boxed().toArray());
    }

    @Test
    void piecesOfOneOutputAreWorkedOnInParallel() {
        CyclicBarrier both = new CyclicBarrier(2);
        Written<Integer> written = new Written<>();
        try (OrderedOutputExecutor executor =
                        OrderedOutputExecutor.builder().threads(2).build();
                OrderedOutput<Integer> output = executor.open(written)) {
            for (int i = 0; i < 2; i++) {
                int number = i;
                output.submit(() -> {
                    Patience.meet(both);
                    return number;
                });
            }
        }
        Written.assertCounted(written, 2);
    }

    @ParameterizedTest(name = "window {0}, concurrency {1}, threads {2}")
    @CsvSource({"1,0,2", "2,0,2", "2,1,3", "3,2,2", "7,3,4", "7,0,1", "100,99,3", "256,0,4", "1000,1,2"})
    @DisplayName("each result is written once and in order, on threads of the executor")
    void everythingIsWrittenOnceAndInOrder(int window, int concurrency, int threads) {
        int count = 5000;
        Written<Integer> written = new Written<>();
        AtomicInteger worked = new AtomicInteger();
        try (OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                .name("encoder")
                .threads(threads)
                .overflow(Overflow.block(Duration.ofSeconds(Patience.SECONDS)))
                .window(window)
                .build()) {
            OrderedOutputBuilder<Integer> settings = executor.outputTo(written);
            try (OrderedOutput<Integer> output =
                    (concurrency == 0 ? settings : settings.concurrency(concurrency)).open()) {
                for (int i = 0; i < count; i++) {
                    int number = i;
                    output.submit(() -> {
                        worked.incrementAndGet();
                        return number;
                    });
                }
            }
            Written.assertCounted(written, count);
            assertThat(executor.inspect().stats().completed()).isLessThanOrEqualTo(count);
        }
        assertThat(worked).hasValue(count);
        assertThat(written.writers()).allMatch(thread -> thread.getName().startsWith("encoder"));
    }

    @ParameterizedTest(name = "{0} streams")
    @ValueSource(ints = {1000})
    @DisplayName("1,000 streams at once on four threads: all in order, each once, and no other thread")
    void manyStreamsShareFewThreads(int streams) throws InterruptedException {
        int ofEach = 20;
        AtomicInteger threads = new AtomicInteger();
        List<Written<Integer>> written = new ArrayList<>();
        List<OrderedOutput<Integer>> outputs = new ArrayList<>();
        try (OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                .threads(4)
                .threadFactory(body -> {
                    threads.incrementAndGet();
                    return new Thread(body);
                })
                .build()) {
            for (int i = 0; i < streams; i++) {
                written.add(new Written<>());
                outputs.add(executor.open(written.get(i)));
            }
            for (int i = 0; i < ofEach; i++) {
                int number = i;
                outputs.forEach(output -> output.submit(() -> number));
            }
            assertThat(executor.awaitIdle(Duration.ofSeconds(Patience.SECONDS))).isTrue();
            assertThat(executor.inspect().stats())
                    .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, (long) streams * ofEach, 0, 0, 0));
        }
        written.forEach(output -> Written.assertCounted(output, ofEach));
        assertThat(threads.get()).isBetween(1, 4);
    }

    @Test
    void producersGetOneOrderThatKeepsEachOnesOwn() throws InterruptedException {
        int ofEach = 2000;
        Written<int[]> written = new Written<>();
        ExecutorService producers = Executors.newFixedThreadPool(3);
        try (OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                        .threads(2)
                        .overflow(Overflow.block(Duration.ofSeconds(Patience.SECONDS)))
                        .window(64)
                        .build();
                OrderedOutput<int[]> output = executor.open(written)) {
            for (int p = 0; p < 3; p++) {
                int producer = p;
                producers.execute(() -> {
                    for (int i = 0; i < ofEach; i++) {
                        int[] result = {producer, i};
                        output.submit(() -> result);
                    }
                });
            }
            producers.shutdown();
            assertThat(producers.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
        }
        assertThat(written.all()).hasSize(3 * ofEach);
        for (int p = 0; p < 3; p++) {
            int producer = p;
            assertThat(written.all().stream().filter(result -> result[0] == producer))
                    .extracting(result -> result[1])
                    .isEqualTo(IntStream.range(0, ofEach).boxed().toList());
        }
    }

    // bad input

    @Test
    void whatIsNullIsNamed() {
        try (OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().threads(1).build()) {
            OrderedOutput<String> output = executor.open(result -> {});
            assertNamed("work", () -> output.submit(null));
            assertNamed("work", () -> output.submitAsync(null));
            assertNamed("output", () -> executor.open(null));
            assertNamed("output", () -> executor.outputTo(null));
            OrderedOutputBuilder<String> settings = executor.outputTo(result -> {});
            assertNamed("name", () -> settings.name(null));
            assertNamed("onFailure", () -> settings.onFailure(null));
            assertNamed("report", () -> OutputFailure.omit(null));
            assertNamed("replacement", () -> OutputFailure.replace(null));
            assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 0, 0));
        }
    }

    private static void assertNamed(String parameter, Runnable call) {
        assertThatThrownBy(call::run).isInstanceOf(NullPointerException.class).hasMessage(parameter);
    }

    @Test
    @DisplayName("a window or concurrency that makes no sense is refused and named")
    void nonsensicalSettingsAreRefused() {
        OrderedOutputExecutorBuilder builder = OrderedOutputExecutor.builder();
        try (OrderedOutputExecutor executor = builder.threads(1).build()) {
            OrderedOutputBuilder<String> settings = executor.outputTo(result -> {});
            for (int nonsense : new int[] {0, -1, Integer.MIN_VALUE, 1_000_000_001, Integer.MAX_VALUE}) {
                assertRefused("window is " + nonsense, () -> builder.window(nonsense));
                assertRefused("window is " + nonsense, () -> settings.window(nonsense));
                assertRefused("concurrency is " + nonsense, () -> builder.concurrency(nonsense));
                assertRefused("concurrency is " + nonsense, () -> settings.concurrency(nonsense));
            }
            assertRefused("name is blank", () -> settings.name(" "));
            assertThat(settings.window(1_000_000_000)
                            .concurrency(1_000_000_000)
                            .open()
                            .snapshot()
                            .window())
                    .isEqualTo(1_000_000_000);
        }
    }

    private static void assertRefused(String message, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void whatCannotBeKeptIsRefusedWhenItIsBuilt() {
        assertThatThrownBy(OrderedOutputExecutor.builder().name("encoder").overflow(Overflow.discardOldest())::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'encoder'")
                .hasMessageContaining("Overflow.block()");
        assertThatThrownBy(OrderedOutputExecutor.builder().name("encoder").failurePolicy(FailurePolicy.park())::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'encoder'")
                .hasMessageContaining("OutputFailure");
        FailurePolicy retryThenPark = FailurePolicy.retry()
                .maxRetries(1)
                .delay(Duration.ZERO)
                .multiplier(2)
                .thenPark();
        assertThatThrownBy(OrderedOutputExecutor.builder().failurePolicy(retryThenPark)::build)
                .isInstanceOf(IllegalStateException.class);
    }
}
