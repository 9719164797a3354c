package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.engine.task.Wait;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.Striped;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R10: a task that would wait for itself is told so. */
class SelfWaitTest {
    private final AtomicInteger ran = new AtomicInteger();

    /** A task with a name, which counts its runs. */
    private <T> Callable<T> named(String name, Callable<T> body) {
        return new Callable<>() {
            @Override
            public T call() throws Exception {
                ran.incrementAndGet();
                return body.call();
            }

            @Override
            public String toString() {
                return name;
            }
        };
    }

    @Test
    @DisplayName("get and join of a future behind the task itself throw, and both tasks run")
    void waitsForATaskBehindItself() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor =
                StripedExecutor.builder().name("orders").executor(stepped).build();
        Future<String> first = executor.submit("alice", named("first", () -> {
            CompletableFuture<String> behind = executor.submit("alice", named("second", () -> "done"));
            assertThatThrownBy(behind::get)
                    .isInstanceOf(SelfWaitException.class)
                    .hasMessageContaining("waits for task second of key alice of striped executor 'orders'")
                    .hasMessageContaining(Thread.currentThread().getName())
                    .hasMessageContaining("thenApply")
                    .message()
                    .as("threads that have no name are told apart, too")
                    .containsPattern(": thread \\S.* waits for .*, which is served by thread [^.].*\\. Do not");
            assertThatThrownBy(behind::join).isInstanceOf(SelfWaitException.class);
            assertThatThrownBy(() -> behind.get(1, TimeUnit.DAYS)).isInstanceOf(SelfWaitException.class);
            return "told";
        }));
        stepped.runAll();
        assertThat(Patience.get(first)).isEqualTo("told");
        assertThat(ran).hasValue(2);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 0, 0));
    }

    @Test
    @DisplayName("a stage that is the future of a task behind the task itself fails it, and both tasks run")
    void returnsTheFutureOfATaskBehindItself() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor =
                StripedExecutor.builder().name("orders").executor(stepped).build();
        List<CompletableFuture<String>> inner = new ArrayList<>();
        CompletableFuture<String> outer = executor.submitAsync("alice", () -> {
            ran.incrementAndGet();
            executor.execute("alice", ran::incrementAndGet);
            inner.add(executor.submit("alice", named("second", () -> "done")));
            return inner.get(0);
        });
        CompletableFuture<String> ofAnother = executor.submitAsync("bob", () -> {
            ran.incrementAndGet();
            return executor.submit("carol", named("of another stripe", () -> "done"));
        });
        stepped.runAll();
        assertThatThrownBy(outer::get)
                .cause()
                .isInstanceOf(SelfWaitException.class)
                .hasMessageContaining("the future of task second of key alice of striped executor 'orders'");
        assertThat(Patience.get(inner.get(0))).isEqualTo("done");
        assertThat(Patience.get(ofAnother)).isEqualTo("done");
        assertThat(ran).hasValue(5);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 4, 1, 0, 0));
    }

    @Test
    void futuresOfItsOwnStripeThatAreDoneOrTakenBackAreReturnedAsTheyAre() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        CompletableFuture<String> before = executor.submit("a", named("before", () -> "before"));
        CompletableFuture<String> done = executor.submitAsync("a", () -> before);
        CompletableFuture<String> takenBack = executor.submitAsync("a", () -> {
            CompletableFuture<String> behind = executor.submit("a", named("behind", () -> "behind"));
            behind.complete("taken back");
            return behind;
        });
        List<CompletableFuture<String>> own = new ArrayList<>();
        own.add(executor.submitAsync("a", () -> own.get(0)));
        stepped.runAll();
        assertThat(Patience.get(done)).isEqualTo("before");
        assertThat(Patience.get(takenBack)).isEqualTo("taken back");
        assertThatThrownBy(own.get(0)::join).hasRootCauseInstanceOf(SelfWaitException.class);
        assertThat(ran).hasValue(1);
        assertThat(executor.inspect().stats().active()).isZero();
        assertThat(executor.inspect().stats().queued()).isZero();
    }

    @Test
    void aTaskThatWaitsForItsOwnFutureIsTold() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        List<CompletableFuture<String>> own = new ArrayList<>();
        own.add(executor.submit("a", named("own", () -> own.get(0).get())));
        stepped.runAll();
        assertThatThrownBy(own.get(0)::join).hasRootCauseInstanceOf(SelfWaitException.class);
        assertThat(ran).hasValue(1);
    }

    @Test
    @DisplayName("the same through the view as an ExecutorService, where invokeAll waits")
    void invokeAllOfTasksBehindItself() {
        try (StripedExecutor executor = SameKind.atLeast(2).build()) {
            ExecutorService service = executor.asExecutorService();
            Future<Object> task = service.submit(Striped.call("a", () -> {
                ran.incrementAndGet();
                assertThatThrownBy(() -> service.invokeAll(List.of(Striped.call("a", () -> 1))))
                        .isInstanceOf(SelfWaitException.class);
                return "told";
            }));
            assertThat(Patience.get(task)).isEqualTo("told");
        }
        assertThat(ran).hasValue(1);
    }

    @Test
    @DisplayName("a cycle through another stripe, whose running task waits in turn, is broken at once; all tasks run")
    void aCycleThroughAnotherStripe() {
        try (StripedExecutor executor = SameKind.atLeast(2).build()) {
            assertCycleOfTwoIsBroken(executor);
        }
    }

    @Test
    void aCycleThroughTwoExecutors() {
        try (StripedExecutor one = SameKind.atLeast(1).build();
                StripedExecutor two = SameKind.atLeast(1).build()) {
            assertCycleIsBroken(List.of(one, two));
        }
    }

    private void assertCycleOfTwoIsBroken(StripedExecutor executor) {
        assertCycleIsBroken(List.of(executor, executor));
    }

    /** The task that runs on each stripe waits for one that is queued behind the other. */
    private void assertCycleIsBroken(List<StripedExecutor> executors) {
        AtomicReferenceArray<CompletableFuture<String>> behind = new AtomicReferenceArray<>(2);
        CountDownLatch bothRun = new CountDownLatch(2);
        CountDownLatch bothQueued = new CountDownLatch(1);
        AtomicInteger told = new AtomicInteger();
        List<Future<String>> waiting = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int other = 1 - i;
            waiting.add(executors.get(i).submit("stripe" + i, named("waiting", () -> {
                bothRun.countDown();
                Patience.await(bothQueued);
                try {
                    return behind.get(other).get();
                } catch (SelfWaitException e) {
                    assertThat(e)
                            .hasMessageContaining("behind0 of key stripe0")
                            .hasMessageContaining("behind1 of key stripe1");
                    told.incrementAndGet();
                    return "told";
                }
            })));
        }
        Patience.await(bothRun);
        for (int i = 0; i < 2; i++) {
            behind.set(i, executors.get(i).submit("stripe" + i, named("behind" + i, () -> "done")));
        }
        bothQueued.countDown();
        waiting.forEach(Patience::get);
        Patience.get(behind.get(0));
        Patience.get(behind.get(1));
        assertThat(told.get()).isBetween(1, 2);
        assertThat(ran).hasValue(4);
    }

    @Test
    void waitingForAnotherStripeIsNoCycle() {
        try (StripedExecutor executor = SameKind.atLeast(2).build()) {
            Future<Integer> outer = executor.submit(
                    "a",
                    named(
                            "outer",
                            () -> executor.submit("b", named("inner", () -> 42)).get()));
            assertThat(Patience.get(outer)).isEqualTo(42);
        }
        assertThat(ran).hasValue(2);
    }

    @Test
    void aWaitWithALimitEndsByItselfAndIsNoPartOfACycle() {
        try (StripedExecutor executor = SameKind.atLeast(2).build()) {
            CountDownLatch bothRun = new CountDownLatch(2);
            CountDownLatch bothQueued = new CountDownLatch(1);
            CountDownLatch limitedWaits = new CountDownLatch(1);
            CountDownLatch otherHasLooked = new CountDownLatch(1);
            AtomicReferenceArray<CompletableFuture<String>> behind = new AtomicReferenceArray<>(2);
            Future<?> limited = executor.submit("a", named("limited", () -> {
                bothRun.countDown();
                Patience.await(bothQueued);
                Wait wait = Wait.begin((TaskFuture<?>) behind.get(1), true);
                limitedWaits.countDown();
                Patience.await(otherHasLooked);
                Wait.end(wait);
                return null;
            }));
            Future<?> unlimited = executor.submit("b", named("unlimited", () -> {
                bothRun.countDown();
                Patience.await(limitedWaits);
                Wait wait = Wait.begin((TaskFuture<?>) behind.get(0), false);
                Wait.end(wait);
                otherHasLooked.countDown();
                return null;
            }));
            Patience.await(bothRun);
            behind.set(0, executor.submit("a", named("behind a", () -> "")));
            behind.set(1, executor.submit("b", named("behind b", () -> "")));
            bothQueued.countDown();
            Patience.get(limited);
            Patience.get(unlimited);
        }
        assertThat(ran).hasValue(4);
    }

    @Test
    void aFutureThatIsDoneCanAlwaysBeAsked() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        CompletableFuture<String> first = executor.submit("a", named("first", () -> "value"));
        CompletableFuture<String> second = executor.submit("a", named("second", first::get));
        stepped.runAll();
        assertThat(second).isCompletedWithValue("value");
        assertThat(ran).hasValue(2);
    }

    @Test
    @DisplayName("R10 under stress: waits that run in one direction are never taken for a cycle")
    void noCycleIsReportedWhereThereIsNone() {
        int stripes = 4;
        int rounds = 5_000;
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        AtomicInteger told = new AtomicInteger();
        try (StripedExecutor executor = SameKind.atLeast(stripes).build()) {
            List<Future<Integer>> last = new ArrayList<>();
            for (int i = 0; i < stripes; i++) {
                last.add(CompletableFuture.completedFuture(0));
            }
            for (int round = 0; round < rounds; round++) {
                int stripe = random.nextInt(stripes);
                // a task waits for stripes below its own only, so there is always one that waits for none
                Future<Integer> awaited = last.get(random.nextInt(stripe + 1));
                boolean own = awaited == last.get(stripe);
                last.set(stripe, executor.submit(stripe, () -> {
                    ran.incrementAndGet();
                    try {
                        return own ? 0 : awaited.get();
                    } catch (SelfWaitException e) {
                        told.incrementAndGet();
                        throw e;
                    }
                }));
            }
            last.forEach(Patience::get);
        }
        assertThat(told).as("seed %d", seed).hasValue(0);
        assertThat(ran).as("seed %d", seed).hasValue(rounds);
    }

    @Test
    @DisplayName("R10 under stress: whatever waits for whom, nothing hangs and every task runs once")
    void everyCycleIsBroken() {
        int stripes = 4;
        int rounds = 5_000;
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        AtomicInteger told = new AtomicInteger();
        try (StripedExecutor executor = SameKind.atLeast(stripes).build()) {
            AtomicReferenceArray<CompletableFuture<Integer>> last = new AtomicReferenceArray<>(stripes);
            List<Future<Integer>> all = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                int stripe = random.nextInt(stripes);
                int awaited = random.nextInt(stripes);
                CompletableFuture<Integer> future = executor.submit(stripe, () -> {
                    ran.incrementAndGet();
                    CompletableFuture<Integer> other = last.get(awaited);
                    if (other != null) {
                        try {
                            other.join();
                        } catch (SelfWaitException e) {
                            told.incrementAndGet();
                        }
                    }
                    return 0;
                });
                last.set(stripe, future);
                all.add(future);
            }
            all.forEach(Patience::get);
        }
        assertThat(ran).as("seed %d", seed).hasValue(rounds);
        assertThat(told.get()).as("the load has cycles, seed %d", seed).isPositive();
    }
}
