package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.SteppedPieces;
import io.orderedexecutor.fixtures.Written;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How far work runs ahead of what is written: never more than the window, and as far as that. */
class OrderedOutputWindowTest {
    private static final Duration LONG = Duration.ofSeconds(Patience.SECONDS);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 256})
    void whatIsTooMuchIsRefusedUntilTheHeadIsWritten(int window) {
        SteppedPieces pieces = new SteppedPieces(executor -> executor.window(window), output -> output);
        pieces.begin(window);
        for (int i = window - 1; i > 0; i--) {
            pieces.finish(i);
        }
        assertThatThrownBy(() -> pieces.output.submit(() -> "too much"))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("output 'frames' of ordered output executor 'encoder'")
                .hasMessageEndingWith("its window is " + window
                        + " pieces that are accepted and not written; raise window," + " or use Overflow.block");
        assertThat(pieces.output.snapshot().open()).isEqualTo(window);
        pieces.finish(0);
        pieces.begin(window);
        assertThat(pieces.started).hasSize(2 * window);
        pieces.finish(IntStream.range(window, 2 * window).toArray());
        pieces.assertWrittenAndEnded(IntStream.range(0, 2 * window).boxed().toArray());
        assertThat(pieces.executor.inspect().stats().rejected()).isEqualTo(1);
    }

    @Test
    @DisplayName("by default a plain loop of submissions waits for room, and nothing is refused")
    void submissionsWaitByDefault() throws InterruptedException {
        Written<Integer> written = new Written<>();
        CountDownLatch gate = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().threads(2).window(4).build();
        OrderedOutput<Integer> output = executor.open(written);
        Thread submitter = SameKind.thread(() -> {
            try {
                for (int i = 0; i < 1000; i++) {
                    int number = i;
                    var unused = output.submit(() -> {
                        Patience.await(gate);
                        return number;
                    });
                }
            } catch (Throwable failure) {
                thrown.set(failure);
            }
        });
        submitter.start();
        Patience.awaitParked(submitter);
        assertThat(output.snapshot().open()).isEqualTo(4);
        gate.countDown();
        Patience.join(submitter);
        output.close();
        assertThat(thrown.get()).isNull();
        Written.assertCounted(written, 1000);
        assertThat(executor.inspect().stats().rejected()).isZero();
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("work that submits to its own executor is refused at once if there is no room, and does not wait")
    void ownTasksAreRefused() {
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().threads(1).window(1).build();
        Written<String> written = new Written<>();
        try (OrderedOutput<String> output = executor.open(written)) {
            CompletableFuture<String> first = output.submit(() -> {
                assertThatThrownBy(() -> output.submit(() -> "too much"))
                        .isInstanceOf(RejectedExecutionException.class)
                        .hasMessageContaining("does not wait for room: it might wait for its own end");
                return "first";
            });
            assertThat(Patience.get(first)).isEqualTo("first");
        }
        assertThat(written.all()).containsExactly("first");
        Patience.terminate(executor);
    }

    @Test
    void thereIsRoomForTheNextPieceWhenAFutureIsDone() {
        SteppedPieces pieces = new SteppedPieces(executor -> executor.window(1), output -> output);
        List<CompletableFuture<Object>> next = new ArrayList<>();
        var unused = pieces.submit().thenRun(() -> next.add(pieces.output.submit(() -> "next")));
        pieces.steps.runAll();
        pieces.finish(0);
        assertThat(next).hasSize(1);
        pieces.assertWrittenAndEnded(0, "next");
    }

    @Test
    void thereIsRoomForTheNextPieceWhenOneHasFailed() {
        SteppedPieces pieces = new SteppedPieces(executor -> executor.window(1), output -> output);
        List<CompletableFuture<Object>> next = new ArrayList<>();
        var unused = pieces.submit().exceptionally(failure -> next.add(pieces.output.submit(() -> "next")));
        pieces.steps.runAll();
        pieces.stages.get(0).completeExceptionally(new IllegalStateException("on purpose"));
        pieces.steps.runAll();
        assertThat(next).hasSize(1);
        pieces.assertWrittenAndEnded("next");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    @DisplayName("with a slow head, the results that are finished and not written stay within the window")
    void resultsThatWaitStayWithinTheWindow(int window) {
        AtomicInteger waiting = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch slow = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(window);
        Written<Integer> written = new Written<>(result -> waiting.decrementAndGet());
        int count = 500;
        try (OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                        .threads(3)
                        .window(window)
                        .overflow(Overflow.block(LONG))
                        .build();
                OrderedOutput<Integer> output = executor.open(written)) {
            Thread producer = SameKind.thread(() -> {
                for (int i = 0; i < count; i++) {
                    int number = i;
                    output.submit(() -> {
                        if (number == 0) {
                            begun.countDown();
                            Patience.await(slow);
                        }
                        most.accumulateAndGet(waiting.incrementAndGet(), Math::max);
                        begun.countDown();
                        return number;
                    });
                }
            });
            producer.start();
            Patience.awaitParked(producer);
            Patience.await(begun);
            assertThat(waiting.get()).isEqualTo(window - 1);
            OrderedExecutorStats stats = executor.inspect().stats();
            assertThat(stats.active()).isEqualTo(window);
            assertThat(stats.queued()).isZero();
            slow.countDown();
            Patience.join(producer);
        }
        assertThat(most.get()).isBetween(1, window);
        Written.assertCounted(written, count);
    }

    @Test
    @DisplayName("100,000 results behind a slow head are written without one call inside another")
    void aLargeWindowNeedsNoStack() {
        int count = 100_000;
        SteppedExecutor steps = new SteppedExecutor();
        Written<Integer> written = new Written<>();
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(steps).window(count).build();
        OrderedOutput<Integer> output = executor.open(written);
        CompletableFuture<Integer> slow = new CompletableFuture<>();
        output.submitAsync(() -> slow);
        for (int i = 1; i < count; i++) {
            int number = i;
            output.submit(() -> number);
        }
        steps.runAll();
        assertThat(written.count()).isZero();
        slow.complete(0);
        int turns = steps.runAll();
        Written.assertCounted(written, count);
        assertThat(turns).as("turns of a thread").isGreaterThanOrEqualTo(count / 64);
    }

    // waiting for room

    private static OrderedOutputExecutor blocking(SteppedExecutor steps, Duration limit) {
        return OrderedOutputExecutor.builder()
                .executor(steps)
                .window(1)
                .overflow(Overflow.block(limit))
                .build();
    }

    @Test
    void submittersWaitInTheOrderInWhichTheyCame() {
        SteppedExecutor steps = new SteppedExecutor();
        Written<Integer> written = new Written<>();
        OrderedOutputExecutor executor = blocking(steps, LONG);
        OrderedOutput<Integer> output = executor.open(written);
        output.submit(() -> 0);
        List<Thread> submitters = new ArrayList<>();
        for (int i = 1; i < 4; i++) {
            int number = i;
            Thread submitter = SameKind.thread(() -> output.submit(() -> number));
            submitters.add(submitter);
            submitter.start();
            Patience.awaitParked(submitter);
        }
        submitters.forEach(submitter -> {
            steps.runAll();
            Patience.join(submitter);
        });
        steps.runAll();
        Written.assertCounted(written, 4);
    }

    @Test
    void aSubmitterThatIsInterruptedOrWaitsTooLongIsRefused() {
        SteppedPieces pieces = new SteppedPieces(
                executor -> executor.window(1).overflow(Overflow.block(Duration.ofMillis(1))), output -> output);
        pieces.submit();
        assertThatThrownBy(() -> pieces.output.submit(() -> "too late"))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("no room became free within PT0.001S");
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> pieces.output.submit(() -> "interrupted"))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("interrupted")
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        pieces.steps.runAll();
        pieces.finish(0);
        pieces.assertWrittenAndEnded(0);
    }

    /** What ends the wait for room in an output that will have none. */
    enum End {
        CLOSE,
        STOP;

        void of(OrderedOutput<?> output) {
            if (this == CLOSE) {
                output.close();
            } else {
                output.stop();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theEndOfAnOutputEndsTheWaitForRoom(End end) {
        CountDownLatch release = new CountDownLatch(1);
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        Written<String> written = new Written<>();
        try (OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                .threads(1)
                .window(1)
                .overflow(Overflow.block(LONG))
                .build()) {
            OrderedOutput<String> output = executor.open(written);
            CompletableFuture<String> first = output.submit(() -> {
                boolean interrupted = false;
                while (release.getCount() > 0) {
                    try {
                        release.await();
                    } catch (InterruptedException interrupt) {
                        interrupted = true;
                    }
                }
                return interrupted ? "interrupted" : "first";
            });
            Thread submitter = SameKind.thread(() -> {
                try {
                    output.submit(() -> "second");
                } catch (RejectedExecutionException refused) {
                    refusal.set(refused);
                }
            });
            submitter.start();
            Patience.awaitParked(submitter);
            Thread closer = SameKind.thread(() -> end.of(output));
            closer.start();
            Patience.join(submitter);
            if (end == End.STOP) {
                // the refusal comes first: the piece might end in its turn before it is cancelled
                Patience.join(closer);
            }
            release.countDown();
            Patience.join(closer);
            assertThat(first.isCancelled()).isEqualTo(end == End.STOP);
        }
        assertThat(refusal.get()).hasMessageContaining("is closed");
        assertThat(written.count()).isEqualTo(end == End.STOP ? 0 : 1);
    }

    @Test
    void aPieceThatWouldWaitForRoomItselfMakesIsRefusedAtOnce() {
        SteppedExecutor steps = new SteppedExecutor();
        List<Throwable> refusals = new ArrayList<>();
        AtomicReference<OrderedOutput<String>> output = new AtomicReference<>();
        Runnable submission = () -> {
            try {
                output.get().submit(() -> "too much");
            } catch (RejectedExecutionException refusal) {
                refusals.add(refusal);
            }
        };
        Written<String> written = new Written<>(result -> submission.run());
        output.set(blocking(steps, LONG).open(written));
        output.get().submit(() -> {
            submission.run();
            return "first";
        });
        steps.runAll();
        assertThat(refusals)
                .hasSize(2)
                .allSatisfy(refusal -> assertThat(refusal).hasMessageContaining("its own end"));
        assertThat(written.all()).containsExactly("first");
    }

    @Test
    void whoIsToldOfAFlushIsRefusedAWaitForRoomThatHeHoldsUp() {
        SteppedExecutor steps = new SteppedExecutor();
        Written<Integer> written = new Written<>();
        OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                .executor(steps)
                .window(2)
                .overflow(Overflow.block(LONG))
                .build();
        OrderedOutput<Integer> output = executor.open(written);
        output.submit(() -> 0);
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        var told = output.flush()
                .thenRun(() -> output.submit(() -> 2))
                .thenRun(() -> output.submit(() -> 3))
                .exceptionally(refused -> {
                    refusal.set(refused);
                    return null;
                });
        output.submit(() -> 1);
        steps.runAll();
        assertThat(told).isDone();
        assertThat(refusal.get()).hasRootCauseInstanceOf(RejectedExecutionException.class);
        Written.assertCounted(written, 3);
    }

    // together with the capacity of the executor

    @Test
    void capacityAndWindowAreBothKept() {
        SteppedPieces pieces = new SteppedPieces(executor -> executor.window(3).capacity(2), output -> output);
        pieces.submit();
        pieces.submit();
        assertThatThrownBy(pieces::submit).hasMessageContaining("its capacity is 2 queued tasks");
        pieces.steps.runAll();
        pieces.submit();
        // the window is full: the permit goes back
        assertThatThrownBy(pieces::submit).hasMessageContaining("its window is 3 pieces");
        OrderedOutput<Object> other = pieces.executor.open(pieces.written);
        other.submit(() -> "other");
        assertThatThrownBy(() -> other.submit(() -> "none")).hasMessageContaining("its capacity is 2 queued tasks");
        pieces.steps.runAll();
        pieces.finish(0, 1, 2);
        pieces.assertWrittenAndEnded("other", 0, 1, 2);
        assertThat(pieces.executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 4, 0, 0, 3));
    }

    @Test
    @DisplayName("a submitter that waits for room in the executor is refused when its output is stopped")
    void aStopEndsTheWaitForTheExecutor() {
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().threads(1).capacity(1).build();
        Written<Integer> written = new Written<>();
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        OrderedOutput<Integer> other = executor.open(written);
        other.submit(() -> {
            busy.countDown();
            Patience.await(mayEnd);
            return 0;
        });
        Patience.await(busy);
        other.submit(() -> 1);
        OrderedOutput<Integer> stopped = executor.open(written);
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        Thread submitter = SameKind.thread(() -> {
            try {
                stopped.submit(() -> 2);
            } catch (RejectedExecutionException refused) {
                refusal.set(refused);
            }
        });
        submitter.start();
        Patience.awaitParked(submitter);
        stopped.stop();
        Patience.join(submitter);
        assertThat(refusal.get()).hasMessageContaining("is closed and accepts no more pieces");
        mayEnd.countDown();
        other.close();
        assertThat(written.all()).containsExactly(0, 1);
        Patience.terminate(executor);
    }
}
