package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.HeardTasks.Event;
import io.orderedexecutor.fixtures.HeardTasks.Kind;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.RefusingExecutor;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a {@link TaskListener} hears, when, on which thread, and that it can do no harm. */
class StripedListenerTest {
    private final ThrownOnPurpose failure = new ThrownOnPurpose();

    private final SteppedExecutor stepped = new SteppedExecutor();
    private final HandTimer timer = new HandTimer();
    private final HeardTasks heard = new HeardTasks();

    @RegisterExtension
    final DefaultHandler handler = DefaultHandler.quiet();

    private StripedExecutorBuilder builder() {
        return StripedExecutor.builder().executor(stepped).platform(timer).listener(heard);
    }

    @Test
    void aTaskIsHeardOfAsItWasSubmitted() {
        StripedExecutor executor = builder().build();
        Runnable plain = () -> {};
        Callable<Integer> callable = () -> 1;
        Supplier<CompletableFuture<Integer>> supplier = () -> CompletableFuture.completedFuture(1);
        Runnable unordered = () -> {};
        executor.execute("a", plain);
        executor.submit("a", callable);
        executor.submitAsync("a", supplier);
        executor.asExecutorService().submit(unordered);
        stepped.runAll();
        for (Object task : List.of(plain, callable, supplier, unordered)) {
            assertThat(heard.kindsOf(task)).containsExactly(Kind.QUEUED, Kind.STARTED, Kind.FINISHED);
            Object stripe = task == unordered ? null : "a";
            for (Kind kind : List.of(Kind.QUEUED, Kind.STARTED, Kind.FINISHED)) {
                assertThat(heard.only(kind, task).stripe()).isEqualTo(stripe);
            }
            assertThat(heard.only(Kind.STARTED, task).nanos()).isNotNegative();
            assertThat(heard.only(Kind.FINISHED, task).nanos()).isNotNegative();
        }
    }

    @Test
    void failuresRefusalsAndCancellations() {
        StripedExecutor executor = builder().capacity(2).build();
        Runnable failing = () -> {
            throw failure;
        };
        Callable<Integer> cancelled = () -> 1;
        Runnable refused = () -> {};
        executor.execute("a", failing);
        CompletableFuture<Integer> future = executor.submit("a", cancelled);
        assertThatThrownBy(() -> executor.execute("b", refused))
                .isSameAs(heard.only(Kind.REJECTED, refused).failure());
        assertThat(heard.only(Kind.REJECTED, refused).stripe()).isEqualTo("b");
        future.cancel(false);
        stepped.runAll();
        assertThat(heard.kindsOf(failing)).containsExactly(Kind.QUEUED, Kind.STARTED, Kind.FAILED);
        assertThat(heard.only(Kind.FAILED, failing).failure()).isSameAs(failure);
        assertThat(heard.kindsOf(cancelled)).containsExactly(Kind.QUEUED, Kind.CANCELLED);
        Runnable takenBack = () -> {};
        executor.execute("a", takenBack);
        assertThat(executor.shutdownNow()).containsExactly(takenBack);
        assertThat(heard.kindsOf(takenBack)).containsExactly(Kind.QUEUED, Kind.CANCELLED);
        heard.assertOneEndEach("");
    }

