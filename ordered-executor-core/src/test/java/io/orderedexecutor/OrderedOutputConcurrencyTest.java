package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedPieces;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.fixtures.Written;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How many pieces of an output are worked on at once: never more than it says, and no fewer if there are as many. */
class OrderedOutputConcurrencyTest {

    private static SteppedPieces limitedTo(int concurrency) {
        return new SteppedPieces(executor -> executor, output -> output.concurrency(concurrency));
    }

    @Test
    void asManyAreWorkedOnAsMayBe() {
        SteppedPieces pieces = limitedTo(2);
        pieces.begin(5);
        assertThat(pieces.started).containsExactly(0, 1);
        assertThat(pieces.executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(1, 3, 3, 0, 2, 0, 0, 0, 0));
        // its turn has not come, and it is not worked on any more
        pieces.finish(1);
        assertThat(pieces.started).containsExactly(0, 1, 2);
        pieces.finish(0);
        assertThat(pieces.started).containsExactly(0, 1, 2, 3);
        pieces.finish(3, 2);
        assertThat(pieces.started).containsExactly(0, 1, 2, 3, 4);
        pieces.finish(4);
        pieces.assertWrittenAndEnded(0, 1, 2, 3, 4);
        pieces.begin(3);
        assertThat(pieces.started).as("all slots are free again").hasSize(7);
        pieces.finish(5, 6, 7);
        pieces.assertWrittenAndEnded(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @ParameterizedTest(name = "concurrency {0} on {1} threads")
    @CsvSource({"1,3", "2,3", "3,2"})
    void theLimitIsKeptAndReachedOnThreads(int concurrency, int threads) {
        int count = 2000;
        AtomicInteger working = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch full = new CountDownLatch(Math.min(concurrency, threads));
        Written<Integer> written = new Written<>();
        try (OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                        .threads(threads)
                        .overflow(Overflow.block(Duration.ofSeconds(Patience.SECONDS)))
                        .build();
                OrderedOutput<Integer> output =
                        executor.outputTo(written).concurrency(concurrency).open()) {
            for (int i = 0; i < count; i++) {
                int number = i;
                output.submit(() -> {
                    most.accumulateAndGet(working.incrementAndGet(), Math::max);
                    full.countDown();
                    Patience.await(full);
                    working.decrementAndGet();
                    return number;
                });
            }
        }
        assertThat(most).hasValue(Math.min(concurrency, threads));
        Written.assertCounted(written, count);
    }

    @Test
    @DisplayName("an output that may use one thread keeps none from others, however much it has to do")
    void aBusyOutputDoesNotHoldUpOthers() {
        SteppedPieces pieces = limitedTo(1);
        for (int i = 0; i < 100; i++) {
            pieces.submit();
        }
        assertThat(pieces.steps.waiting()).isEqualTo(1);
        OrderedOutput<Object> other = pieces.executor.open(pieces.written);
        other.submit(() -> "other");
        pieces.steps.runNext();
        pieces.steps.runNext();
        assertThat(pieces.written.all()).containsExactly("other");
        for (int i = 0; i < 100; i++) {
            pieces.finish(i);
        }
        assertThat(pieces.written.all()).hasSize(101);
        assertThat(pieces.futures).allMatch(CompletableFuture::isDone);
    }

    @Test
    void aPieceThatIsCancelledWhileItWaitsNeedsNoSlot() {
        SteppedPieces pieces = limitedTo(1);
        pieces.begin(4);
        pieces.futures.get(1).cancel(true);
        pieces.futures.get(3).complete("by others");
        assertThat(pieces.executor.inspect().stats().queued()).isEqualTo(1);
        pieces.finish(0);
        assertThat(pieces.started).containsExactly(0, 2);
        pieces.finish(2);
        pieces.assertWrittenAndEnded(0, 2);
    }

    @ParameterizedTest(name = "interrupts: {0}")
    @ValueSource(booleans = {true, false})
    void aPieceThatIsCancelledWhileItIsWorkedOnGivesItsSlotBackOnce(boolean interrupts) {
        SteppedPieces pieces = limitedTo(1);
        pieces.begin(4);
        pieces.futures.get(0).cancel(interrupts);
        pieces.steps.runAll();
        pieces.finish(0);
        assertThat(pieces.started).containsExactly(0, 1);
        pieces.futures.get(1).completeExceptionally(new ThrownOnPurpose());
        pieces.finish(1);
        assertThat(pieces.started).containsExactly(0, 1, 2);
        pieces.finish(2, 3);
        pieces.finish(3);
        pieces.assertWrittenAndEnded(2, 3);
    }

    @Test
    void aRefusedPieceGivesItsSlotBack() {
        SteppedPieces pieces = limitedTo(1);
        pieces.steps.refuse(true);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> pieces.output.submit(() -> "refused"))
                    .isInstanceOf(RejectedExecutionException.class);
        }
        pieces.steps.refuse(false);
        pieces.begin(2);
        pieces.finish(0, 1);
        pieces.finish(1);
        pieces.assertWrittenAndEnded(0, 1);
        assertThat(pieces.executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 0, 3));
    }

    @Test
    void aPieceThatWaitsForItsNextAttemptKeepsItsSlot() {
        HandTimer timer = new HandTimer();
        SteppedPieces pieces = new SteppedPieces(
                executor -> executor.platform(timer)
                        .failurePolicy(FailurePolicy.retry()
                                .maxRetries(1)
                                .delay(Duration.ofSeconds(1))
                                .multiplier(2)
                                .thenProceed()),
                output -> output.concurrency(1));
        pieces.begin(2);
        pieces.stages.get(0).completeExceptionally(new ThrownOnPurpose());
        pieces.steps.runAll();
        assertThat(timer.waiting()).isEqualTo(1);
        assertThat(pieces.started).containsExactly(0);
        timer.fire();
        pieces.steps.runAll();
        pieces.finish(1);
        assertThat(pieces.started).containsExactly(0, 0, 1);
        assertThat(pieces.futures.get(0)).isCompletedExceptionally();
        pieces.assertWrittenAndEnded(1);
    }

    @Test
    void whatWaitsIsStartedByTheHelperIfThereIsNoOtherThread() {
        SteppedPieces pieces = limitedTo(1);
        pieces.begin(3);
        pieces.steps.refuse(true);
        pieces.stages.get(1).complete(1);
        pieces.stages.get(2).complete(2);
        pieces.stages.get(0).complete(0);
        Patience.terminate(pieces.executor);
        assertThat(pieces.started).containsExactly(0, 1, 2);
        pieces.assertWrittenAndEnded(0, 1, 2);
    }

    @Test
    @DisplayName("100,000 pieces that wait for one slot are run by one thread, and not one inside the other")
    void aThreadThatFindsNoOtherNeedsNoStack() {
        int count = 100_000;
        Executor inline = Runnable::run;
        Written<Integer> written = new Written<>();
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(inline).window(count).build();
        OrderedOutput<Integer> output =
                executor.outputTo(written).concurrency(1).open();
        CompletableFuture<Integer> slow = new CompletableFuture<>();
        List<CompletableFuture<Integer>> futures = new ArrayList<>();
        futures.add(output.submitAsync(() -> slow));
        for (int i = 1; i < count; i++) {
            int number = i;
            futures.add(output.submit(() -> number));
        }
        assertThat(executor.inspect().stats().queued()).isEqualTo(count - 1);
        slow.complete(0);
        Patience.terminate(executor);
        Written.assertCounted(written, count);
        assertThat(futures).allMatch(CompletableFuture::isDone);
        assertThat(executor.inspect().stats().completed()).isEqualTo(count);
    }

    @Test
    void stoppingStartsNothingThatHasWaited() {
        Written<Integer> written = new Written<>();
        AtomicInteger started = new AtomicInteger();
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(Runnable::run).build();
        OrderedOutput<Integer> output =
                executor.outputTo(written).concurrency(1).open();
        List<CompletableFuture<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            futures.add(output.submitAsync(() -> {
                started.incrementAndGet();
                return new CompletableFuture<>();
            }));
        }
        output.stop();
        assertThat(started).hasValue(1);
        assertThat(futures).allMatch(CompletableFuture::isCancelled);
        assertThat(written.count()).isZero();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 5, 0));
    }

    @Test
    void slotsOfOneOutputAreNotThoseOfAnother() {
        SteppedPieces pieces = new SteppedPieces(executor -> executor.concurrency(1), output -> output);
        pieces.begin(2);
        CompletableFuture<Object> ofOther = new CompletableFuture<>();
        Written<Object> written = new Written<>();
        OrderedOutput<Object> other = pieces.executor.open(written);
        IntStream.range(0, 3)
                .forEach(i -> other.submitAsync(() -> {
                    pieces.started.add(100 + i);
                    return ofOther;
                }));
        pieces.steps.runAll();
        assertThat(pieces.started).containsExactly(0, 100);
        ofOther.complete("other");
        pieces.steps.runAll();
        pieces.finish(0, 1);
        pieces.finish(1);
        assertThat(written.all()).containsExactly("other", "other", "other");
        pieces.assertWrittenAndEnded(0, 1);
    }
}
