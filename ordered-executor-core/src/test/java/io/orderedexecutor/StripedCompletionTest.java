package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** R1: whoever completes an asynchronous task while it starts, its future is done before the next task runs, once. */
class StripedCompletionTest {
    private final ExecutorService others = SameKind.pool(1);
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final OrderRecorder recorder = new OrderRecorder();
    private final OrderRecorder.Source source = recorder.lane("a").source();

    @AfterEach
    void close() {
        others.shutdownNow();
    }

    /** An asynchronous task that somebody else completes while it starts, and whose dependent action takes its time. */
    private final class CompletedMeanwhile {
        private final StripedExecutor executor;
        private final CountDownLatch inAction = new CountDownLatch(1);
        private final CountDownLatch release = new CountDownLatch(1);
        private final CompletableFuture<String> future;
        private final OrderRecorder.Step next = source.next(this::checkFuture);
        private Future<?> completion;

        CompletedMeanwhile(FailurePolicy policy, int attempts, CompletionStage<String> stage) {
            executor = StripedExecutor.builder()
                    .executor(stepped)
                    .failurePolicy(policy)
                    .build();
            AtomicInteger attempt = new AtomicInteger();
            future = executor.submitAsync("a", () -> {
                if (attempt.incrementAndGet() < attempts) {
                    throw new ThrownOnPurpose();
                }
                completion = others.submit(this::complete);
                Patience.await(inAction);
                return stage;
            });
            future.whenComplete((result, failure) -> {
                inAction.countDown();
                Patience.await(release);
            });
            executor.execute("a", next);
        }

        private void checkFuture() {
            assertThat(future).as("when the next task started").isDone();
        }

        private void complete() {
            future.completeExceptionally(new TimeoutException("on purpose"));
        }

        void check() {
            stepped.runAll();
            release.countDown();
            Patience.get(completion);
            stepped.runAll();
            assertThat(next.runs()).isEqualTo(1);
            assertThat(executor.inspect().stats().failed()).isEqualTo(1);
            assertThat(executor.inspect().stats().completed()).isEqualTo(1);
            Patience.terminate(executor);
        }
    }

    @Test
    void completedFromOutsideWhileItStarts() {
        new CompletedMeanwhile(FailurePolicy.proceed(), 1, new CompletableFuture<>()).check();
    }

    @Test
    void completedFromOutsideWhileItStartsAndThenByItsStage() {
        new CompletedMeanwhile(FailurePolicy.proceed(), 1, CompletableFuture.completedFuture("late")).check();
    }

    @Test
    void completedFromOutsideWhileItsStageFailsAndWouldBeTriedAgain() {
        new CompletedMeanwhile(
                        FailurePolicy.retry()
                                .maxRetries(2)
                                .delay(Duration.ZERO)
                                .multiplier(2)
                                .thenPark(),
                        1,
                        CompletableFuture.failedFuture(new ThrownOnPurpose()))
                .check();
    }

    @Test
    void completedFromOutsideWhileItsStageFailsForTheLastTime() {
        new CompletedMeanwhile(
                        FailurePolicy.retry()
                                .maxRetries(1)
                                .delay(Duration.ZERO)
                                .multiplier(2)
                                .thenProceed(),
                        2,
                        CompletableFuture.failedFuture(new ThrownOnPurpose()))
                .check();
    }
}
