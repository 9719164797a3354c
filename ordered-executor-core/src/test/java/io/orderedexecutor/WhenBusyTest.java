package io.orderedexecutor;

import static io.orderedexecutor.WhenBusy.interrupt;
import static io.orderedexecutor.WhenBusy.latest;
import static io.orderedexecutor.WhenBusy.queue;
import static io.orderedexecutor.WhenBusy.refuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.HeardWords;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.WhenBusyStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a submission does if its stripe is busy, step by step. */
@Timeout(60)
class WhenBusyTest {
    private final SteppedExecutor steps = new SteppedExecutor();
    private final HandTimer timer = new HandTimer();
    private final List<String> ran = new ArrayList<>();
    private final List<String> heard = new ArrayList<>();
    private final List<Throwable> uncaught = new ArrayList<>();
    private Thread.UncaughtExceptionHandler handlerBefore;
    private StripedExecutor executor = built(StripedExecutor.builder());

    @BeforeEach
    void collectUncaught() {
        handlerBefore = Thread.currentThread().getUncaughtExceptionHandler();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
    }

    @AfterEach
    void giveBackHandler() {
        Thread.currentThread().setUncaughtExceptionHandler(handlerBefore);
    }

    private StripedExecutor built(StripedExecutorBuilder builder) {
        // which stripe is next must not depend on the clock
        builder.name("views")
                .executor(steps)
                .listener(new HeardWords(heard, "started"))
                .platform(timer)
                .turnUntilEmpty();
        return builder.build();
    }

