package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.HeardWords;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.WhenBusyStats;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How items become batches, step by step, and what comes of them. */
@Timeout(60)
class BatcherTest {
    private final SteppedExecutor steps = new SteppedExecutor();
    private final HandTimer timer = new HandTimer();
    private final List<List<String>> ran = new ArrayList<>();
    private final List<String> heard = new ArrayList<>();
    private StripedExecutor executor = built(StripedExecutor.builder());
    private Batcher<String, String> batcher = noting(executor).build();

    private StripedExecutor built(StripedExecutorBuilder builder) {
        // a turn may take its time: which stripe is next must not depend on the clock
        return builder.name("ledger")
                .executor(steps)
                .platform(timer)
                .turnUntilEmpty()
                .build();
    }

    private BatcherBuilder<String, String> noting(StripedExecutor executor) {
        return executor.batchTo((stripe, items) -> ran.add(items));
    }

    private <K, T> Batcher<K, T> batching(BiConsumer<K, List<T>> handler) {
        return executor.<K, T>batchTo(handler).build();
    }

    private <K, T> Batcher<K, T> batchingAsync(BiFunction<K, List<T>, CompletionStage<?>> handler) {
        return executor.<K, T>batchToAsync(handler).build();
    }

    private void rebuilt(StripedExecutorBuilder builder) {
        executor = built(builder);
        batcher = noting(executor).build();
    }

    private List<CompletableFuture<Void>> submit(String... items) {
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        for (String item : items) {
            futures.add(batcher.submit("a", item));
        }
        return futures;
    }

    // order

