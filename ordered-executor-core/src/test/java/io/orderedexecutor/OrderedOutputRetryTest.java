package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.SteppedPieces;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.fixtures.Written;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work that is tried again, before the output hears of it. */
class OrderedOutputRetryTest {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final HandTimer timer = new HandTimer();
    private final AtomicInteger attempts = new AtomicInteger();

    private SteppedPieces retrying(int times, OutputFailure<Object> onFailure) {
        return retrying(times, PAUSE, onFailure);
    }

    private SteppedPieces retrying(int times, Duration pause, OutputFailure<Object> onFailure) {
        return new SteppedPieces(
                executor -> executor.platform(timer)
                        .failurePolicy(FailurePolicy.retry()
                                .maxRetries(times - 1)
                                .delay(pause)
                                .multiplier(2)
                                .thenProceed()),
                output -> output.onFailure(onFailure));
    }

    /** Submits work that fails so many times before it succeeds. */
    private CompletableFuture<Object> submit(SteppedPieces pieces, boolean isStage, int fails) {
        if (!isStage) {
            return pieces.output.submit(() -> {
                if (attempts.getAndIncrement() < fails) {
                    throw new ThrownOnPurpose();
                }
                return "at last";
            });
        }
        return pieces.output.submitAsync(() -> stage(fails));
    }

    private CompletionStage<Object> stage(int fails) {
        return attempts.getAndIncrement() < fails
                ? CompletableFuture.failedFuture(new ThrownOnPurpose())
                : CompletableFuture.completedFuture("at last");
    }

    @ParameterizedTest(name = "stage: {0}")
    @ValueSource(booleans = {false, true})
    void theOrderIsKeptWhileWorkIsTriedAgain(boolean isStage) {
        List<Throwable> reported = new ArrayList<>();
        SteppedPieces pieces = retrying(3, OutputFailure.omit(reported::add));
        CompletableFuture<Object> retried = submit(pieces, isStage, 2);
        pieces.begin(1);
        pieces.finish(0);
        assertThat(pieces.written.all()).isEmpty();
        timer.fire();
        assertThat(attempts.get()).isEqualTo(1);
        pieces.steps.runAll();
        assertThat(attempts.get()).isEqualTo(2);
        timer.fire();
        pieces.steps.runAll();
        assertThat(attempts).hasValue(3);
        assertThat(reported).isEmpty();
        assertThat(retried).isCompletedWithValue("at last");
        pieces.assertWrittenAndEnded("at last", 0);
        assertThat(pieces.heard.count(HeardTasks.Kind.RETRIED)).isEqualTo(2);
        assertThat(pieces.heard.count(HeardTasks.Kind.STARTED)).isEqualTo(4);
    }

    @ParameterizedTest(name = "stage: {0}")
    @ValueSource(booleans = {false, true})
    void onlyTheLastFailureIsTheOutputs(boolean isStage) {
        SteppedPieces pieces = retrying(3, Duration.ZERO, OutputFailure.replace(failed -> "instead"));
        pieces.begin(1);
        CompletableFuture<Object> retried = submit(pieces, isStage, 100);
        pieces.begin(1);
        pieces.finish(1);
        assertThat(attempts).hasValue(3);
        assertThat(retried).isNotDone();
        pieces.finish(0);
        assertThat(retried).isCompletedWithValue("instead");
        pieces.assertWrittenAndEnded(0, "instead", 1);
    }

    @Test
    void attemptsOfOnePieceAreNoneOfAnother() {
        SteppedPieces pieces = retrying(2, Duration.ZERO, OutputFailure.fail());
        for (int i = 0; i < 3; i++) {
            AtomicInteger own = new AtomicInteger();
            pieces.futures.add(pieces.output.submit(() -> {
                attempts.incrementAndGet();
                if (own.getAndIncrement() == 0) {
                    throw new ThrownOnPurpose();
                }
                return own.get();
            }));
        }
        pieces.steps.runAll();
        assertThat(attempts).hasValue(6);
        pieces.assertWrittenAndEnded(2, 2, 2);
    }