    private record Task(WhenBusyTest test, String name) implements Runnable {
        @Override
        public void run() {
            test.ran.add(name);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private Task task(String name) {
        return new Task(this, name);
    }

    private CompletableFuture<Boolean> submit(String name, WhenBusy whenBusy) {
        return executor.with(whenBusy).submit("a", () -> ran.add(name));
    }

    // slots

    /** A slot that is equal to itself, and cannot be compared with others while the test says so. */
    private static final class Incomparable {
        private final boolean[] fails;

        Incomparable(boolean[] fails) {
            this.fails = fails;
        }

        @Override
        public boolean equals(Object other) {
            if (this != other && fails[0]) {
                throw new ThrownOnPurpose();
            }
            return this == other;
        }

        @Override
        public int hashCode() {
            return 7;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("a submission whose slot cannot be compared with what runs or waits is refused, and needs no room")
    void slotThatCannotBeCompared(boolean interrupts) {
        executor = built(StripedExecutor.builder().capacity(5));
        boolean[] fails = {false};
        CompletableFuture<Boolean> stage = new CompletableFuture<>();
        CompletableFuture<Boolean> running =
                executor.with(interrupt(new Incomparable(fails))).submitAsync("a", () -> stage);
        steps.runAll();
        // behind a task without a slot, only the slot of what runs is looked at
        submit("waiting", interrupts ? queue() : latest(new Incomparable(fails)));
        fails[0] = true;
        for (int i = 0; i < 3; i++) {
            Incomparable slot = new Incomparable(fails);
            assertThatThrownBy(() -> submit("refused", interrupts ? interrupt(slot) : latest(slot)))
                    .isInstanceOf(ThrownOnPurpose.class);
        }
        for (int i = 1; i < 5; i++) {
            submit("queued", queue());
        }
        assertThatThrownBy(() -> submit("too many", queue())).isInstanceOf(RejectedExecutionException.class);
        stage.complete(true);
        steps.runAll();
        assertThat(running).isCompletedWithValue(true);
        assertThat(ran).hasSize(5).doesNotContain("refused", "too many");
        assertThat(executor.inspect().stats().queued()).isZero();
    }

    // latest

    @Test
    @DisplayName("the latest replaces the queued one of its slot, in its place, and cancels its future")
    void latestReplaces() {
        executor.execute("a", task("first"));
        CompletableFuture<Boolean> old = submit("old", latest("view"));
        CompletableFuture<Boolean> middle = submit("middle", latest("view"));
        CompletableFuture<Boolean> last = submit("last", latest("view"));
        assertThat(executor.inspect().stats().queued()).isEqualTo(2);
        assertThat(old).isCancelled();
        assertThat(middle).isCancelled();
        steps.runAll();
        assertThat(ran).containsExactly("first", "last");
        assertThat(last).isCompletedWithValue(true);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 2, 0));
        assertThat(executor.inspect().whenBusyStats()).isEqualTo(new WhenBusyStats(2, 0, 0, 0, 0));
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("with execute, what is replaced is told to the listener, once")
    void latestByExecute() {
        for (String name : List.of("one", "two", "three")) {
            executor.with(latest("view")).execute("a", task(name));
        }
        steps.runAll();
        assertThat(ran).containsExactly("three");
        assertThat(heard)
                .containsExactly(
                        "queued one", "replaced one", "queued two", "replaced two", "queued three", "finished three");
    }

    @Test
    @DisplayName("something in between keeps both, whatever it is; another slot and another stripe, too")
    void inBetween() {
        submit("one", latest("view"));
        executor.execute("a", task("between"));
        submit("two", latest("view"));
        submit("other", latest("other"));
        submit("three", latest("view"));
        CompletableFuture<Boolean> gone = executor.submit("a", () -> ran.add("gone"));
        gone.cancel(false);
        submit("four", latest("view"));
        executor.with(latest("view")).submit("b", () -> ran.add("b"));
        steps.runAll();
        assertThat(ran).containsExactly("one", "between", "two", "other", "three", "four", "b");
        assertThat(executor.inspect().whenBusyStats().replaced()).isZero();
    }

    /** A slot that is compared beside a stream of other submissions: each comparison is out of date when it is over. */
    private final class ComparedSlowly {
        private int comparisons;

        @Override
        public boolean equals(Object other) {
            comparisons++;
            if (comparisons <= 1_000) {
                int submission = comparisons;
                executor.with(latest(new Object())).execute("a", () -> ran.add("other " + submission));
            }
            return false;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    @Test
    @DisplayName("a slot that is compared slowly beside a stream of others is queued after some comparisons")
    void comparedBesideAStream() {
        ComparedSlowly slot = new ComparedSlowly();
        executor.with(latest("first")).execute("a", () -> ran.add("first"));
        executor.with(latest(slot)).execute("a", () -> ran.add("compared"));
        assertThat(slot.comparisons).isBetween(2, 20);
        steps.runAll();
        assertThat(ran)
                .hasSize(slot.comparisons + 2)
                .doesNotHaveDuplicates()
                .startsWith("first")
                .endsWith("compared");
    }

    @Test
    @DisplayName("what has started is never replaced; what is accepted while it runs gets a run after it")
    void startedIsNotReplaced() {
        List<CompletableFuture<Boolean>> during = new ArrayList<>();
        CompletableFuture<Boolean> running = executor.with(latest("view")).submit("a", () -> {
            during.add(submit("dropped", latest("view")));
            during.add(submit("sees it", latest("view")));
            return ran.add("running");
        });
        steps.runAll();
        assertThat(running).isCompletedWithValue(true);
        assertThat(ran).containsExactly("running", "sees it");
        assertThat(during.get(0)).isCancelled();
    }

    @Test
    @DisplayName("what waits for a retry is never replaced")
    void waitingForRetryIsNotReplaced() {
        executor = built(StripedExecutor.builder()
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(2)
                        .delay(Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenProceed()));
        CompletableFuture<Boolean> failing = executor.with(latest("view")).submit("a", () -> {
            if (ran.add("attempt") && ran.size() < 2) {
                throw new IllegalStateException("on purpose");
            }
            return true;
        });
        steps.runAll();
        assertThat(timer.waiting()).isEqualTo(1);
        CompletableFuture<Boolean> next = submit("next", latest("view"));
        assertThat(failing).isNotDone();
        timer.fire();
        steps.runAll();
        assertThat(failing).isCompletedWithValue(true);
        assertThat(next).isCompletedWithValue(true);
        assertThat(ran).containsExactly("attempt", "attempt", "next");
    }

    @Test
    @DisplayName("a replacement needs no room, in the executor and in the stripe; its permit passes over")
    void replacementNeedsNoRoom() {
        executor = built(StripedExecutor.builder().capacity(2).keyCapacity(1));
        submit("one", latest("view"));
        executor.execute("b", task("b"));
        assertThatThrownBy(() -> executor.execute("c", task("c"))).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> submit("other", latest("other"))).isInstanceOf(RejectedExecutionException.class);
        CompletableFuture<Boolean> two = submit("two", latest("view"));
        steps.runAll();
        assertThat(two).isCompletedWithValue(true);
        assertThat(ran).containsExactly("two", "b");
        for (int i = 0; i < 5; i++) {
            submit("again", latest("view"));
        }
        executor.execute("b", task("b"));
        assertThatThrownBy(() -> executor.execute("c", task("c"))).isInstanceOf(RejectedExecutionException.class);
        steps.runAll();
        assertThat(executor.inspect().stats().queued()).isZero();
    }

    @Test
    @DisplayName("a cancelled one leaves its place, and the next is queued as always")
    void cancelledIsNotReplaced() {
        executor.execute("a", task("first"));
        CompletableFuture<Boolean> gone = submit("gone", latest("view"));
        gone.cancel(false);
        submit("next", latest("view"));
        assertThat(executor.inspect().stats().queued()).isEqualTo(2);
        steps.runAll();
        assertThat(ran).containsExactly("first", "next");
        assertThat(executor.inspect().whenBusyStats().replaced()).isZero();
    }

    @Test
    @DisplayName("shutdownNow gives back the replacing task, not the replaced one")
    void shutdownNow() {
        executor.with(latest("view")).execute("a", task("one"));
        Task two = task("two");
        executor.with(latest("view")).execute("a", two);
        assertThat(executor.shutdownNow()).containsExactly(two);
        assertThatThrownBy(() -> submit("late", latest("view"))).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> submit("late", refuse())).isInstanceOf(RejectedExecutionException.class);
        assertThat(executor.isTerminated()).isTrue();
        assertThat(ran).isEmpty();
    }

    @Test
    @DisplayName("what is replaced before a refused hand-over takes nothing with it")
    void refusedHandOver() {
        executor.control().pause();
        SteppedExecutor inner = new SteppedExecutor();
        List<CompletableFuture<Boolean>> later = new ArrayList<>();
        StripedExecutor refusing = StripedExecutor.builder()
                .executor(step -> {
                    if (later.isEmpty()) {
                        later.add(refusing().with(latest("view")).submit("a", () -> ran.add("replacing")));
                        throw new RejectedExecutionException("on purpose");
                    }
                    inner.execute(step);
                })
                .build();
        self = refusing;
        CompletableFuture<Boolean> replaced = refusing.with(latest("view")).submit("a", () -> ran.add("replaced"));
        inner.runAll();
        assertThat(replaced).isCancelled();
        assertThat(later.get(0)).isCompletedWithValue(true);
        assertThat(ran).containsExactly("replacing");
        Patience.terminate(refusing);
    }

    private StripedExecutor self;

    private StripedExecutor refusing() {
        return self;
    }

    @Test
    @DisplayName("a failure of execute goes to the uncaught exception handler, as without a mode")
    void failureOfExecute() {
        List<Throwable> uncaught = new ArrayList<>();
        Thread thread = Thread.currentThread();
        Thread.UncaughtExceptionHandler before = thread.getUncaughtExceptionHandler();
        thread.setUncaughtExceptionHandler((where, failure) -> uncaught.add(failure));
        try {
            executor.with(latest("view")).execute("a", () -> {
                throw new IllegalArgumentException("on purpose");
            });
            steps.runAll();
        } finally {
            thread.setUncaughtExceptionHandler(before);
        }
        assertThat(uncaught).singleElement().isInstanceOf(IllegalArgumentException.class);
        assertThat(executor.inspect().stats().failed()).isEqualTo(1);
    }

    // interrupt

    @Test
    @DisplayName("interrupt interrupts what runs, and starts after it, however long it ignores that")
    void interruptsWhatRuns() {
        executor = StripedExecutor.builder().threads(2).build();
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        List<String> order = new ArrayList<>();
        CompletableFuture<Boolean> old = executor.with(latest("search")).submit("a", () -> {
            started.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException expected) {
                interrupted.countDown();
            }
            Patience.await(mayEnd);
            return order.add("old");
        });
        Patience.await(started);
        CompletableFuture<Boolean> waiting = executor.with(latest("search")).submit("a", () -> order.add("waiting"));
        CompletableFuture<Boolean> next = executor.with(interrupt("search")).submit("a", () -> order.add("next"));
        assertThat(old).isCancelled();
        assertThat(waiting).isCancelled();
        Patience.await(interrupted);
        assertThat(next).isNotDone();
        mayEnd.countDown();
        assertThat(Patience.get(next)).isTrue();
        assertThat(order).containsExactly("old", "next");
        assertThat(executor.inspect().whenBusyStats()).isEqualTo(new WhenBusyStats(1, 1, 0, 0, 0));
        Patience.terminate(executor);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 2, 0));
    }