    @Test
    void retriedAndParked() {
        StripedExecutor executor = builder()
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(2)
                        .delay(Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenPark())
                .build();
        Runnable failing = () -> {
            throw failure;
        };
        executor.execute("a", failing);
        for (int i = 0; i < 3; i++) {
            stepped.runAll();
            timer.fire();
        }
        executor.control().skip("a");
        assertThat(heard.kindsOf(failing))
                .containsExactly(
                        Kind.QUEUED,
                        Kind.STARTED,
                        Kind.RETRIED,
                        Kind.STARTED,
                        Kind.RETRIED,
                        Kind.STARTED,
                        Kind.PARKED,
                        Kind.FAILED);
        assertThat(heard.all().stream()
                        .filter(event -> event.kind() == Kind.RETRIED)
                        .map(event -> event.failures() + " " + event.pause()))
                .containsExactly("1 PT1S", "2 PT2S");
        assertThat(heard.only(Kind.FAILED, failing).failure()).isSameAs(failure);
        assertThat(heard.only(Kind.FAILED, failing).nanos())
                .as("it has not run while it was parked")
                .isZero();
        assertThat(heard.only(Kind.PARKED, failing).failure()).isSameAs(failure);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("A parked task with a future has one end that is heard, by skip or by a shutdown")
    void aParkedTaskWithAFutureEndsOnce(boolean skipped) {
        StripedExecutor executor = builder().failurePolicy(FailurePolicy.park()).build();
        Callable<Integer> failing = () -> {
            throw failure;
        };
        CompletableFuture<Integer> future = executor.submit("a", failing);
        stepped.runAll();
        if (skipped) {
            executor.control().skip("a");
        } else {
            executor.shutdown();
        }
        stepped.runAll();
        assertThat(future).isCompletedExceptionally().isNotCancelled();
        assertThat(heard.kindsOf(failing)).containsExactly(Kind.QUEUED, Kind.STARTED, Kind.PARKED, Kind.FAILED);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 1, 0, 0));
    }

    @Test
    @DisplayName("A parked task is skipped and cancelled at the same time: one of the two is its end")
    void skippedAndCancelledAtTheSameTime() {
        for (int round = 0; round < 200; round++) {
            StripedExecutor executor =
                    builder().failurePolicy(FailurePolicy.park()).build();
            CompletableFuture<Integer> future = executor.submit("a", () -> {
                throw failure;
            });
            stepped.runAll();
            CyclicBarrier start = new CyclicBarrier(2);
            Thread canceller = SameKind.thread(() -> {
                Patience.meet(start);
                future.cancel(true);
            });
            canceller.start();
            Patience.meet(start);
            executor.control().skip("a");
            Patience.join(canceller);
            executor.control().resume("a");
            stepped.runAll();
            assertThat(future).isCompletedExceptionally();
            OrderedExecutorStats stats = executor.inspect().stats();
            assertThat(stats.failed() + stats.cancelled()).isEqualTo(1);
            assertThat(stats.keys()).isZero();
        }
        heard.assertOneEndEach("");
    }

    @Test
    @DisplayName("A parked task with a future has one end that is heard, whoever ends it")
    void aParkedTaskWithAFutureEndsOnce() {
        assertThat(endOfParked((executor, future) -> executor.control().skip("a")))
                .isEqualTo(Kind.FAILED);
        assertThat(endOfParked((executor, future) -> executor.shutdown())).isEqualTo(Kind.FAILED);
        assertThat(endOfParked((executor, future) -> executor.shutdownNow())).isEqualTo(Kind.CANCELLED);
        assertThat(endOfParked((executor, future) -> future.cancel(false))).isEqualTo(Kind.CANCELLED);
        assertThat(endOfParked((executor, future) -> {
                    // skipped after the future is cancelled, and before its task is taken out
                    future.whenComplete((result, thrown) -> executor.control().skip("a"));
                    future.cancel(false);
                }))
                .isEqualTo(Kind.CANCELLED);
    }

    private Kind endOfParked(BiConsumer<StripedExecutor, CompletableFuture<Integer>> end) {
        StripedExecutor executor = builder().failurePolicy(FailurePolicy.park()).build();
        Callable<Integer> failing = () -> {
            throw failure;
        };
        CompletableFuture<Integer> future = executor.submit("a", failing);
        stepped.runAll();
        end.accept(executor, future);
        stepped.runAll();
        List<Kind> kinds = heard.kindsOf(failing);
        assertThat(kinds).startsWith(Kind.QUEUED, Kind.STARTED, Kind.PARKED).hasSize(4);
        OrderedExecutorStats stats = executor.inspect().stats();
        assertThat(stats.failed() + stats.cancelled()).isEqualTo(1);
        return kinds.get(3);
    }

    @Test
    @DisplayName("NO_OP is no listener: no task takes the time")
    void noOpCostsNothing() {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .listener(TaskListener.NO_OP)
                .build();
        assertThat(executor.inspect().oldestQueuedAge())
                .as("known if tasks take the time")
                .isEmpty();
    }

    @Test
    @DisplayName("A listener that throws from each method, or interrupts its thread, disturbs no task")
    void aListenerThatMisbehavesIsContained() {
        for (Kind kind : Kind.values()) {
            for (boolean interrupts : new boolean[] {false, true}) {
                misbehave(kind, interrupts);
            }
        }
    }

    private void misbehave(Kind kind, boolean interrupts) {
        AtomicInteger reported = new AtomicInteger();
        AtomicInteger told = new AtomicInteger();
        List<String> ran = new ArrayList<>();
        HeardTasks hostile = new HeardTasks() {
            @Override
            public void onEvent(Event event) {
                if (event.kind() == kind) {
                    told.incrementAndGet();
                    if (interrupts) {
                        Thread.currentThread().interrupt();
                    } else {
                        throw new AssertionError("of the listener");
                    }
                }
            }
        };
        Thread thread = SameKind.thread(() -> {
            StripedExecutor executor = builder()
                    .listener(hostile)
                    .keyCapacity(4)
                    .overflow(Overflow.discardOldest())
                    .failurePolicy(FailurePolicy.retry()
                            .maxRetries(1)
                            .delay(Duration.ZERO)
                            .multiplier(2)
                            .thenPark())
                    .build();
            executor.execute("a", () -> ran.add("dropped"));
            executor.execute("a", () -> {
                throw failure;
            });
            executor.execute("a", () -> ran.add("first " + Thread.interrupted()));
            executor.submit("a", () -> ran.add("cancelled")).cancel(false);
            executor.execute("a", () -> ran.add("second " + Thread.interrupted()));
            executor.execute("a", () -> ran.add("third " + Thread.interrupted()));
            Thread.interrupted();
            stepped.runAll();
            executor.control().skip("a");
            Thread.interrupted();
            stepped.runAll();
            executor.shutdown();
            RefusingExecutor.accepts(() -> executor.execute("a", () -> ran.add("refused")));
            assertThat(executor.isTerminated()).isTrue();
        });
        thread.setUncaughtExceptionHandler((any, thrown) -> {
            if (thrown.getMessage().equals("of the listener")) {
                reported.incrementAndGet();
            } else if (thrown != failure) {
                ran.add(thrown.toString());
            }
        });
        thread.start();
        Patience.join(thread);
        String context = kind + (interrupts ? " interrupts" : " throws");
        assertThat(told.get()).as(context).isPositive();
        assertThat(reported).as("%s: reported", context).hasValue(interrupts ? 0 : told.get());
        assertThat(ran).as(context).containsExactly("first false", "second false", "third false");
        hostile.assertOneEndEach(context);
    }

    @Test
    @DisplayName("Each accepted task has one end that is heard, and the counters agree, while cancellations race "
            + "with starts")
    void oneEndForEachUnderCancellation() {
        long seed = Long.getLong("stress.seed", System.nanoTime());
        String context = "-Dstress.seed=" + seed;
        SplittableRandom random = new SplittableRandom(seed);
        StripedExecutor executor = SameKind.atLeast(2)
                .keyCapacity(20)
                .overflow(Overflow.discardOldest())
                .listener(heard)
                .build();
        int accepted = SameKind.some(30_000);
        CompletableFuture<?> last = null;
        for (int i = 0; i < accepted; i++) {
            int number = i;
            boolean fails = random.nextInt(10) == 0;
            CompletableFuture<Integer> future = executor.submit(random.nextInt(4), () -> {
                if (fails) {
                    throw new ThrownOnPurpose();
                }
                return number;
            });
            if (random.nextBoolean()) {
                future.cancel(random.nextBoolean());
            } else if (last != null) {
                last.cancel(true);
            }
            last = future;
        }
        Patience.terminate(executor);
        OrderedExecutorStats stats = executor.inspect().stats();
        assertThat(stats.completed() + stats.failed() + stats.cancelled())
                .as("ends counted; %s", context)
                .isEqualTo(accepted);
        assertThat(heard.count(Kind.QUEUED)).as(context).isEqualTo(accepted);
        heard.assertOneEndEach(context);
        assertThat(heard.count(Kind.FINISHED)).as(context).isEqualTo(stats.completed());
        assertThat(heard.count(Kind.FAILED)).as(context).isEqualTo(stats.failed());
        assertThat(heard.count(Kind.CANCELLED) + heard.count(Kind.DROPPED))
                .as(context)
                .isEqualTo(stats.cancelled());
    }

    @Test
    @DisplayName("A task with a future is heard of as failed, with what it has failed with")
    void failuresOfTasksWithAFuture() {
        StripedExecutor executor = builder().build();
        Callable<Integer> throwing = () -> {
            throw failure;
        };
        Supplier<CompletableFuture<Integer>> failed = () -> CompletableFuture.failedFuture(failure);
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        Supplier<CompletableFuture<Integer>> failsLater = () -> stage;
        executor.submit("a", throwing);
        executor.submitAsync("a", failed);
        executor.submitAsync("a", failsLater);
        stepped.runAll();
        stage.completeExceptionally(failure);
        stepped.runAll();
        for (Object task : List.of(throwing, failed, failsLater)) {
            assertThat(heard.kindsOf(task)).containsExactly(Kind.QUEUED, Kind.STARTED, Kind.FAILED);
            assertThat(heard.only(Kind.FAILED, task).failure()).isSameAs(failure);
        }
        assertThat(executor.inspect().stats().failed()).isEqualTo(3);
    }

    @Test
    void timesAreMeasuredFromTheirBeginning() {
        long start = System.nanoTime();
        StripedExecutor executor = builder().build();
        List<Runnable> tasks = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Runnable task = i == 1 ? new Failing() : new Succeeding();
            tasks.add(task);
            executor.execute("a", task);
        }
        long submitted = System.nanoTime();
        long before = System.nanoTime();
        stepped.runAll();
        long most = System.nanoTime() - start;
        for (Runnable task : tasks) {
            Kind end = task instanceof Failing ? Kind.FAILED : Kind.FINISHED;
            assertThat(heard.only(Kind.STARTED, task).nanos()).isBetween(before - submitted, most);
            assertThat(heard.only(end, task).nanos()).isBetween(0L, most);
        }
    }

    private static final class Succeeding implements Runnable {
        @Override
        public void run() {}
    }

    private static final class Failing implements Runnable {
        @Override
        public void run() {
            throw new ThrownOnPurpose();
        }
    }

    @Test
    void aTaskThatIsCancelledWhileItRunsIsHeardOfAsCancelled() {
        StripedExecutor executor = builder().build();
        List<CompletableFuture<Integer>> self = new ArrayList<>();
        Callable<Integer> cancelsItself = () -> {
            self.get(0).cancel(true);
            return 1;
        };
        self.add(executor.submit("a", cancelsItself));
        Supplier<CompletableFuture<Integer>> held = CompletableFuture::new;
        CompletableFuture<Integer> future = executor.submitAsync("a", held);
        stepped.runAll();
        future.cancel(false);
        stepped.runAll();
        for (Object task : List.of(cancelsItself, held)) {
            assertThat(heard.kindsOf(task)).containsExactly(Kind.QUEUED, Kind.STARTED, Kind.CANCELLED);
        }
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 2, 0));
    }

    @Test
    @DisplayName("A queued task whose future is done is heard of once, also if its turn comes in the midst of that")
    void aTaskIsPassedInTheMidstOfItsCancellation() {
        AtomicInteger started = new AtomicInteger();
        StripedExecutor executor = builder().build();
        Callable<Integer> ofFuture = started::incrementAndGet;
        CompletableFuture<Integer> future = executor.submit("a", ofFuture);
        future.whenComplete((result, thrown) -> stepped.runAll());
        assertThat(future.cancel(false)).isTrue();
        assertThat(heard.kindsOf(ofFuture)).containsExactly(Kind.QUEUED, Kind.CANCELLED);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 1, 0));

        HeardTasks serving = new HeardTasks() {
            @Override
            public void onEvent(Event event) {
                if (event.kind() == Kind.CANCELLED) {
                    stepped.runAll();
                }
            }
        };
        StripedExecutor served = builder().listener(serving).build();
        Callable<Integer> ofListener = started::incrementAndGet;
        assertThat(served.submit("a", ofListener).cancel(false)).isTrue();
        assertThat(serving.kindsOf(ofListener)).containsExactly(Kind.QUEUED, Kind.CANCELLED);
        assertThat(serving.all()).hasSize(2);
        assertThat(served.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 1, 0));
        assertThat(started).hasValue(0);
    }

    @Test
    @DisplayName("A task is heard of once if it is taken out, or dropped, in the midst of its cancellation")
    void aTaskIsTakenOutInTheMidstOfItsCancellation() {
        AtomicReference<StripedExecutor> executor = new AtomicReference<>();
        List<Object> unstarted = new ArrayList<>();
        Runnable takesItsPlace = new Succeeding();
        List<Runnable> others = List.of(
                () -> unstarted.addAll(executor.get().shutdownNow()),
                () -> executor.get().execute("a", takesItsPlace));
        for (Runnable other : others) {
            HeardTasks listener = new HeardTasks() {
                @Override
                public void onEvent(Event event) {
                    if (event.kind() == Kind.CANCELLED) {
                        other.run();
                    }
                }
            };
            executor.set(builder()
                    .listener(listener)
                    .keyCapacity(1)
                    .overflow(Overflow.discardOldest())
                    .build());
            Callable<Integer> cancelled = () -> 1;
            assertThat(executor.get().submit("a", cancelled).cancel(false)).isTrue();
            stepped.runAll();
            assertThat(listener.kindsOf(cancelled)).containsExactly(Kind.QUEUED, Kind.CANCELLED);
            assertThat(listener.all()).allMatch(event -> event.task() != null);
            listener.assertOneEndEach("");
            OrderedExecutorStats stats = executor.get().inspect().stats();
            assertThat(stats.cancelled()).isEqualTo(1);
            assertThat(stats.completed()).isEqualTo(listener.count(Kind.FINISHED));
            assertThat(stats.keys()).isZero();
        }
        assertThat(unstarted).isEmpty();
    }
}