    @Test
    void aPieceThatIsCancelledBeforeItsNextAttemptIsLeftOutAtOnce() {
        SteppedPieces pieces = retrying(3, OutputFailure.fail());
        CompletableFuture<Object> retried = submit(pieces, false, 100);
        pieces.begin(1);
        pieces.finish(0);
        retried.cancel(true);
        pieces.steps.runAll();
        pieces.assertWrittenAndEnded(0);
        timer.fire();
        pieces.steps.runAll();
        assertThat(attempts).hasValue(1);
    }

    @Test
    void aPieceThatIsCancelledWhenItsFailureIsToldIsLeftOutAtOnce() {
        List<CompletableFuture<Object>> futures = new ArrayList<>();
        SteppedExecutor steps = new SteppedExecutor();
        OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                .executor(steps)
                .platform(timer)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(PAUSE)
                        .multiplier(2)
                        .thenProceed())
                .listener(new TaskListener() {
                    @Override
                    public void retried(Object key, Object task, int failures, Duration pause, Throwable failure) {
                        futures.get(0).cancel(true);
                    }
                })
                .build();
        Written<Object> written = new Written<>();
        OrderedOutput<Object> output = executor.open(written);
        futures.add(output.submit(() -> {
            attempts.incrementAndGet();
            throw new ThrownOnPurpose();
        }));
        futures.add(output.submit(() -> "next"));
        steps.runAll();
        assertThat(written.all()).as("written although the timer says nothing").containsExactly("next");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 1, 0));
        assertThat(attempts).hasValue(1);
    }

    @ParameterizedTest(name = "pause: {0} s")
    @ValueSource(longs = {0, 1})
    @DisplayName(
            "a piece that is to be tried again when shutdownNow comes fails for good, and the listener hears of it")
    void shutdownNowWhenItsFailureIsTold(long seconds) {
        SteppedExecutor steps = new SteppedExecutor();
        List<OrderedOutputExecutor> executors = new ArrayList<>();
        HeardTasks heard = new HeardTasks() {
            @Override
            public void onEvent(Event event) {
                if (event.kind() == Kind.RETRIED) {
                    executors.get(0).shutdownNow();
                }
            }
        };
        OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                .executor(steps)
                .platform(timer)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(seconds))
                        .multiplier(2)
                        .thenProceed())
                .listener(heard)
                .build();
        executors.add(executor);
        Written<Object> written = new Written<>();
        CompletableFuture<Object> future = executor.open(written).submit(() -> {
            attempts.incrementAndGet();
            throw new ThrownOnPurpose();
        });
        steps.runAll();
        timer.fire();
        steps.runAll();
        assertThat(attempts).hasValue(1);
        assertThat(future).failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(ThrownOnPurpose.class);
        assertThat(written.all()).isEmpty();
        assertThat(heard.all())
                .extracting(HeardTasks.Event::kind)
                .containsExactlyInAnyOrder(
                        HeardTasks.Kind.QUEUED,
                        HeardTasks.Kind.STARTED,
                        HeardTasks.Kind.RETRIED,
                        HeardTasks.Kind.FAILED);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 1, 0, 0));
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void whatALateStageOfAnEarlierAttemptSaysIsNotHeard() {
        SteppedPieces pieces = retrying(2, Duration.ZERO, OutputFailure.fail());
        CompletableFuture<Object> late = new CompletableFuture<>();
        CompletableFuture<Object> second = new CompletableFuture<>();
        CompletableFuture<Object> future = pieces.output.submitAsync(() -> {
            if (attempts.getAndIncrement() > 0) {
                return second;
            }
            // it fails at once, and goes on by itself
            return new CompletableFuture<Object>() {
                @Override
                public CompletableFuture<Object> whenComplete(
                        java.util.function.BiConsumer<? super Object, ? super Throwable> action) {
                    action.accept(null, new ThrownOnPurpose());
                    return late.whenComplete(action);
                }
            };
        });
        pieces.steps.runAll();
        late.complete("of the first attempt");
        pieces.steps.runAll();
        assertThat(future).isNotDone();
        second.complete("of the second");
        pieces.steps.runAll();
        assertThat(attempts).hasValue(2);
        assertThat(future).isCompletedWithValue("of the second");
        pieces.assertWrittenAndEnded("of the second");
    }
}