    @Test
    @DisplayName("interrupt concerns its own slot only, whatever is queued in between")
    void interruptConcernsItsSlot() {
        List<CompletableFuture<Boolean>> during = new ArrayList<>();
        List<Boolean> interrupted = new ArrayList<>();
        CompletableFuture<Boolean> running = executor.with(latest("mine")).submit("a", () -> {
            executor.execute("a", task("between"));
            during.add(submit("other", interrupt("other")));
            interrupted.add(Thread.interrupted());
            during.add(submit("mine", interrupt("mine")));
            interrupted.add(Thread.interrupted());
            return true;
        });
        steps.runAll();
        assertThat(interrupted).containsExactly(false, true);
        assertThat(running).isCancelled();
        assertThat(ran).containsExactly("between", "other", "mine");
        assertThat(during).allSatisfy(future -> assertThat(future).isCompletedWithValue(true));
        assertThat(heard).filteredOn(event -> event.startsWith("interrupted")).hasSize(1);
        assertThat(executor.inspect().whenBusyStats()).isEqualTo(new WhenBusyStats(0, 1, 0, 0, 0));
    }

    @Test
    @DisplayName("a running task is interrupted once, and not for a later task if its caller has cancelled it")
    void interruptedOnce() {
        List<Boolean> interrupted = new ArrayList<>();
        executor.with(latest("search")).execute("b", task("of another key"));
        executor.with(latest("search")).submit("a", () -> {
            for (int i = 0; i < 3; i++) {
                submit("search " + i, interrupt("search"));
                interrupted.add(Thread.interrupted());
            }
            return true;
        });
        steps.runAll();
        assertThat(interrupted).containsExactly(true, false, false);
        assertThat(ran).containsExactlyInAnyOrder("of another key", "search 2");
        assertThat(executor.inspect().whenBusyStats().interrupted()).isEqualTo(1);
        assertThat(heard).filteredOn(event -> event.startsWith("interrupted")).hasSize(1);
    }