    @Test
    @DisplayName("what waits when the turn comes is one batch, in order; what comes while it runs is in the next")
    void collectsWhileBusy() {
        Batcher<String, String> nesting = batching((stripe, items) -> {
            if (ran.isEmpty()) {
                submitTo(stripe, "late", "later");
            }
            ran.add(items);
        });
        self = nesting;
        nesting.submit("a", "one");
        nesting.submit("a", "two");
        assertThat(executor.inspect().stats().queued()).isEqualTo(2);
        assertThat(steps.runNext()).isTrue();
        steps.runAll();
        assertThat(ran).containsExactly(List.of("one", "two"), List.of("late", "later"));
        assertThat(executor.inspect().whenBusyStats()).isEqualTo(new WhenBusyStats(0, 0, 0, 2, 4));
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 4, 0, 0, 0));
        Patience.terminate(executor);
    }

    private Batcher<String, String> self;

    private void submitTo(String stripe, String... items) {
        for (String item : items) {
            self.submit(stripe, item);
        }
    }

    @Test
    @DisplayName("a batch has at most so many items, and keeps the order with the next")
    void maxBatch() {
        batcher = noting(executor).maxBatch(2).build();
        submit("1", "2", "3", "4", "5");
        steps.runAll();
        assertThat(ran).containsExactly(List.of("1", "2"), List.of("3", "4"), List.of("5"));
    }

    @Test
    @DisplayName("whatever is between two items is between two batches; other stripes are not")
    void fences() {
        Batcher<String, String> other = noting(executor).build();
        batcher.submit("a", "1");
        executor.execute("a", () -> ran.add(List.of("task")));
        batcher.submit("a", "2");
        other.submit("a", "other");
        batcher.submit("a", "3");
        batcher.submit("b", "b");
        batcher.submit("a", "4");
        executor.submit("a", () -> true).cancel(false);
        batcher.submit("a", "5");
        try (Reservation place = executor.reserve("a")) {
            batcher.submit("a", "6");
            steps.runAll();
            place.execute(() -> ran.add(List.of("reserved")));
        }
        steps.runAll();
        assertThat(ran)
                .containsExactly(
                        List.of("1"),
                        List.of("task"),
                        List.of("2"),
                        List.of("other"),
                        List.of("3", "4"),
                        List.of("5"),
                        List.of("b"),
                        List.of("reserved"),
                        List.of("6"));
    }

    @Test
    @DisplayName("items weigh what the weigher says, and only those of one key run together")
    void weighedAndKeyed() {
        batcher = noting(executor)
                .maxBatch(5)
                .weigher(String::length)
                .batchKey(item -> item.charAt(0))
                .build();
        submit("a", "aaaa", "aa", "b", "bb", "a", "aaaaa", "a");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> submit("aaaaaa"))
                .withMessage("the item weighs 6, but must weigh from 1 to maxBatch, which is 5");
        assertThatIllegalArgumentException().isThrownBy(() -> submit("")).withMessageContaining("weighs 0");
        steps.runAll();
        assertThat(ran)
                .containsExactly(
                        List.of("a", "aaaa"),
                        List.of("aa"),
                        List.of("b", "bb"),
                        List.of("a"),
                        List.of("aaaaa"),
                        List.of("a"));
    }

    @Test
    @DisplayName("an item whose batch key cannot be compared is refused, and gives its room back once")
    void batchKeysThatThrow() {
        final class Incomparable {
            @Override
            public boolean equals(Object other) {
                throw new ThrownOnPurpose();
            }

            @Override
            public int hashCode() {
                return 7;
            }
        }
        rebuilt(StripedExecutor.builder().capacity(5));
        batcher = noting(executor).batchKey(item -> new Incomparable()).build();
        submit("first");
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> submit("refused")).isInstanceOf(ThrownOnPurpose.class);
        }
        assertThat(executor.inspect().stats().queued()).isEqualTo(1);
        steps.runAll();
        assertThat(ran).containsExactly(List.of("first"));
        batcher = noting(executor).build();
        fill(5);
    }

    @Test
    @DisplayName("The handler gets the stripe as the first item came with it, and a list that nobody changes")
    void whatTheHandlerGets() {
        List<String> stripes = new ArrayList<>();
        List<List<Integer>> lists = new ArrayList<>();
        Batcher<String, Integer> numbers = batching((stripe, items) -> {
            stripes.add(stripe);
            lists.add(items);
        });
        String stripe = new String("a");
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        futures.add(numbers.submit(stripe, 1));
        futures.add(numbers.submit(new String("a"), 2));
        futures.add(numbers.submit("a", 3));
        futures.get(0).cancel(false);
        steps.runAll();
        assertThat(stripes).singleElement().isSameAs(stripe);
        assertThat(lists).containsExactly(List.of(2, 3));
        assertThatThrownBy(() -> lists.get(0).set(0, 4)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> lists.get(0).clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    // ends

    @Test
    @DisplayName("the futures of a batch complete together, before the next task of the stripe")
    void completesTogether() {
        List<CompletableFuture<Void>> futures = submit("1", "2");
        futures.forEach(future -> future.thenRun(() -> ran.add(List.of("after"))));
        executor.execute("a", () -> ran.add(List.of("next")));
        steps.runAll();
        assertThat(ran).containsExactly(List.of("1", "2"), List.of("after"), List.of("after"), List.of("next"));
        assertThat(futures).allSatisfy(future -> assertThat(future).isCompletedWithValue(null));
    }

    @Test
    @DisplayName("a batch fails as a whole, with what the handler threw, and the next one runs")
    void failsAsAWhole() {
        IllegalStateException failure = new IllegalStateException("on purpose");
        Batcher<String, String> failing = batching((stripe, items) -> {
            throw failure;
        });
        List<CompletableFuture<Void>> futures =
                List.of(failing.submit("a", "1"), failing.submit("a", "2"), failing.submit("a", "3"));
        submit("next");
        futures.get(2).cancel(false);
        steps.runAll();
        for (CompletableFuture<Void> future : futures.subList(0, 2)) {
            assertThatThrownBy(future::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCause(failure);
        }
        assertThat(ran).containsExactly(List.of("next"));
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 2, 1, 0));
    }

    @Test
    @DisplayName("an asynchronous batch holds its stripe until its stage is complete, and ends as it does")
    void asynchronous() {
        List<CompletableFuture<String>> stages = new ArrayList<>();
        Batcher<String, String> starting = batchingAsync((stripe, items) -> {
            ran.add(items);
            stages.add(new CompletableFuture<>());
            return stages.get(stages.size() - 1);
        });
        CompletableFuture<Void> one = starting.submit("a", "1");
        CompletableFuture<Void> two = starting.submit("a", "2");
        steps.runAll();
        CompletableFuture<Void> three = starting.submit("a", "3");
        CompletableFuture<Void> four = starting.submit("a", "4");
        steps.runAll();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(1, 2, 2, 0, 1, 0, 0, 0, 0));
        assertThat(ran).containsExactly(List.of("1", "2"));
        assertThat(one).isNotDone();
        stages.get(0).complete("nobody sees this");
        steps.runAll();
        assertThat(one).isCompletedWithValue(null);
        assertThat(two).isCompletedWithValue(null);
        assertThat(ran).containsExactly(List.of("1", "2"), List.of("3", "4"));
        stages.get(1).completeExceptionally(new IllegalArgumentException("on purpose"));
        steps.runAll();
        assertThatThrownBy(three::join).hasCauseInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(four::join).hasCauseInstanceOf(IllegalArgumentException.class);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 2, 0, 0));
    }

    @Test
    @DisplayName("a handler that returns no stage, or the future of one of its items or of one behind, fails the batch")
    void noStage() {
        Batcher<String, String> none = batchingAsync((stripe, items) -> null);
        CompletableFuture<Void> one = none.submit("a", "1");
        Batcher<String, String> itself = batchingAsync((stripe, items) -> batcher.submit("a", "behind"));
        CompletableFuture<Void> two = itself.submit("a", "2");
        Map<String, CompletableFuture<Void>> pending = new HashMap<>();
        Batcher<String, String> circular = batchingAsync((stripe, items) -> pending.get(items.get(0)));
        List<String> items = List.of("3", "4");
        items.forEach(item -> pending.put(item, circular.submit("a", item)));
        steps.runAll();
        assertThatThrownBy(one::join).hasCauseInstanceOf(NullPointerException.class);
        assertThatThrownBy(two::join).hasCauseInstanceOf(SelfWaitException.class);
        for (String item : items) {
            assertThat(pending.get(item)).isDone();
            assertThatThrownBy(pending.get(item)::join)
                    .hasCauseInstanceOf(SelfWaitException.class)
                    .hasMessageContaining("it has returned the future of the running task of key a of");
        }
        assertThat(ran).containsExactly(List.of("behind"));
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 4, 0, 0));
    }

    @Test
    @DisplayName("a handler that waits for an item behind it gets an exception, not a hang")
    void selfWait() {
        Batcher<String, String> waiting =
                batching((stripe, items) -> batcher.submit(stripe, "behind").join());
        CompletableFuture<Void> one = waiting.submit("a", "1");
        steps.runAll();
        assertThatThrownBy(one::join).hasCauseInstanceOf(SelfWaitException.class);
    }

    // retry, park, skip

    private Batcher<String, String> failingFor(int attempts) {
        AtomicInteger left = new AtomicInteger(attempts);
        return batching((stripe, items) -> {
            ran.add(items);
            if (left.getAndDecrement() > 0) {
                throw new IllegalStateException("on purpose");
            }
        });
    }

    @Test
    @DisplayName("a retry runs the same batch; what came meanwhile is the next, what was cancelled is left out")
    void retry() {
        rebuilt(StripedExecutor.builder()
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(2)
                        .delay(Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenProceed())
                .capacity(10)
                .listener(new HeardWords(heard)));
        batcher = failingFor(1);
        List<CompletableFuture<Void>> futures = submit("1", "2", "3");
        steps.runAll();
        assertThat(executor.inspect().stats().queued()).isEqualTo(3);
        List<CompletableFuture<Void>> later = submit("later", "too");
        futures.get(1).cancel(true);
        assertThat(executor.inspect().stats().queued()).isEqualTo(4);
        assertThat(timer.waiting()).as("the pause goes on").isEqualTo(1);
        assertThat(steps.waiting()).isZero();
        timer.fire();
        steps.runAll();
        assertThat(ran).containsExactly(List.of("1", "2", "3"), List.of("1", "3"), List.of("later", "too"));
        assertThat(futures.get(0)).isCompletedWithValue(null);
        assertThat(futures.get(2)).isCompletedWithValue(null);
        assertThat(later).allSatisfy(future -> assertThat(future).isCompletedWithValue(null));
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 4, 0, 1, 0));
        assertThat(executor.inspect().whenBusyStats()).isEqualTo(new WhenBusyStats(0, 0, 0, 2, 5));
        assertThat(heard)
                .containsExactly(
                        "queued 1",
                        "queued 2",
                        "queued 3",
                        "batched 3",
                        "started 1",
                        "started 2",
                        "started 3",
                        "retried 1",
                        "retried 2",
                        "retried 3",
                        "queued later",
                        "queued too",
                        "cancelled 2",
                        "started 1",
                        "started 3",
                        "finished 1",
                        "finished 3",
                        "batched 2",
                        "started later",
                        "started too",
                        "finished later",
                        "finished too");
        fill(10);
    }

    /** Each permit is back, and none twice. */
    private void fill(int capacity) {
        executor.control().pause();
        for (int i = 0; i < capacity; i++) {
            batcher.submit("full", "item");
        }
        assertThatThrownBy(() -> batcher.submit("full", "too many")).isInstanceOf(RejectedExecutionException.class);
        executor.control().resume();
        steps.runAll();
    }

    @Test
    @DisplayName("a batch of which all items are cancelled is not retried: while it runs, and in the pause")
    void nothingToRetry() {
        rebuilt(StripedExecutor.builder()
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(2)
                        .delay(Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenPark())
                .capacity(3));
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        batcher = batching((stripe, items) -> {
            ran.add(items);
            if (ran.size() == 1) {
                futures.forEach(future -> future.cancel(true));
            }
            throw new IllegalStateException("on purpose");
        });
        futures.addAll(submit("1", "2"));
        steps.runAll();
        assertThat(timer.waiting()).isZero();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 2, 0));
        List<CompletableFuture<Void>> pausing = submit("3", "4");
        steps.runAll();
        assertThat(timer.waiting()).isEqualTo(1);
        pausing.forEach(future -> future.cancel(false));
        steps.runAll();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 4, 0));
        timer.fire();
        assertThat(steps.runAll()).isZero();
        assertThat(ran).containsExactly(List.of("1", "2"), List.of("3", "4"));
        batcher = noting(executor).build();
        fill(3);
    }

    @Test
    @DisplayName("what is cancelled while its batch runs is no part of the next attempt")
    void cancelledWhileItRuns() {
        rebuilt(StripedExecutor.builder()
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenProceed())
                .listener(new HeardWords(heard))
                .capacity(3));
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        batcher = batching((stripe, items) -> {
            ran.add(items);
            if (ran.size() == 1) {
                futures.get(0).cancel(true);
                throw new IllegalStateException(Thread.currentThread().isInterrupted() ? "interrupted" : "on purpose");
            }
        });
        futures.addAll(submit("1", "2"));
        steps.runAll();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(1, 1, 1, 0, 0, 0, 0, 1, 0));
        timer.fire();
        steps.runAll();
        assertThat(ran).containsExactly(List.of("1", "2"), List.of("2"));
        assertThat(futures.get(1)).isCompletedWithValue(null);
        assertThat(heard)
                .containsExactly(
                        "queued 1",
                        "queued 2",
                        "batched 2",
                        "started 1",
                        "started 2",
                        "cancelled 1",
                        "retried 2",
                        "started 2",
                        "finished 2");
        fill(3);
    }

    @Test
    @DisplayName("an item that is cancelled while the listener hears of the others is not told of as retried")
    void cancelledWhileOthersAreToldOfAsRetried() {
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        rebuilt(StripedExecutor.builder()
                .capacity(3)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(2)
                        .delay(Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenProceed())
                .listener(new HeardWords(heard))
                .listener(new TaskListener() {
                    @Override
                    public void retried(Object key, Object task, int failures, Duration pause, Throwable failure) {
                        futures.get(1).cancel(false);
                    }
                }));
        batcher = failingFor(1);
        futures.addAll(submit("1", "2", "3"));
        steps.runAll();
        timer.fire();
        steps.runAll();
        assertThat(ran).containsExactly(List.of("1", "2", "3"), List.of("1", "3"));
        assertThat(heard.subList(heard.indexOf("retried 1"), heard.size()))
                .containsExactly(
                        "retried 1", "retried 3", "cancelled 2", "started 1", "started 3", "finished 1", "finished 3");
        fill(3);
    }

    @Test
    @DisplayName("a batch parks its stripe; resume runs it again, skip fails all of its items")
    void park() {
        rebuilt(StripedExecutor.builder().failurePolicy(FailurePolicy.park()).listener(new HeardWords(heard)));
        batcher = failingFor(2);
        List<CompletableFuture<Void>> futures = submit("1", "2");
        steps.runAll();
        assertThat(executor.inspect().parkedTasks()).singleElement().satisfies(parked -> {
            assertThat(parked.task()).isEqualTo(List.of("1", "2"));
            assertThat(executor.inspect().snapshot(parked.key()))
                    .map(KeySnapshot::queued)
                    .contains(2L);
        });
        List<CompletableFuture<Void>> later = submit("3");
        assertThat(executor.control().resume("a")).isTrue();
        steps.runAll();
        assertThat(futures.get(0)).isNotDone();
        assertThat(executor.control().skip("a")).isTrue();
        steps.runAll();
        assertThat(futures)
                .allSatisfy(future -> assertThatThrownBy(future::join).hasCauseInstanceOf(IllegalStateException.class));
        assertThat(later.get(0)).isCompletedWithValue(null);
        assertThat(ran).containsExactly(List.of("1", "2"), List.of("1", "2"), List.of("3"));
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 2, 0, 0));
        assertThat(heard)
                .containsExactly(
                        "queued 1",
                        "queued 2",
                        "batched 2",
                        "started 1",
                        "started 2",
                        "parked 1",
                        "parked 2",
                        "queued 3",
                        "started 1",
                        "started 2",
                        "parked 1",
                        "parked 2",
                        "failed 1",
                        "failed 2",
                        "batched 1",
                        "started 3",
                        "finished 3");
    }

    @Test
    @DisplayName("a shutdown fails a parked batch and cancels what is behind it")
    void shutdownOfParked() {
        rebuilt(StripedExecutor.builder().failurePolicy(FailurePolicy.park()));
        batcher = failingFor(1);
        List<CompletableFuture<Void>> futures = submit("1", "2");
        steps.runAll();
        futures.addAll(submit("3", "4"));
        List<Boolean> seen = new ArrayList<>();
        futures.get(2)
                .whenComplete((nothing, failure) ->
                        seen.add(futures.get(0).isDone() && futures.get(1).isDone()));
        executor.shutdown();
        assertThat(seen).as("what is behind may wait for what has failed").containsExactly(true);
        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 2, 2, 0));
        assertThat(futures.subList(2, 4))
                .allSatisfy(future -> assertThat(future).isCancelled());
    }

    @Test
    @DisplayName("a shutdown cancels what is behind a parked batch before another thread ends the last item of that")
    void shutdownOfParkedWhileAnItemEnds() throws InterruptedException {
        rebuilt(StripedExecutor.builder().failurePolicy(FailurePolicy.park()).keyCapacity(4));
        batcher = failingFor(1);
        List<CompletableFuture<Void>> items = submit("1", "2");
        steps.runAll();
        CountDownLatch isDropped = new CountDownLatch(1);
        CountDownLatch isCancelled = new CountDownLatch(1);
        items.get(0).whenComplete((nothing, dropped) -> {
            isDropped.countDown();
            Patience.await(isCancelled);
        });
        List<String> ranBehind = new ArrayList<>();
        CompletableFuture<Boolean> next = executor.submit("a", () -> ranBehind.add("next"));
        CompletableFuture<Boolean> last = executor.submit("a", () -> ranBehind.add("last"));
        FutureTask<Void> submission = new FutureTask<>(
                () -> executor.with(Overflow.discardOldest()).execute("a", () -> ranBehind.add("refused")), null);
        Thread dropper = new Thread(submission, "dropper");
        next.whenComplete((nothing, cancelled) -> {
            isCancelled.countDown();
            Patience.join(dropper);
            steps.runAll();
        });
        dropper.start();
        Patience.await(isDropped);
        executor.shutdown();
        assertThatThrownBy(submission::get).hasCauseInstanceOf(RejectedExecutionException.class);
        steps.runAll();
        assertThat(ranBehind).isEmpty();
        assertThat(items.get(0)).isCancelled();
        assertThatThrownBy(items.get(1)::join).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(List.of(next, last)).allSatisfy(behind -> assertThat(behind).isCancelled());
        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 1, 3, 1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("an item that is cancelled while its batch is parked has one end, told once, when that fails")
    void cancelledWhileParked(boolean byShutdown) {
        rebuilt(StripedExecutor.builder().failurePolicy(FailurePolicy.park()).listener(new HeardWords(heard)));
        batcher = failingFor(1);
        List<CompletableFuture<Void>> futures = submit("1", "2", "3");
        steps.runAll();
        futures.get(1).cancel(false);
        if (byShutdown) {
            executor.shutdown();
        } else {
            assertThat(executor.control().skip("a")).isTrue();
        }
        steps.runAll();
        assertThat(heard.subList(heard.indexOf("parked 1"), heard.size()))
                .containsExactly("parked 1", "parked 2", "parked 3", "cancelled 2", "failed 1", "failed 3");
        assertThat(futures.get(1)).isCancelled();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 2, 1, 0));
    }

    @Test
    @DisplayName("while a listener hears of a parked batch, that has no room, as a parked task has none")
    void roomWhileToldOf() {
        List<CompletableFuture<Void>> submitted = new ArrayList<>();
        rebuilt(StripedExecutor.builder()
                .capacity(2)
                .failurePolicy(FailurePolicy.park())
                .listener(new TaskListener() {
                    @Override
                    public void parked(Object key, Object task, Throwable failure) {
                        submitted.add(batcher.submit("b", "of the listener, for " + task));
                    }
                }));
        batcher = failingFor(1);
        submit("1", "2");
        steps.runAll();
        assertThat(submitted).hasSize(2).allSatisfy(future -> assertThat(future).isCompletedWithValue(null));
        assertThat(executor.control().resume("a")).isTrue();
        steps.runAll();
        assertThat(ran)
                .containsExactly(
                        List.of("1", "2"),
                        List.of("of the listener, for 1", "of the listener, for 2"),
                        List.of("1", "2"));
        fill(2);
    }

    @Test
    @DisplayName("a batch that parks while the executor is stopped ends, although it is resumed just then")
    void resumedWhileStopped() {
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        List<Runnable> takenBack = new ArrayList<>();
        List<Boolean> resumed = new ArrayList<>();
        rebuilt(StripedExecutor.builder().failurePolicy(FailurePolicy.park()).listener(new TaskListener() {
            @Override
            public void parked(Object key, Object task, Throwable failure) {
                if (futures.get(0).cancel(false)) {
                    takenBack.addAll(executor.shutdownNow());
                }
            }

            @Override
            public void cancelled(Object key, Object task) {
                resumed.add(executor.control().resume("a"));
            }
        }));
        batcher = failingFor(1);
        futures.addAll(submit("1", "2"));
        steps.runAll();
        assertThat(takenBack).isEmpty();
        assertThat(resumed).containsExactly(true, false);
        assertThat(executor.isTerminated()).isTrue();
        assertThat(futures).allSatisfy(future -> assertThat(future).isCancelled());
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 2, 0));
    }

    @Test
    @DisplayName("the items of a skipped batch fail while their stripe is still busy with them")
    void busyWhileSkipped() {
        rebuilt(StripedExecutor.builder().failurePolicy(FailurePolicy.park()));
        batcher = failingFor(1);
        List<CompletableFuture<Void>> futures = submit("1", "2");
        steps.runAll();
        List<OrderedExecutorStats> seen = new ArrayList<>();
        futures.get(0)
                .whenComplete((nothing, failure) -> seen.add(executor.inspect().stats()));
        assertThat(executor.control().skip("a")).isTrue();
        assertThat(seen).singleElement().satisfies(stats -> {
            assertThat(stats.active()).isEqualTo(1);
            assertThat(stats.queued()).isZero();
        });
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 2, 0, 0));
    }

    // cancellation and memory

    @Test
    @DisplayName("a cancelled item leaves at once, with what it refers to and with its permit")
    void cancelFrees() {
        rebuilt(StripedExecutor.builder().capacity(3).keyCapacity(3));
        Batcher<String, Object> objects = batching((stripe, items) -> ran.add(List.of(items.size() + " items")));
        objects.submit("a", "first");
        WeakReference<Object> item = new WeakReference<>(new Object());
        CompletableFuture<Void> middle = objects.submit("a", itemOf(item));
        objects.submit("a", "last");
        assertThatThrownBy(() -> objects.submit("a", "full")).isInstanceOf(RejectedExecutionException.class);
        WeakReference<Object> future = new WeakReference<>(middle);
        assertThat(middle.cancel(true)).isTrue();
        middle = null;
        Reachability.assertCleared(List.of(item, future));
        objects.submit("a", "fits");
        assertThatThrownBy(() -> objects.submit("a", "full")).isInstanceOf(RejectedExecutionException.class);
        assertThat(executor.inspect().stats().queued()).isEqualTo(3);
        steps.runAll();
        assertThat(ran).containsExactly(List.of("3 items"));
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 3, 0, 1, 2));
    }

    @Test
    @DisplayName("items of a failed batch that are cancelled are neither listed nor kept")
    void cancelFreesParked() {
        rebuilt(StripedExecutor.builder().failurePolicy(FailurePolicy.park()));
        List<CompletableFuture<Void>> cancelled = new ArrayList<>();
        AtomicBoolean fails = new AtomicBoolean(true);
        Batcher<String, Object> objects = batching((stripe, items) -> {
            ran.add(List.of(items.size() + " items"));
            cancelled.get(0).cancel(false);
            if (fails.getAndSet(false)) {
                throw new IllegalStateException("expected");
            }
        });
        List<WeakReference<Object>> items =
                List.of(new WeakReference<>(new Object()), new WeakReference<>(new Object()));
        for (WeakReference<Object> item : items) {
            cancelled.add(objects.submit("a", itemOf(item)));
        }
        CompletableFuture<Void> last = objects.submit("a", "last");
        steps.runAll();
        assertThat(cancelled.get(0)).isCancelled();
        Supplier<Object> parked = () -> executor.inspect().parkedTasks().get(0).task();
        assertThat(parked.get()).asInstanceOf(InstanceOfAssertFactories.LIST).hasSize(2);
        assertThat(parked.get()).as("recognized by who has seen it").isSameAs(parked.get());
        assertThat(cancelled.get(1).cancel(false)).isTrue();
        assertThat(parked.get()).isEqualTo(List.of("last"));
        assertThat(executor.inspect().explain("a").toString()).contains("[last]");
        Reachability.assertCleared(items);
        assertThat(executor.control().resume("a")).isTrue();
        steps.runAll();
        assertThat(last).isCompletedWithValue(null);
        assertThat(ran).containsExactly(List.of("3 items"), List.of("1 items"));
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 2, 0));
    }

    @Test
    @DisplayName(
            "a batch that runs ends the items whose futures are complete, though dependent actions of these still run")
    void cancelledWhileDependentActionsRun() {
        rebuilt(StripedExecutor.builder().capacity(2).listener(new HeardWords(heard, "queued")));
        List<CompletableFuture<Void>> futures = submit("1", "2");
        List<OrderedExecutorStats> seen = new ArrayList<>();
        Runnable runAll = () -> {
            steps.runAll();
            seen.add(executor.inspect().stats());
            fill(2);
        };
        futures.get(0).whenComplete((nothing, failure) -> runAll.run());
        assertThat(futures.get(0).cancel(false)).isTrue();
        assertThat(seen).containsExactly(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 1, 0));
        assertThat(heard.subList(0, 4)).containsExactly("cancelled 1", "batched 1", "started 2", "finished 2");
        CompletableFuture<Void> alone = batcher.submit("a", "3");
        alone.whenComplete((nothing, failure) -> runAll.run());
        assertThat(alone.complete(null)).isTrue();
        OrderedExecutorStats end = executor.inspect().stats();
        assertThat(seen.get(1)).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 4, 0, 1, 1));
        assertThat(end).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 6, 0, 1, 2));
        assertThat(heard).contains("finished 3");
        assertThat(ran).containsExactly(List.of("2"), List.of("item", "item"), List.of("item", "item"));
    }

    @Test
    @DisplayName("skip ends the items whose futures are complete, though dependent actions of these still run")
    void skippedWhileDependentActionsRun() {
        rebuilt(StripedExecutor.builder().capacity(2).failurePolicy(FailurePolicy.park()));
        batcher = failingFor(1);
        List<CompletableFuture<Void>> futures = submit("1", "2");
        steps.runAll();
        List<OrderedExecutorStats> seen = new ArrayList<>();
        futures.get(0).whenComplete((nothing, failure) -> {
            executor.control().skip("a");
            seen.add(executor.inspect().stats());
            fill(2);
        });
        assertThat(futures.get(0).cancel(false)).isTrue();
        assertThat(seen).containsExactly(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 1, 1, 0));
        assertThat(futures.get(1)).isCompletedExceptionally().isNotCancelled();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 1, 1, 1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("nothing behind a batch starts before the items have ended that others have taken out of it")
    void behindItemsThatAreTakenOut(boolean isDropped) {
        List<List<List<String>>> seen = new ArrayList<>();
        Runnable runAll = () -> {
            steps.runAll();
            seen.add(List.copyOf(ran));
        };
        rebuilt(StripedExecutor.builder().capacity(3).listener(new TaskListener() {
            @Override
            public void cancelled(Object key, Object task) {
                runAll.run();
            }
        }));
        List<CompletableFuture<Void>> futures = submit("1", "2");
        executor.execute("a", () -> ran.add(List.of("behind")));
        if (isDropped) {
            futures.get(0).whenComplete((nothing, failure) -> runAll.run());
            executor.with(Overflow.discardOldest()).execute("a", () -> ran.add(List.of("newer")));
        } else {
            futures.get(0).cancel(false);
        }
        assertThat(seen).containsExactly(List.of(List.of("2")));
        steps.runAll();
        assertThat(ran.subList(0, 2)).containsExactly(List.of("2"), List.of("behind"));
        assertThat(ran).hasSize(isDropped ? 3 : 2);
        assertThat(executor.inspect().stats())
                .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, isDropped ? 3 : 2, 0, 1, 0));
        fill(3);
    }

    @Test
    @DisplayName("a batch of which all items are being taken out leaves when the last of them has ended")
    void allAreTakenOut() {
        rebuilt(StripedExecutor.builder().capacity(3).failurePolicy(FailurePolicy.park()));
        batcher = failingFor(1);
        List<CompletableFuture<Void>> futures = submit("1", "2");
        steps.runAll();
        executor.execute("a", () -> ran.add(List.of("behind")));
        List<Integer> seen = new ArrayList<>();
        futures.get(0).whenComplete((nothing, failure) -> {
            futures.get(1).cancel(false);
            steps.runAll();
            seen.add(ran.size());
        });
        executor.with(Overflow.discardOldest()).execute("a", () -> ran.add(List.of("newer")));
        assertThat(seen).containsExactly(1);
        steps.runAll();
        assertThat(ran).containsExactly(List.of("1", "2"), List.of("behind"), List.of("newer"));
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 2, 0));
        fill(3);
    }

    private static Object itemOf(WeakReference<Object> reference) {
        return reference.get() == null ? new Object() : reference.get();
    }

    @Test
    @DisplayName("to cancel an item takes the same time however many wait with it")
    void cancelIsFast() {
        batcher = noting(executor).maxBatch(1_000_000).build();
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        int items = 400_000;
        for (int i = 0; i < items; i++) {
            futures.add(batcher.submit("a", "item"));
        }
        for (int i = 0; i < items / 4; i++) {
            futures.get(i).cancel(false);
            futures.get(items - 1 - i).cancel(false);
            futures.get(items / 2 + (i % 2 == 0 ? i / 2 : -i / 2 - 1)).cancel(false);
        }
        assertThat(executor.inspect().stats().queued()).isEqualTo(items / 4);
        steps.runAll();
        assertThat(ran.stream().mapToInt(List::size)).containsExactly(items / 4);
        assertThat(executor.inspect().stats().cancelled()).isEqualTo(items * 3L / 4);
    }

    @Test
    @DisplayName("the queued tasks of a key are counted while items come, and others are cancelled by two threads")
    void itemsThatWaitAreCounted() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        executor = StripedExecutor.builder()
                .executor(steps)
                .turn(1, Duration.ofDays(1))
                .build();
        batcher = noting(executor).maxBatch(5).build();
        AtomicInteger plain = new AtomicInteger();
        Queue<CompletableFuture<Void>> items = new ConcurrentLinkedQueue<>();
        for (int round = 0; round < 20; round++) {
            List<Thread> cancelling = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                SplittableRandom own = random.split();
                cancelling.add(new Thread(() -> items.forEach(item -> {
                    if (own.nextInt(3) == 0) {
                        item.cancel(false);
                    }
                })));
            }
            cancelling.forEach(Thread::start);
            for (int i = 0; i < 100; i++) {
                if (random.nextInt(8) == 0) {
                    executor.execute("a", plain::decrementAndGet);
                    plain.incrementAndGet();
                } else {
                    items.add(batcher.submit("a", "item"));
                }
            }
            cancelling.forEach(Patience::join);
            // some of them run
            for (int turn = random.nextInt(3); turn > 0; turn--) {
                steps.runNext();
            }
            long waiting = items.stream().filter(item -> !item.isDone()).count() + plain.get();
            String context = "round " + round + ", seed " + seed;
            assertThat(executor.inspect().stats().queued()).as(context).isEqualTo(waiting);
            assertThat(executor.inspect().snapshot("a").orElseThrow().queued())
                    .as(context)
                    .isEqualTo(waiting);
        }
        steps.runAll();
        assertThat(plain).hasValue(0);
        assertThat(items).allMatch(CompletableFuture::isDone);
        assertThat(ran.stream().mapToLong(List::size).sum())
                .isEqualTo(items.stream().filter(item -> !item.isCancelled()).count());
        assertThat(executor.inspect().stats().queued()).isZero();
    }

    @Test
    @DisplayName("items that are cancelled one after the other leave nothing behind; the last takes the batch along")
    void cancelAll() {
        for (int round = 0; round < 1_000; round++) {
            submit("1", "2", "3").forEach(future -> future.cancel(false));
        }
        assertThat(executor.inspect().stats().queued()).isZero();
        submit("after");
        steps.runAll();
        assertThat(ran).containsExactly(List.of("after"));
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 3_000, 0));
    }

    @Test
    @DisplayName("when a batch has ended, its items are unreachable, and so is an idle stripe")
    void finishedIsUnreachable() {
        List<WeakReference<?>> references = new ArrayList<>();
        Batcher<Object, Object> objects = batching((stripe, items) -> ran.add(List.of(items.size() + " items")));
        submitWatched(objects, references);
        List<CompletableFuture<Void>> stages = new ArrayList<>();
        Batcher<Object, Object> starting = batchingAsync((stripe, items) -> {
            stages.add(new CompletableFuture<>());
            return stages.get(stages.size() - 1).orTimeout(1, TimeUnit.DAYS);
        });
        submitWatched(starting, references);
        steps.runAll();
        stages.forEach(stage -> stage.complete(null));
        steps.runAll();
        assertThat(ran).containsExactly(List.of("2 items"));
        assertThat(executor.inspect().stats().completed()).isEqualTo(4);
        Reachability.assertCleared(references);
    }

    private static void submitWatched(Batcher<Object, Object> batcher, List<WeakReference<?>> references) {
        Object stripe = new Object();
        references.add(new WeakReference<>(stripe));
        for (int i = 0; i < 2; i++) {
            Object item = new Object();
            references.add(new WeakReference<>(item));
            references.add(new WeakReference<>(batcher.submit(stripe, item)));
        }
    }

    // limits

    @Test
    @DisplayName("limits count items; a batch that starts makes room for all of its own")
    void limitsCountItems() {
        rebuilt(StripedExecutor.builder().capacity(4).keyCapacity(3));
        submit("1", "2", "3");
        assertThatThrownBy(() -> submit("4"))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("its key capacity is 3 queued tasks");
        assertThatThrownBy(() -> executor.execute("a", () -> {})).isInstanceOf(RejectedExecutionException.class);
        batcher.submit("b", "b");
        assertThatThrownBy(() -> batcher.submit("b", "b"))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("its capacity is 4 queued tasks");
        assertThat(steps.runNext()).isTrue();
        submit("5", "6", "7");
        assertThatThrownBy(() -> submit("8")).isInstanceOf(RejectedExecutionException.class);
        steps.runAll();
        assertThat(ran).containsExactly(List.of("1", "2", "3"), List.of("b"), List.of("5", "6", "7"));
        fill(3);
    }

    @Test
    @DisplayName("a full stripe counts the items of several batches, and those of tasks behind them")
    void stripeCapacityOverSeveralBatches() {
        rebuilt(StripedExecutor.builder().keyCapacity(5));
        batcher = noting(executor).maxBatch(2).build();
        submit("1", "2", "3", "4");
        executor.execute("a", () -> ran.add(List.of("task")));
        assertThatThrownBy(() -> executor.execute("a", () -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> submit("5")).isInstanceOf(RejectedExecutionException.class);
        assertThat(executor.inspect().stats().queued()).isEqualTo(5);
        steps.runAll();
        assertThat(ran).containsExactly(List.of("1", "2"), List.of("3", "4"), List.of("task"));
    }

    @Test
    @DisplayName("the oldest item makes room, and its future is cancelled")
    void discardsOldest() {
        rebuilt(StripedExecutor.builder()
                .keyCapacity(2)
                .overflow(Overflow.discardOldest())
                .listener(new HeardWords(heard)));
        List<CompletableFuture<Void>> futures = submit("1", "2", "3", "4");
        steps.runAll();
        assertThat(ran).containsExactly(List.of("3", "4"));
        assertThat(futures.get(0)).isCancelled();
        assertThat(futures.get(1)).isCancelled();
        assertThat(heard).contains("dropped 1", "dropped 2");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 2, 0));
    }

    @Test
    @DisplayName("a submitter that waits for room gets it when a batch starts")
    void blockedSubmitter() throws InterruptedException {
        rebuilt(StripedExecutor.builder().keyCapacity(2).overflow(Overflow.block(Duration.ofSeconds(30))));
        submit("1", "2");
        Thread submitter = new Thread(() -> submit("3"));
        submitter.start();
        Patience.awaitParked(submitter);
        steps.runNext();
        Patience.join(submitter);
        steps.runAll();
        assertThat(ran).containsExactly(List.of("1", "2"), List.of("3"));
    }

    @Test
    @DisplayName("a submitter that must not wait says so, for an item and for a task of any mode")
    void ownOverflow() {
        rebuilt(StripedExecutor.builder().keyCapacity(1).overflow(Overflow.block(Duration.ofHours(1))));
        submit("1");
        assertThatThrownBy(() -> batcher.with(Overflow.reject()).submit("a", "2"))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.with(WhenBusy.latest("slot"))
                        .with(Overflow.reject())
                        .submitAsync("a", () -> new CompletableFuture<>()))
                .isInstanceOf(RejectedExecutionException.class);
        CompletableFuture<Void> third = batcher.with(Overflow.discardOldest()).submit("a", "3");
        steps.runAll();
        assertThat(ran).containsExactly(List.of("3"));
        assertThat(third).isCompletedWithValue(null);
    }

    @Test
    @DisplayName(
            "items that come with another overflow are in one batch with the others, weighed and told apart as they")
    void ownOverflowJoins() {
        rebuilt(StripedExecutor.builder());
        Batcher<String, String> words =
                noting(executor).maxBatch(5).weigher(String::length).build();
        Batcher<String, String> others = words.with(Overflow.reject());
        List<CompletableFuture<Void>> futures = List.of(
                words.submit("a", "1"),
                others.submit("a", "22"),
                others.with(Overflow.block(Duration.ofHours(1))).submit("a", "3"),
                words.submit("a", "44"));
        assertThatThrownBy(() -> others.submit("a", "666666")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> words.with(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("overflow");
        steps.runAll();
        assertThat(ran).containsExactly(List.of("1", "22", "3"), List.of("44"));
        assertThat(futures).allMatch(CompletableFuture::isDone);
    }

    @Test
    @DisplayName("an item whose hand-over is refused is taken back, and those that have joined it run")
    void refusedHandOver() {
        SteppedExecutor inner = new SteppedExecutor();
        List<CompletableFuture<Void>> joined = new ArrayList<>();
        StripedExecutor refusing = StripedExecutor.builder()
                .executor(step -> {
                    if (joined.isEmpty()) {
                        joined.add(self.submit("a", "joined"));
                        throw new RejectedExecutionException("on purpose");
                    }
                    inner.execute(step);
                })
                .build();
        self = noting(refusing).build();
        assertThatThrownBy(() -> self.submit("a", "refused"))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("on purpose");
        inner.runAll();
        assertThat(ran).containsExactly(List.of("joined"));
        assertThat(joined.get(0)).isCompletedWithValue(null);
        Patience.terminate(refusing);
    }

    // lifecycle

    @Test
    @DisplayName("shutdownNow gives items back one by one, as they were submitted")
    void shutdownNow() {
        batcher = noting(executor).maxBatch(2).build();
        List<CompletableFuture<Void>> futures = submit("1", "2", "3");
        futures.get(0).cancel(false);
        List<Runnable> unstarted = executor.shutdownNow();
        assertThat(unstarted)
                .allSatisfy(item -> assertThat(item).isInstanceOf(Batcher.Item.class))
                .extracting(Object::toString)
                .containsExactly("2", "3");
        Batcher.Item<?, ?> item = (Batcher.Item<?, ?>) unstarted.get(0);
        assertThat(item.stripe()).isEqualTo("a");
        assertThat(item.item()).isEqualTo("2");
        assertThat(futures).allSatisfy(future -> assertThat(future).isCancelled());
        assertThat(executor.isTerminated()).isTrue();
        steps.runAll();
        assertThat(ran).isEmpty();
        item.run();
        assertThat(ran).containsExactly(List.of("2"));
        assertThatThrownBy(() -> submit("late")).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    @DisplayName("shutdownNow interrupts the batch that runs, and cancels the stage that is awaited")
    void shutdownNowWhileItRuns() {
        executor = StripedExecutor.builder().threads(1).build();
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        Batcher<String, String> sleeping = batching((stripe, items) -> {
            started.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException expected) {
                interrupted.countDown();
            }
        });
        CompletableFuture<Void> running = sleeping.submit("a", "1");
        Patience.await(started);
        assertThat(executor.shutdownNow()).isEmpty();
        Patience.await(interrupted);
        Patience.awaitTermination(executor);
        assertThat(running).isCompletedWithValue(null);

        rebuilt(StripedExecutor.builder());
        Batcher<String, String> starting = batchingAsync((stripe, items) -> new CompletableFuture<>());
        CompletableFuture<Void> held = starting.submit("a", "1");
        steps.runAll();
        executor.shutdownNow();
        assertThat(held).isCancelled();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.inspect().stats().cancelled()).isEqualTo(1);
    }

    @Test
    @DisplayName("A batch that runs is seen as one active task, with its items")
    void runningTask() {
        rebuilt(StripedExecutor.builder().listener(new HeardWords(heard)));
        List<Object> seen = new ArrayList<>();
        batcher = batching((stripe, items) -> {
            executor.inspect().runningTasks().forEach(running -> seen.add(running.task()));
            assertThat(executor.inspect().stats().active()).isEqualTo(1);
        });
        List<CompletableFuture<Void>> futures = submit("1", "2");
        steps.runAll();
        assertThat(seen).containsExactly(List.of("1", "2"));
        assertThat(futures.get(0)).isCompletedWithValue(null);
        assertThat(heard)
                .containsExactly(
                        "queued 1", "queued 2", "batched 2", "started 1", "started 2", "finished 1", "finished 2");
    }

    // settings

    @Test
    void refusals() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> noting(executor).maxBatch(0))
                .withMessage("maxBatch is 0, but must be from 1 to 1,000,000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> noting(executor).linger(Duration.ofMillis(-1)))
                .withMessage("linger is PT-0.001S, but must not be negative");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> noting(executor).lingerLimit(Duration.ZERO))
                .withMessage("lingerLimit is PT0S, but must be positive");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> noting(executor)
                        .linger(Duration.ofSeconds(2))
                        .lingerLimit(Duration.ofSeconds(1))
                        .build())
                .withMessage("lingerLimit is PT1S, but must not be less than linger, which is PT2S");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        noting(executor).lingerLimit(Duration.ofSeconds(1)).build())
                .withMessageContaining("linger is not; set linger");
        assertThatNullPointerException()
                .isThrownBy(() -> batcher.submit(null, "item"))
                .withMessage("stripe");
        assertThatNullPointerException()
                .isThrownBy(() -> batcher.submit("a", null))
                .withMessage("item");
        assertThatNullPointerException()
                .isThrownBy(() -> executor.batchTo(null))
                .withMessage("handler");
        assertThatNullPointerException()
                .isThrownBy(() -> executor.batchToAsync(null))
                .withMessage("handler");
    }

    @ParameterizedTest(name = "of the key: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("a batch does not linger while another item waits for the room that its items have")
    void awaitedRoomEndsTheLingering(boolean ofKey) {
        StripedExecutorBuilder builder =
                StripedExecutor.builder().threads(2).overflow(Overflow.block(Duration.ofMinutes(10)));
        StripedExecutor full = (ofKey ? builder.keyCapacity(1) : builder.capacity(1)).build();
        AtomicInteger items = new AtomicInteger();
        Batcher<String, Integer> lingering = full.<String, Integer>batchTo(
                        (stripe, batch) -> items.addAndGet(batch.size()))
                .linger(Duration.ofHours(1))
                .build();
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        full.execute("a", () -> {
            busy.countDown();
            Patience.await(mayEnd);
        });
        Patience.await(busy);
        CompletableFuture<Void> first = lingering.submit("a", 1);
        List<Thread> submitters = new ArrayList<>();
        for (int i = 2; i <= 3; i++) {
            int item = i;
            submitters.add(new Thread(() -> lingering.submit("a", item)));
        }
        submitters.forEach(Thread::start);
        submitters.forEach(Patience::awaitParked);
        mayEnd.countDown();
        submitters.forEach(Patience::join);
        assertThat(submitters).noneMatch(Thread::isAlive);
        Patience.get(first);
        Patience.terminate(full);
        assertThat(items).hasValue(3);
    }

    @ParameterizedTest(name = "of the key: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("a batch that lingers starts when a submission begins to wait for the room of its items")
    void aWaitForRoomEndsTheLingering(boolean ofKey) {
        StripedExecutorBuilder builder = StripedExecutor.builder().overflow(Overflow.block(Duration.ofMinutes(10)));
        rebuilt(ofKey ? builder.keyCapacity(1) : builder.capacity(1));
        batcher = noting(executor).linger(Duration.ofHours(1)).build();
        CompletableFuture<Void> lingering = batcher.submit("a", "lingers");
        steps.runAll();
        assertThat(lingering).isNotDone();
        Thread submitter = new Thread(() -> executor.execute(ofKey ? "a" : "b", () -> ran.add(List.of("waited"))));
        submitter.start();
        Patience.awaitParked(submitter);
        steps.runAll();
        assertThat(lingering).isCompletedWithValue(null);
        Patience.join(submitter);
        steps.runAll();
        assertThat(ran).containsExactly(List.of("lingers"), List.of("waited"));
    }
}
