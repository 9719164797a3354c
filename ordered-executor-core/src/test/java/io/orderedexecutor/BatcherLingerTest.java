package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a batch waits for more items when its turn has come, in time that the test sets. */
@Timeout(60)
class BatcherLingerTest {
    private static final Duration LINGER = Duration.ofMillis(20);

    private final SteppedExecutor steps = new SteppedExecutor();
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5_000_000);
    private final HandTimer timer = new HandTimer(clock::get);
    private final List<List<String>> ran = new ArrayList<>();
    private final CompletableFuture<Boolean> waited = new CompletableFuture<>();
    private StripedExecutor executor = built(StripedExecutor.builder());
    private Batcher<String, String> batcher = lingering().build();

    private StripedExecutor built(StripedExecutorBuilder builder) {
        return builder.name("ledger").executor(steps).platform(timer).build();
    }

    private BatcherBuilder<String, String> lingering() {
        return executor.<String, String>batchTo((stripe, items) -> ran.add(items))
                .maxBatch(4)
                .linger(LINGER)
                .lingerLimit(LINGER.multipliedBy(3));
    }

    private List<CompletableFuture<Void>> submit(String... items) {
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        for (String item : items) {
            futures.add(batcher.submit("a", item));
        }
        return futures;
    }

    private void awaitIdle(Object key) {
        try {
            waited.complete(executor.control().awaitIdle(key, Duration.ofDays(1)));
        } catch (Throwable failure) {
            waited.completeExceptionally(failure);
        }
    }

    /** Lets time pass and what is due happen. */
    private void after(long millis) {
        clock.addAndGet(Duration.ofMillis(millis).toNanos());
        timer.fire();
        steps.runAll();
    }

    @Test
    @DisplayName("an idle stripe waits until no item has come for the linger, without a thread")
    void waitsForMore() {
        submit("1");
        steps.runAll();
        assertThat(executor.inspect().stats().active()).isZero();
        assertThat(timer.pauses()).containsExactly(LINGER);
        after(15);
        submit("2");
        after(15);
        assertThat(ran).isEmpty();
        assertThat(timer.waiting()).as("one timer at a time").isEqualTo(1);
        after(4);
        assertThat(ran).isEmpty();
        after(1);
        assertThat(ran).containsExactly(List.of("1", "2"));
        assertThat(timer.waiting()).isZero();
        assertThat(executor.inspect().stats().keys()).isZero();
    }

    @Test
    @DisplayName("a batch that waits for more goes on by itself, unless it is paused")
    void isNotHeldUp() {
        submit("1");
        steps.runAll();
        assertThat(timer.waiting()).isEqualTo(1);
        assertThat(executor.control().isHeldUp()).isFalse();
        executor.control().pause();
        assertThat(executor.control().isHeldUp()).isTrue();
        executor.control().resume();
        executor.control().pause("a");
        assertThat(executor.control().isHeldUp()).isTrue();
        assertThat(executor.control().resume("a")).isTrue();
        assertThat(executor.control().isHeldUp()).isFalse();
        after(20);
        assertThat(ran).containsExactly(List.of("1"));
        assertThat(executor.control().isHeldUp()).isFalse();
    }

    @Test
    @DisplayName("items that keep coming cannot hold a batch up for longer than the limit")
    void limit() {
        batcher = lingering().maxBatch(1_000).build();
        int items = 0;
        for (int millis = 0; ran.isEmpty(); millis++) {
            assertThat(millis).isLessThanOrEqualTo(60);
            batcher.submit("a", "item " + items++);
            after(1);
        }
        assertThat(ran.get(0)).hasSize(60);
    }

    @Test
    @DisplayName("what has waited behind other tasks for as long does not wait again")
    void timeInTheQueueCounts() {
        executor.control().pause();
        submit("1");
        clock.addAndGet(LINGER.toNanos());
        executor.control().resume();
        steps.runAll();
        assertThat(ran).containsExactly(List.of("1"));
        assertThat(timer.pauses()).isEmpty();
    }

    @Test
    @DisplayName("a batch that is full starts at once, and so does one in which nothing more finds room")
    void full() {
        submit("1", "2", "3");
        steps.runAll();
        assertThat(ran).isEmpty();
        submit("4");
        steps.runAll();
        assertThat(ran).containsExactly(List.of("1", "2", "3", "4"));

        executor = built(StripedExecutor.builder().keyCapacity(2));
        batcher = lingering().build();
        submit("5", "6");
        steps.runAll();
        assertThat(ran).hasSize(1);
        assertThatThrownBy(() -> submit("7")).isInstanceOf(RejectedExecutionException.class);
        steps.runAll();
        assertThat(ran).hasSize(2).last().isEqualTo(List.of("5", "6"));

        batcher = lingering().weigher(String::length).build();
        submit("abc");
        steps.runAll();
        assertThat(ran).hasSize(2);
        submit("de");
        steps.runAll();
        assertThat(ran).as("the next one lingers by itself").hasSize(3).last().isEqualTo(List.of("abc"));
    }

    /** What ends a linger at once, and what runs then. */
    @SuppressWarnings("ImmutableEnumChecker") // lambdas, and lists that stay as they are
    enum Way {
        TASK(test -> test.executor.execute("a", () -> test.ran.add(List.of("task"))), List.of("task")),
        RESERVATION(test -> test.executor.reserve("a").close(), null),
        OTHER_BATCHER(
                test -> test.executor
                        .<String, String>batchTo((stripe, items) -> test.ran.add(items))
                        .build()
                        .submit("a", "other"),
                List.of("other")),
        SHUTDOWN(test -> test.executor.shutdown(), null),
        DRAIN(
                test -> {
                    try {
                        test.executor.awaitIdle(Duration.ZERO);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                },
                null),
        AWAIT_IDLE(
                test -> {
                    try {
                        test.executor.control().awaitIdle("a", Duration.ZERO);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                },
                null);

        @SuppressWarnings("ImmutableEnumChecker") // it refers to nothing
        private final Consumer<BatcherLingerTest> end;

        @SuppressWarnings("ImmutableEnumChecker") // an unmodifiable list
        private final List<String> behind;

        Way(Consumer<BatcherLingerTest> end, List<String> behind) {
            this.end = end;
            this.behind = behind;
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a linger ends when something waits behind it, or somebody waits for the end")
    void endsAtOnce(Way way) {
        submit("1", "2");
        steps.runAll();
        assertThat(ran).isEmpty();
        way.end.accept(this);
        steps.runAll();
        assertThat(ran).startsWith(List.of("1", "2"));
        assertThat(ran)
                .isEqualTo(way.behind == null ? List.of(List.of("1", "2")) : List.of(List.of("1", "2"), way.behind));
        after(100);
        assertThat(ran).as("the timer that is left has nothing to do").hasSize(way.behind == null ? 1 : 2);
    }

    @ParameterizedTest
    @EnumSource(names = {"TASK", "RESERVATION", "OTHER_BATCHER", "SHUTDOWN", "AWAIT_IDLE"})
    @DisplayName("nor does it begin after that")
    void doesNotBegin(Way way) {
        submit("1", "2");
        way.end.accept(this);
        steps.runAll();
        assertThat(ran).startsWith(List.of("1", "2"));
        assertThat(timer.pauses()).isEmpty();
    }

    @Test
    @DisplayName("while somebody drains the executor, no batch begins to wait; afterwards they do")
    void drain() throws InterruptedException {
        executor = StripedExecutor.builder().threads(1).build();
        batcher = lingering()
                .linger(Duration.ofDays(1))
                .lingerLimit(Duration.ofDays(1))
                .build();
        List<CompletableFuture<Void>> late = new ArrayList<>();
        CompletableFuture<Void> first = batcher.submit("a", "1");
        first.thenRun(() -> late.add(batcher.submit("b", "2")));
        assertThat(executor.awaitIdle(Duration.ofSeconds(30))).isTrue();
        assertThat(first).isCompletedWithValue(null);
        assertThat(late.get(0)).isCompletedWithValue(null);
        CompletableFuture<Void> lingers = batcher.submit("c", "3");
        assertThat(lingers).isNotDone();
        assertThat(executor.control().awaitIdle("c", Duration.ofSeconds(30))).isTrue();
        assertThat(lingers).isCompletedWithValue(null);
        batcher.submit("d", "4");
        executor.close();
        assertThat(ran).containsExactly(List.of("1"), List.of("2"), List.of("3"), List.of("4"));
    }

    @Test
    @DisplayName(
            "while somebody waits for a key, no batch of that key begins to wait; those of others do, and later ones")
    void awaitIdleOfAKey() throws InterruptedException {
        submit("1");
        executor.execute("a", () -> submit("2"));
        batcher.submit("b", "3");
        Thread waits = new Thread(() -> awaitIdle("a"));
        waits.start();
        Patience.awaitParked(waits);
        steps.runAll();
        assertThat(ran).containsExactly(List.of("1"), List.of("2"));
        assertThat(Patience.get(waited)).isTrue();
        submit("4");
        steps.runAll();
        assertThat(ran).hasSize(2);
        after(1000);
        assertThat(ran).containsExactlyInAnyOrder(List.of("1"), List.of("2"), List.of("3"), List.of("4"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    @DisplayName("no item lingers that comes while a thread that waits for its key looks at the key")
    void anItemThatComesDuringALook(int look) {
        executor = StripedExecutor.builder().threads(1).build();
        Batcher<Object, String> toKey = executor.<Object, String>batchTo((key, items) -> ran.add(items))
                .linger(Duration.ofDays(1))
                .build();
        CountDownLatch parked = new CountDownLatch(1);
        AtomicInteger looks = new AtomicInteger();
        AtomicReference<Thread> waits = new AtomicReference<>();
        Object key = new Object() {
            @Override
            public int hashCode() {
                if (Thread.currentThread() == waits.get() && looks.incrementAndGet() == look) {
                    toKey.submit(this, "late");
                }
                return 7;
            }
        };
        executor.execute(key, () -> Patience.await(parked));
        waits.set(new Thread(() -> awaitIdle(key)));
        waits.get().start();
        Patience.awaitParked(waits.get());
        parked.countDown();
        assertThat(Patience.get(waited)).isTrue();
        Patience.terminate(executor);
        assertThat(ran).isEqualTo(looks.get() < look ? List.of() : List.of(List.of("late")));
    }

    @Test
    @DisplayName("shutdownNow gives back what lingers")
    void shutdownNow() {
        submit("1", "2");
        steps.runAll();
        assertThat(executor.shutdownNow()).hasSize(2);
        assertThat(executor.isTerminated()).isTrue();
        after(100);
        assertThat(ran).isEmpty();
    }

    @Test
    @DisplayName("when the last item is cancelled, nothing lingers, and nothing is left but the timer")
    void cancelled() {
        List<CompletableFuture<Void>> futures = submit("1", "2");
        steps.runAll();
        futures.get(0).cancel(false);
        steps.runAll();
        assertThat(executor.inspect().stats().keys()).isEqualTo(1);
        futures.get(1).cancel(false);
        steps.runAll();
        assertThat(executor.inspect().stats().keys()).isZero();
        submit("3");
        after(20);
        assertThat(ran).containsExactly(List.of("3"));
    }

    @Test
    @DisplayName("an item that was cancelled holds nothing up: the linger counts from the last that is left")
    void cancelledLast() {
        submit("1");
        steps.runAll();
        after(15);
        submit("2").get(0).cancel(false);
        after(5);
        assertThat(ran).containsExactly(List.of("1"));
    }

    @Test
    @DisplayName("a batch that starts before its timer fires cancels it, and nothing keeps stripe or items")
    void timerKeepsNothing() {
        List<WeakReference<?>> references = new ArrayList<>();
        Batcher<Object, Object> objects = executor.<Object, Object>batchTo((stripe, items) -> {})
                .maxBatch(2)
                .linger(Duration.ofHours(1))
                .build();
        Object stripe = new Object();
        references.add(new WeakReference<>(stripe));
        for (int i = 0; i < 2; i++) {
            Object item = new Object();
            references.add(new WeakReference<>(item));
            references.add(new WeakReference<>(objects.submit(stripe, item)));
            steps.runAll();
            assertThat(timer.waiting()).isEqualTo(1 - i);
        }
        stripe = null;
        assertThat(executor.inspect().stats().completed()).isEqualTo(2);
        Reachability.assertCleared(references);
    }

    @Test
    @DisplayName("a stripe that lingers is busy; a pause holds the batch, and time goes on")
    void busyAndPaused() {
        submit("1");
        steps.runAll();
        CompletableFuture<Boolean> refused = executor.with(WhenBusy.refuse()).submit("a", () -> true);
        assertThat(refused).isCancelled();
        executor.control().pause("a");
        after(20);
        assertThat(ran).isEmpty();
        executor.control().resume("a");
        steps.runAll();
        assertThat(ran).containsExactly(List.of("1"));
    }

    @Test
    @DisplayName("a batch that is retried does not wait for more")
    void retryDoesNotLinger() {
        executor = built(StripedExecutor.builder()
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenProceed()));
        batcher = executor.<String, String>batchTo((stripe, items) -> {
                    ran.add(items);
                    if (ran.size() == 1) {
                        throw new IllegalStateException("on purpose");
                    }
                })
                .linger(LINGER)
                .build();
        submit("1");
        steps.runAll();
        after(20);
        after(0);
        assertThat(ran).containsExactly(List.of("1"), List.of("1"));
    }

    @Test
    @DisplayName("without memory for a timer, the batch starts at once")
    void noTimer() {
        List<Throwable> uncaught = new ArrayList<>();
        Thread thread = Thread.currentThread();
        Thread.UncaughtExceptionHandler before = thread.getUncaughtExceptionHandler();
        thread.setUncaughtExceptionHandler((where, failure) -> uncaught.add(failure));
        try {
            timer.breakWith(new OutOfMemoryError("on purpose"));
            submit("1");
            steps.runAll();
            assertThat(ran).containsExactly(List.of("1"));
            timer.breakWith(null);
            submit("2");
            steps.runAll();
            clock.addAndGet(1_000_000);
            submit("3");
            timer.breakWith(new OutOfMemoryError("on purpose"));
            clock.addAndGet(LINGER.toNanos() - 1_000_000);
            timer.fire();
            steps.runAll();
        } finally {
            thread.setUncaughtExceptionHandler(before);
        }
        assertThat(ran).containsExactly(List.of("1"), List.of("2", "3"));
        assertThat(uncaught)
                .hasSize(2)
                .allSatisfy(failure -> assertThat(failure).isInstanceOf(OutOfMemoryError.class));
    }
}
