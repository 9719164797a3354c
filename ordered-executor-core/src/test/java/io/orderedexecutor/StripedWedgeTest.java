package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.fixtures.Unreadable;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R5: whatever an application does to the future of a task, the stripe goes on. */
class StripedWedgeTest {
    private final OrderRecorder recorder = new OrderRecorder();
    private final OrderRecorder.Source source = recorder.lane("a").source();
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final StripedExecutor executor =
            StripedExecutor.builder().executor(stepped).build();
    private final CompletableFuture<String> stage = new CompletableFuture<>();
    private final List<Throwable> told = new CopyOnWriteArrayList<>();

    @RegisterExtension
    final DefaultHandler handler = new DefaultHandler((any, failure) -> told.add(failure));

    private void assertGoesOnWhenTheStageCompletes(Consumer<CompletableFuture<String>> refused) {
        CompletableFuture<String> future = executor.submitAsync("a", () -> stage);
        OrderRecorder.Step next = source.next();
        executor.execute("a", next);
        CompletableFuture<String> last = executor.submit("a", () -> "last");
        stepped.runAll();
        assertThatThrownBy(() -> refused.accept(future)).isInstanceOf(NullPointerException.class);
        stepped.runAll();
        assertThat(future).isNotDone();
        assertThat(next.runs()).as("before the stage is complete").isZero();
        assertThat(executor.inspect().runningTasks())
                .singleElement()
                .satisfies(running -> assertThat(running.thread()).isNull());
        stage.complete("result");
        stepped.runAll();
        assertThat(future).isCompletedWithValue("result");
        assertThat(last).isCompletedWithValue("last");
        recorder.assertAllRanOnceInOrder();
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("completeExceptionally(null) on a task that holds its stripe changes nothing")
    void completedWithNoException() {
        assertGoesOnWhenTheStageCompletes(future -> future.completeExceptionally(null));
    }

    @Test
    @DisplayName("obtrudeException(null) on a task that holds its stripe changes nothing")
    void obtrudedNoException() {
        assertGoesOnWhenTheStageCompletes(future -> future.obtrudeException(null));
    }

    @Test
    @DisplayName("obtrudeValue while a task fails changes nothing but the future")
    void obtrudedWhileItFails() {
        int rounds = 20_000;
        AtomicInteger ends = new AtomicInteger();
        StripedExecutor told = StripedExecutor.builder()
                .threads(1)
                .listener(new TaskListener() {
                    @Override
                    public void finished(@Nullable Object key, Object task, long nanos) {
                        ends.getAndIncrement();
                    }

                    @Override
                    public void failed(@Nullable Object key, Object task, long nanos, Throwable failure) {
                        ends.getAndIncrement();
                    }
                })
                .build();
        ExecutorService obtruding = Executors.newSingleThreadExecutor();
        for (int i = 0; i < rounds; i++) {
            CompletableFuture<Integer> failing = new CompletableFuture<>();
            CompletableFuture<Integer> future = told.submitAsync("a", () -> failing);
            Patience.awaitWaiter(failing);
            CountDownLatch begins = new CountDownLatch(1);
            Future<?> obtrudes = obtruding.submit(() -> {
                begins.countDown();
                for (int times = 0; times < 20; times++) {
                    future.obtrudeValue(1);
                }
            });
            Patience.await(begins);
            failing.completeExceptionally(new ThrownOnPurpose());
            Patience.get(obtrudes);
            assertThat(Patience.get(told.submit("a", () -> "next")))
                    .as("round %s", i)
                    .isEqualTo("next");
        }
        obtruding.shutdown();
        Patience.terminate(told);
        assertThat(ends).hasValue(2 * rounds);
    }

    private static final class Causeless extends ExecutionException {
        private static final long serialVersionUID = 1;

        @Override
        public synchronized Throwable getCause() {
            throw new ThrownOnPurpose();
        }
    }

    enum Failing {
        DEPENDENT,
        STAGE,
        COMPLETED,
        OBTRUDED,
        BATCH,
        RETRIED
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a failure that throws when it is looked at ends its task, and the next one runs")
    void unreadableFailure(Failing failing) {
        StripedExecutor told = StripedExecutor.builder()
                .executor(stepped)
                .failurePolicy(
                        failing == Failing.RETRIED ? FailurePolicy.retry().thenProceed() : FailurePolicy.proceed())
                .listener(new TaskListener() {})
                .build();
        Callable<Object> fails = () -> {
            throw failing == Failing.RETRIED ? new Causeless() : new Unreadable();
        };
        CompletableFuture<Object> never = new CompletableFuture<>();
        CompletableFuture<?> future = switch (failing) {
            case DEPENDENT, RETRIED -> told.submit("a", fails);
            case STAGE, COMPLETED, OBTRUDED -> told.submitAsync("a", () -> never);
            case BATCH ->
                told.<String, Integer>batchTo((key, items) -> {
                            throw new Unreadable();
                        })
                        .build()
                        .submit("a", 1);
        };
        CompletableFuture<?> others = CompletableFuture.allOf(future.handle((result, failure) -> "ran"));
        var unused = future.thenRun(() -> {});
        CompletableFuture<String> next = told.submit("a", () -> "next");
        stepped.runAll();
        try {
            switch (failing) {
                case STAGE -> never.completeExceptionally(new Unreadable());
                case COMPLETED -> future.completeExceptionally(new Unreadable());
                case OBTRUDED -> future.obtrudeException(new Unreadable());
                default -> {}
            }
        } catch (ThrownOnPurpose ofToString) {
            // the JDK's own futures let that out, too
        }
        stepped.runAll();
        assertThat(future.isCompletedExceptionally()).isTrue();
        boolean isByTheApplication = failing == Failing.COMPLETED || failing == Failing.OBTRUDED;
        assertThat(others.isDone() || isByTheApplication)
                .as("the other actions")
                .isTrue();
        assertThat(next).isCompletedWithValue("next");
        assertThat(told.inspect().stats().active()).isZero();
        Patience.terminate(told);
        Patience.terminate(executor);
    }

    enum TakenBack {
        SHUTDOWN,
        DROPPED,
        REPLACED,
        ITEMS
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("an action whose failure throws when it is looked at holds up nobody who cancels its task")
    void unreadableFailureOfAnAction(TakenBack by) {
        StripedExecutor bounded = StripedExecutor.builder()
                .executor(stepped)
                .keyCapacity(2)
                .overflow(Overflow.discardOldest())
                .build();
        Batcher<String, Integer> batcher = bounded.<String, Integer>batchTo((key, items) -> {
                    throw new AssertionError(items);
                })
                .build();
        List<CompletableFuture<?>> cancelled = new ArrayList<>();
        List<CompletableFuture<String>> ran = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            CompletableFuture<?> future = switch (by) {
                case SHUTDOWN, DROPPED -> bounded.submit("a", () -> "never");
                case REPLACED -> bounded.with(WhenBusy.latest("slot")).submit("a", () -> "never");
                case ITEMS -> batcher.submit("a", i);
            };
            for (int action = 0; action < 3; action++) {
                var unused = future.handle((result, failure) -> {
                    throw new Unreadable();
                });
                ran.add(future.handle((result, failure) -> "ran"));
            }
            cancelled.add(future);
        }
        List<CompletableFuture<String>> next = new ArrayList<>();
        switch (by) {
            case SHUTDOWN, ITEMS -> assertThat(bounded.shutdownNow()).hasSize(2);
            case DROPPED -> {
                next.add(bounded.submit("a", () -> "next"));
                next.add(bounded.submit("a", () -> "next"));
            }
            case REPLACED -> next.add(bounded.with(WhenBusy.latest("slot")).submit("a", () -> "next"));
        }
        stepped.runAll();
        assertThat(cancelled).allMatch(CompletableFuture::isCancelled);
        assertThat(ran).as("the other actions").allMatch(CompletableFuture::isDone);
        assertThat(next).allMatch(future -> "next".equals(future.getNow("")));
        assertThat(bounded.inspect().stats().cancelled()).isEqualTo(2);
        Patience.terminate(bounded);
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("such an action keeps nobody from submitting the task that interrupts its own")
    void unreadableFailureOfAnInterruptedTask() {
        StripedExecutor own = StripedExecutor.builder().threads(1).build();
        WhenBusy interrupt = WhenBusy.interrupt("slot");
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = own.with(interrupt).submit("a", () -> {
            started.countDown();
            return new CountDownLatch(1).await(Patience.SECONDS, TimeUnit.SECONDS);
        });
        List<CompletableFuture<String>> ran = new ArrayList<>();
        for (int action = 0; action < 3; action++) {
            var unused = interrupted.handle((result, failure) -> {
                throw new Unreadable();
            });
            ran.add(interrupted.handle((result, failure) -> "ran"));
        }
        Patience.await(started);
        assertThat(Patience.get(own.with(interrupt).submit("a", () -> "next"))).isEqualTo("next");
        assertThat(interrupted).isCancelled();
        assertThat(ran).as("the other actions").allMatch(CompletableFuture::isDone);
        OrderedExecutorStats stats = own.inspect().stats();
        assertThat(stats.cancelled()).isEqualTo(1);
        assertThat(stats.rejected()).isZero();
        Patience.terminate(own);
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("such an action keeps shutdownNow neither from stopping the other tasks nor from returning the rest")
    void unreadableFailureAtAShutdown() {
        List<CompletableFuture<String>> held = new ArrayList<>();
        for (String stripe : List.of("a", "b")) {
            CompletableFuture<String> future = executor.submitAsync(stripe, () -> stage);
            var unused = future.handle((result, failure) -> {
                throw new Unreadable();
            });
            held.add(future);
        }
        stepped.runAll();
        CompletableFuture<String> queued = executor.submit("a", () -> "never");
        assertThat(executor.shutdownNow()).hasSize(1);
        assertThat(held).allMatch(CompletableFuture::isCancelled);
        assertThat(queued).isCancelled();
        Patience.awaitTermination(executor);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 3, 0));
        // not every JDK looks at the failure of an action
        assertThat(told).allMatch(ThrownOnPurpose.class::isInstance);
    }

    @Test
    @DisplayName("the same if the task returns its stage after shutdownNow")
    void unreadableFailureAfterAShutdown() {
        CompletableFuture<String> future = executor.submitAsync("a", () -> {
            executor.shutdownNow();
            return stage;
        });
        var unused = future.handle((result, failure) -> {
            throw new Unreadable();
        });
        stepped.runAll();
        assertThat(future).isCancelled();
        Patience.awaitTermination(executor);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 1, 0));
        // not every JDK looks at the failure of an action
        assertThat(told).allMatch(ThrownOnPurpose.class::isInstance);
    }

    @Test
    @DisplayName("a thread that keeps the monitor of a cancelled future does not keep the worker")
    void theMonitorOfAFutureIsTheApplications() {
        ExecutorService others = SameKind.pool(2);
        StripedExecutor executor = StripedExecutor.builder().executor(others).build();
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        CountDownLatch next = new CountDownLatch(1);
        CompletableFuture<String> future = executor.submit("a", () -> {
            started.countDown();
            try {
                Patience.await(cancelled);
            } catch (AssertionError interrupted) {
                Patience.await(cancelled);
            }
            return "late";
        });
        executor.execute("a", next::countDown);
        Patience.await(started);
        Future<?> holder = others.submit(() -> {
            synchronized (future) {
                future.cancel(true);
                cancelled.countDown();
                Patience.await(next);
            }
        });
        Patience.get(holder);
        Patience.terminate(executor);
        others.shutdown();
        assertThat(executor.inspect().stats().cancelled()).isEqualTo(1);
        assertThat(executor.inspect().stats().completed()).isEqualTo(1);
    }
}