    @Test
    void aTaskThatItsCallerHasCancelledIsNotInterrupted() {
        List<CompletableFuture<Boolean>> running = new ArrayList<>();
        List<Boolean> interrupted = new ArrayList<>();
        running.add(executor.with(latest("search")).submit("a", () -> {
            running.get(0).cancel(false);
            submit("next", interrupt("search"));
            interrupted.add(Thread.interrupted());
            return true;
        }));
        steps.runAll();
        assertThat(interrupted).containsExactly(false);
        assertThat(ran).containsExactly("next");
        assertThat(executor.inspect().whenBusyStats().interrupted()).isZero();
    }

    @Test
    @DisplayName(
            "an asynchronous task that is interrupted before it returns its stage is cancelled, whatever it throws")
    void interruptMeetsASupplier() {
        CompletableFuture<Boolean> running = executor.with(interrupt("answer")).submitAsync("a", () -> {
            submit("next", interrupt("answer"));
            throw new IllegalStateException("on purpose");
        });
        steps.runAll();
        assertThat(running).isCancelled();
        assertThat(ran).containsExactly("next");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 1, 0));
        assertThat(heard).noneMatch(event -> event.startsWith("failed"));
    }

    @Test
    @DisplayName("the supplier of an asynchronous task that is interrupted before it is called is never called")
    void interruptMeetsATaskWhoseSupplierWasNotCalled() {
        executor = built(StripedExecutor.builder()
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(4)
                        .delay(Duration.ofSeconds(1))
                        .thenPark())
                .listener(new TaskListener() {
                    @Override
                    public void started(Object key, Object task, long nanosQueued) {
                        if (executor.inspect().whenBusyStats().interrupted() == 0) {
                            submit("next", interrupt("answer"));
                        }
                    }
                }));
        CompletableFuture<Boolean> running = executor.with(interrupt("answer")).submitAsync("a", () -> {
            ran.add("called");
            return new CompletableFuture<>();
        });
        steps.runAll();
        assertThat(ran).containsExactly("next");
        assertThat(running).isCancelled();
        assertThat(timer.waiting()).isZero();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 1, 0));
        assertThat(heard)
                .noneMatch(event -> event.startsWith("failed"))
                .anyMatch(event -> event.startsWith("interrupted"))
                .anyMatch(event -> event.startsWith("cancelled"));
    }

    @Test
    @DisplayName("interrupt cancels the stage of what runs, and waits for it; it is not retried")
    void interruptCancelsTheStage() {
        executor = built(StripedExecutor.builder()
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(4)
                        .delay(Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenPark()));
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> old = executor.with(latest("answer")).submitAsync("a", () -> stage);
        steps.runAll();
        CompletableFuture<Boolean> next = submit("next", interrupt("answer"));
        assertThat(stage).isCancelled();
        steps.runAll();
        assertThat(old).isCancelled();
        assertThat(next).isCompletedWithValue(true);
        assertThat(timer.pauses()).isEmpty();
    }

    @Test
    @DisplayName("a stage that cannot be cancelled is waited for")
    void interruptWaitsForAStageThatCannotBeCancelled() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> old = executor.with(latest("answer")).submitAsync("a", stage::minimalCompletionStage);
        steps.runAll();
        CompletableFuture<Boolean> next = submit("next", interrupt("answer"));
        steps.runAll();
        assertThat(next).isNotDone();
        assertThat(old).isNotDone();
        stage.complete("at last");
        steps.runAll();
        assertThat(old).isCompletedWithValue("at last");
        assertThat(ran).containsExactly("next");
    }

    /** A stage of an application that does not like to be cancelled. */
    private static final class Uncancellable extends CompletableFuture<Boolean> {
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            throw new ThrownOnPurpose();
        }
    }

    @Test
    @DisplayName("what a stage throws that is to be cancelled concerns no submission, and the stage is waited for")
    void interruptMeetsAStageThatThrows() {
        Uncancellable stage = new Uncancellable();
        CompletableFuture<Boolean> old = executor.with(latest("answer")).submitAsync("a", () -> stage);
        steps.runAll();
        CompletableFuture<Boolean> next = submit("next", interrupt("answer"));
        assertThat(uncaught).hasSize(1).first().isInstanceOf(ThrownOnPurpose.class);
        assertThat(executor.inspect().stats().rejected()).isZero();
        steps.runAll();
        assertThat(next).isNotDone();
        stage.complete(true);
        steps.runAll();
        assertThat(old).isCompletedWithValue(true);
        assertThat(next).isCompletedWithValue(true);
        assertThat(executor.inspect().whenBusyStats()).isEqualTo(new WhenBusyStats(0, 1, 0, 0, 0));
    }

    @Test
    @DisplayName("interrupt ends a retry delay, and asks nothing of the stage of the attempt that has failed")
    void interruptEndsARetryDelayOfAStageThatThrows() {
        executor = built(StripedExecutor.builder()
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(4)
                        .delay(Duration.ofHours(1))
                        .multiplier(2)
                        .thenPark()));
        Uncancellable stage = new Uncancellable();
        CompletableFuture<Boolean> failing = executor.with(latest("answer")).submitAsync("a", () -> stage);
        steps.runAll();
        stage.completeExceptionally(new IllegalStateException("on purpose"));
        steps.runAll();
        assertThat(timer.waiting()).isEqualTo(1);
        CompletableFuture<Boolean> next = submit("next", interrupt("answer"));
        steps.runAll();
        assertThat(failing).isCancelled();
        assertThat(next).isCompletedWithValue(true);
        assertThat(uncaught).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("interrupt ends a retry delay, and there is no further attempt")
    void interruptEndsARetryDelay(boolean asynchronous) {
        executor = built(StripedExecutor.builder()
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(4)
                        .delay(Duration.ofHours(1))
                        .multiplier(2)
                        .thenPark()));
        CompletableFuture<Boolean> failing = asynchronous
                ? executor.with(latest("answer")).submitAsync("a", () -> {
                    ran.add("attempt");
                    return CompletableFuture.failedFuture(new IllegalStateException("on purpose"));
                })
                : executor.with(latest("answer")).submit("a", () -> {
                    ran.add("attempt");
                    throw new IllegalStateException("on purpose");
                });
        steps.runAll();
        assertThat(timer.waiting()).isEqualTo(1);
        CompletableFuture<Boolean> next = submit("next", interrupt("answer"));
        steps.runAll();
        assertThat(failing).isCancelled();
        assertThat(next).isCompletedWithValue(true);
        assertThat(ran).containsExactly("attempt", "next");
        timer.fire();
        assertThat(steps.waiting()).isZero();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 1, 0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("interrupt ends a task whose failure is being decided, and there is no further attempt")
    void interruptMeetsADecision(boolean asynchronous) {
        List<CompletableFuture<Boolean>> next = new ArrayList<>();
        executor = built(StripedExecutor.builder()
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(4)
                        .delay(Duration.ofHours(1))
                        .multiplier(2)
                        .predicate(failure -> next.add(submit("next", interrupt("answer"))))
                        .thenPark()));
        CompletableFuture<Boolean> failing = asynchronous
                ? executor.with(latest("answer")).submitAsync("a", () -> {
                    ran.add("attempt");
                    return CompletableFuture.failedFuture(new IllegalStateException("on purpose"));
                })
                : executor.with(latest("answer")).submit("a", () -> {
                    ran.add("attempt");
                    throw new IllegalStateException("on purpose");
                });
        steps.runAll();
        assertThat(failing).isCancelled();
        assertThat(next).singleElement().satisfies(after -> assertThat(after).isCompletedWithValue(true));
        assertThat(ran).containsExactly("attempt", "next");
        assertThat(timer.waiting()).isZero();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 1, 0));
        assertThat(executor.inspect().whenBusyStats().interrupted()).isEqualTo(1);
        assertThat(uncaught).isEmpty();
    }

    @Test
    @DisplayName("a parked task waits for a decision, and is not interrupted")
    void interruptLeavesAParkedTask() {
        executor = built(StripedExecutor.builder().failurePolicy(FailurePolicy.park()));
        CompletableFuture<Boolean> parked = executor.with(latest("answer")).submit("a", () -> {
            throw new IllegalStateException("on purpose");
        });
        steps.runAll();
        submit("next", interrupt("answer"));
        assertThat(parked).isNotDone();
        assertThat(executor.inspect().parkedTasks()).hasSize(1);
        assertThat(executor.control().skip("a")).isTrue();
        steps.runAll();
        assertThat(ran).containsExactly("next");
    }

    @Test
    @DisplayName("a rejected submission interrupts nobody")
    void rejectedInterruptsNobody() {
        executor = built(StripedExecutor.builder().keyCapacity(1));
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> running = executor.with(latest("answer")).submitAsync("a", () -> stage);
        steps.runAll();
        executor.execute("a", task("behind"));
        assertThatThrownBy(() -> submit("next", interrupt("answer"))).isInstanceOf(RejectedExecutionException.class);
        assertThat(running).isNotDone();
        stage.complete("answer");
        steps.runAll();
        assertThat(running).isCompletedWithValue("answer");
        assertThat(ran).containsExactly("behind");
    }

    @Test
    @DisplayName("a submission that interrupts never cancels a later one")
    void interruptSparesLaterOnes() {
        executor.execute("a", task("first"));
        CompletableFuture<Boolean> replaced = submit("replaced", latest("answer"));
        CompletableFuture<String> stage = new CompletableFuture<>();
        List<CompletableFuture<String>> later = new ArrayList<>();
        replaced.whenComplete((result, cancellation) -> {
            later.add(executor.with(interrupt("answer")).submitAsync("a", () -> stage));
            steps.runAll();
        });
        // its own submission is not over when the later one has taken its place and runs
        CompletableFuture<Boolean> middle = submit("middle", interrupt("answer"));
        assertThat(middle).isCancelled();
        assertThat(stage).isNotDone();
        stage.complete("answer");
        assertThat(later).singleElement().satisfies(last -> assertThat(last).isCompletedWithValue("answer"));
        assertThat(ran).containsExactly("first");
    }

    // refuse

    private void assertRefused() {
        CompletableFuture<Boolean> refused = submit("refused", refuse());
        assertThat(refused).isCancelled();
        assertThatThrownBy(refused::join)
                .isInstanceOf(TaskRefusedException.class)
                .isInstanceOf(CancellationException.class)
                .hasMessage("this task was not accepted: key a of striped executor 'views' is busy, and the task was "
                        + "submitted with WhenBusy.refuse()");
        long queued = executor.inspect().stats().queued();
        executor.with(refuse()).execute("a", task("refused"));
        assertThat(executor.inspect().stats().queued()).isEqualTo(queued);
    }

    @Test
    @DisplayName("refuse accepts nothing while a task is queued, active, in a retry delay or parked")
    void refusesWhileBusy() {
        executor = built(StripedExecutor.builder()
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenPark()));
        CompletableFuture<Boolean> stage = new CompletableFuture<>();
        executor.submitAsync("a", () -> stage);
        assertRefused();
        steps.runAll();
        assertRefused();
        stage.completeExceptionally(new IllegalStateException("on purpose"));
        assertThat(timer.waiting()).isEqualTo(1);
        assertRefused();
        timer.fire();
        steps.runAll();
        assertThat(executor.inspect().parkedTasks()).hasSize(1);
        assertRefused();
        executor.control().skip("a");
        steps.runAll();
        assertThat(submit("accepted", refuse())).isNotDone();
        steps.runAll();
        assertThat(ran).containsExactly("accepted");
        assertThat(executor.inspect().whenBusyStats()).isEqualTo(new WhenBusyStats(0, 0, 8, 0, 0));
        assertThat(heard).filteredOn(event -> event.startsWith("refused")).hasSize(8);
        assertThat(heard).filteredOn(event -> event.startsWith("rejected")).isEmpty();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 1, 0, 0));
    }

    @ParameterizedTest(name = "asynchronous: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("refuse accepts nothing while a failure is judged, and told as a retry or as parked")
    void refusesWhileARetryIsTold(boolean asynchronous) {
        List<String> asked = new ArrayList<>();
        Consumer<String> ask =
                event -> asked.add(event + (submit("accepted", refuse()).isCancelled() ? ": refused" : ": accepted"));
        executor = StripedExecutor.builder()
                .executor(steps)
                .platform(timer)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(1))
                        .predicate(failure -> {
                            ask.accept("judged");
                            return true;
                        })
                        .thenPark())
                .listener(new TaskListener() {
                    @Override
                    public void retried(Object key, Object task, int failures, Duration pause, Throwable failure) {
                        ask.accept("retried");
                    }

                    @Override
                    public void parked(Object key, Object task, Throwable failure) {
                        ask.accept("parked");
                    }

                    @Override
                    public void failed(Object key, Object task, long nanosRun, Throwable failure) {
                        ask.accept("failed");
                    }
                })
                .build();
        CompletableFuture<Boolean> stage = new CompletableFuture<>();
        if (asynchronous) {
            executor.submitAsync("a", () -> stage);
        } else {
            executor.execute("a", () -> {
                throw new ThrownOnPurpose();
            });
        }
        steps.runAll();
        stage.completeExceptionally(new ThrownOnPurpose());
        timer.fire();
        steps.runAll();
        executor.control().skip("a");
        steps.runAll();
        assertThat(asked)
                .containsExactly(
                        "judged: refused",
                        "retried: refused",
                        "judged: refused",
                        "parked: refused",
                        "failed: accepted");
        assertThat(ran).containsExactly("accepted");
    }

    @Test
    @DisplayName("refuse accepts nothing while a task runs that was executed")
    void refusesWhileATaskRuns() {
        executor.execute("a", this::assertRefused);
        steps.runAll();
        assertThat(executor.inspect().whenBusyStats().refused()).isEqualTo(2);
    }

    @Test
    @DisplayName("a reserved place keeps its stripe busy until it is given back, and is not replaced")
    void refusesWhileReserved() {
        Reservation place = executor.reserve("a");
        assertRefused();
        steps.runAll();
        assertRefused();
        submit("behind", latest("view"));
        assertThat(place.isOpen()).isTrue();
        place.close();
        steps.runAll();
        submit("accepted", refuse());
        steps.runAll();
        assertThat(ran).containsExactly("behind", "accepted");
    }

    @Test
    @DisplayName("refuse accepts nothing while the stripe or the executor is paused")
    void refusesWhilePaused() {
        executor.control().pause("a");
        assertRefused();
        executor.control().resume("a");
        steps.runAll();
        executor.control().pause();
        assertRefused();
        executor.control().resume();
        submit("accepted", refuse());
        steps.runAll();
        assertThat(ran).containsExactly("accepted");
    }

    @Test
    @DisplayName("refuse accepts nothing while a stripe is paused whose last task has ended")
    void refusesWhilePausedAfterTheLastTask() {
        executor.execute("a", () -> executor.control().pause("a"));
        steps.runAll();
        assertThat(executor.inspect().stats().completed()).isEqualTo(1);
        assertRefused();
        executor.control().resume("a");
        submit("accepted", refuse());
        steps.runAll();
        assertThat(ran).containsExactly("accepted");
    }

    @Test
    @DisplayName("a stripe is not busy with a task whose future is done, nor with a cancelled one")
    void notBusyWithWhatIsDone() {
        CompletableFuture<Boolean> first = executor.submit("a", () -> ran.add("first"));
        List<CompletableFuture<Boolean>> accepted = new ArrayList<>();
        // a dependent action runs while the stripe is still held
        first.thenRun(() -> accepted.add(submit("second", refuse())));
        first.thenRun(() -> accepted.add(submit("refused", refuse())));
        CompletableFuture<Boolean> cancelled = executor.submit("b", () -> ran.add("cancelled"));
        cancelled.cancel(false);
        CompletableFuture<Boolean> b = executor.with(refuse()).submit("b", () -> ran.add("b"));
        steps.runAll();
        assertThat(b).isCompletedWithValue(true);
        assertThat(accepted).hasSize(2);
        assertThat(accepted).filteredOn(CompletableFuture::isCancelled).hasSize(1);
        assertThat(ran).hasSize(3).startsWith("first");
    }

    @Test
    @DisplayName("a stripe is not busy with a task of several stripes, or of all, whose future is done")
    void notBusyWithWhatIsDoneInSeveralStripes() {
        GroupedExecutor groups = GroupedExecutor.builder().executor(steps).build();
        executor = groups.stripes();
        List<CompletableFuture<Boolean>> accepted = new ArrayList<>();
        for (Groups of : List.of(Groups.all(), Groups.allShared(), Groups.exclusive("a", "b"), Groups.shared("a"))) {
            groups.submit(of, () -> ran.add("wide")).thenRun(() -> accepted.add(submit("accepted", refuse())));
            // it waits, so it is never skipped
            groups.submit(of, () -> ran.add("wide")).thenRun(() -> accepted.add(submit("refused", refuse())));
            steps.runAll();
        }
        assertThat(ran).hasSize(12);
        assertThat(accepted)
                .hasSize(8)
                .filteredOn(CompletableFuture::isCancelled)
                .hasSize(4);
    }

    /** Ways in which a task waits or is held. */
    enum Held {
        QUEUED_FIRST,
        RETRIED,
        PARKED,
        ASYNC,
        IN_A_BATCH,
        BEHIND_ANOTHER
    }

    @ParameterizedTest
    @EnumSource(Held.class)
    @DisplayName("a stripe is not busy with a task whose future the application has completed before its end")
    void notBusyWithWhatTheApplicationHasCompleted(Held held) {
        FailurePolicy policy = held == Held.PARKED
                ? FailurePolicy.park()
                : FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(1))
                        .thenProceed();
        executor = built(StripedExecutor.builder().failurePolicy(policy));
        CompletableFuture<Boolean> before = held == Held.BEHIND_ANOTHER
                ? executor.submit("a", () -> ran.add("another"))
                : CompletableFuture.completedFuture(true);
        CompletableFuture<?> task = switch (held) {
            case QUEUED_FIRST, BEHIND_ANOTHER -> executor.submit("a", () -> ran.add("task"));
            case RETRIED, PARKED ->
                executor.submit("a", () -> {
                    throw new ThrownOnPurpose();
                });
            case ASYNC -> executor.submitAsync("a", CompletableFuture<Boolean>::new);
            case IN_A_BATCH ->
                executor.<String, String>batchTo((stripe, items) -> ran.addAll(items))
                        .build()
                        .submit("a", "item");
        };
        if (held == Held.RETRIED || held == Held.PARKED || held == Held.ASYNC) {
            steps.runAll();
        }
        assertThat(submit("refused", refuse())).isCancelled();
        List<CompletableFuture<Boolean>> submitted = new ArrayList<>();
        task.whenComplete((result, failure) -> submitted.add(submit("accepted", refuse())));
        if (held == Held.BEHIND_ANOTHER) {
            before.whenComplete((result, failure) -> task.cancel(false));
            steps.runAll();
        } else {
            task.cancel(false);
        }
        steps.runAll();
        assertThat(submitted).hasSize(1).allMatch(future -> future.isDone() && !future.isCompletedExceptionally());
        assertThat(ran).isEqualTo(held == Held.BEHIND_ANOTHER ? List.of("another", "accepted") : List.of("accepted"));
        assertThat(executor.inspect().stats().queued()).isZero();
    }

    @Test
    @DisplayName("a stripe is busy with a task that runs on although the application has completed its future")
    void busyWithWhatRunsOn() {
        List<CompletableFuture<Boolean>> tasks = new ArrayList<>();
        tasks.add(executor.submit("a", () -> {
            tasks.get(0).cancel(false);
            assertRefused();
            return ran.add("task");
        }));
        steps.runAll();
        assertThat(tasks.get(0)).isCancelled();
        assertThat(ran).containsExactly("task");
        submit("accepted", refuse());
        steps.runAll();
        assertThat(ran).containsExactly("task", "accepted");
    }

    @Test
    @DisplayName("who has waited for the future of the task finds its stripe not busy, time and again")
    void neverSkippedAfterTheEnd() {
        executor = StripedExecutor.builder().threads(2).build();
        for (int i = 0; i < 20_000; i++) {
            assertThat(Patience.get(executor.with(refuse()).submit("a", () -> true)))
                    .isTrue();
            CompletableFuture<Boolean> stage =
                    executor.with(refuse()).submitAsync("a", () -> CompletableFuture.completedFuture(true));
            assertThat(Patience.get(stage)).isTrue();
        }
        assertThat(executor.inspect().whenBusyStats().refused()).isZero();
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("a refused submission leaves its permit; one that finds no room is rejected, not refused")
    void skipAndRoom() {
        executor = built(StripedExecutor.builder().capacity(2));
        executor.execute("a", task("one"));
        for (int i = 0; i < 5; i++) {
            assertThat(submit("refused", refuse())).isCancelled();
        }
        executor.execute("b", task("two"));
        assertThatThrownBy(() -> executor.with(refuse()).submit("c", () -> true))
                .isInstanceOf(RejectedExecutionException.class);
        steps.runAll();
        assertThat(ran).containsExactly("one", "two");
    }

    // all of them

    @Test
    @DisplayName("queue is what a submission without a mode does")
    void queueQueues() {
        submit("one", queue());
        executor.with(queue()).execute("a", task("two"));
        executor.with(queue()).submitAsync("a", () -> CompletableFuture.completedFuture(ran.add("three")));
        steps.runAll();
        assertThat(ran).containsExactly("one", "two", "three");
    }

    @Test
    @DisplayName("an executor for one stripe has a mode of its own")
    void executorForOneStripe() {
        Executor latest = executor.with(latest("view")).executorFor("a");
        Executor skipping = executor.with(refuse()).executorFor("a");
        latest.execute(task("one"));
        latest.execute(task("two"));
        skipping.execute(task("refused"));
        steps.runAll();
        skipping.execute(task("three"));
        steps.runAll();
        assertThat(ran).containsExactly("two", "three");
    }

    @Test
    void modesSayWhatTheyAre() {
        assertThat(queue()).hasToString("queue");
        assertThat(refuse()).hasToString("refuse");
        assertThat(latest("view")).hasToString("latest(view)").isEqualTo(latest("view"));
        assertThat(interrupt("view")).hasToString("interrupt(view)").isNotEqualTo(latest("view"));
    }

    @Test
    @SuppressWarnings("NullAway") // on purpose
    void nullIsRefusedByName() {
        assertThatNullPointerException().isThrownBy(() -> latest(null)).withMessage("slot");
        assertThatNullPointerException().isThrownBy(() -> interrupt(null)).withMessage("slot");
        assertThatNullPointerException()
                .isThrownBy(() -> executor.with((WhenBusy) null).execute("a", task("x")))
                .withMessage("whenBusy");
        assertThatNullPointerException()
                .isThrownBy(() -> executor.with(refuse()).execute(null, task("x")))
                .withMessage("stripe");
        assertThatNullPointerException()
                .isThrownBy(() -> executor.with(refuse()).execute("a", null))
                .withMessage("task");
        assertThatNullPointerException()
                .isThrownBy(() -> executor.with((WhenBusy) null).executorFor("a"))
                .withMessage("whenBusy");
    }
}
