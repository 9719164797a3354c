package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedPieces;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.fixtures.Unreadable;
import io.orderedexecutor.fixtures.Written;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of an output when a piece fails, in its work or in its output. */
class OrderedOutputFailureTest {
    private final ThrownOnPurpose failure = new ThrownOnPurpose();

    private static SteppedPieces with(OutputFailure<Object> onFailure) {
        return new SteppedPieces(executor -> executor, output -> output.onFailure(onFailure));
    }

    /** Lets the work of a piece fail. */
    private void fail(SteppedPieces pieces, int number) {
        pieces.stages.get(number).completeExceptionally(failure);
        pieces.steps.runAll();
    }

    private void assertFailed(CompletableFuture<?> future) {
        assertThatThrownBy(future::join).isInstanceOf(CompletionException.class).hasCause(failure);
    }

    // skip

    @Test
    void aPieceThatFailsIsLeftOut() {
        SteppedPieces pieces = with(OutputFailure.fail());
        pieces.begin(3);
        fail(pieces, 1);
        assertThat(pieces.futures.get(1)).as("a failure that has no turn yet").isNotDone();
        pieces.finish(2, 0);
        pieces.assertWrittenAndEnded(0, 2);
        assertFailed(pieces.futures.get(1));
        assertThat(pieces.executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 1, 0, 0));
        assertThat(pieces.heard.all().stream().filter(event -> event.kind() == HeardTasks.Kind.FAILED))
                .singleElement()
                .satisfies(event -> assertThat(event.failure()).isSameAs(failure));
    }

    @Test
    @DisplayName("the first failure in the order of the pieces tells that the output is not complete")
    void theFirstFailure() {
        SteppedPieces pieces = with(OutputFailure.fail());
        pieces.begin(4);
        pieces.stages.get(2).completeExceptionally(new ThrownOnPurpose());
        pieces.steps.runAll();
        assertThat(pieces.output.failure()).as("before its turn").isEmpty();
        fail(pieces, 1);
        pieces.finish(0);
        assertThat(pieces.output.failure()).containsSame(failure);
        pieces.finish(3);
        pieces.output.close();
        pieces.assertWrittenAndEnded(0, 3);
        assertThat(pieces.output.failure()).containsSame(failure);
        assertThatThrownBy(pieces::submit)
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("is closed")
                .hasNoCause();
    }

    @Test
    void aCancelledPieceHasNotFailed() {
        SteppedPieces pieces = with(OutputFailure.fail());
        pieces.begin(2);
        assertThat(pieces.futures.get(0).cancel(false)).isTrue();
        pieces.steps.runAll();
        pieces.finish(1);
        pieces.assertWrittenAndEnded(1);
        assertThat(pieces.output.failure()).isEmpty();
    }

    @Test
    void aFailureIsReportedInItsTurn() {
        List<Object> events = new ArrayList<>();
        SteppedPieces pieces = with(OutputFailure.omit(events::add));
        pieces.begin(3);
        pieces.futures.forEach(future -> future.whenComplete((result, failed) -> events.add(String.valueOf(result))));
        fail(pieces, 1);
        pieces.finish(2);
        assertThat(events).isEmpty();
        pieces.finish(0);
        assertThat(events).containsExactly("0", failure, "null", "2");
        pieces.assertWrittenAndEnded(0, 2);
    }

    @Test
    void whatAReportThrowsGoesToTheHandlerOfTheThread() {
        ThrownOnPurpose ofReport = new ThrownOnPurpose();
        AtomicReference<Throwable> uncaught = new AtomicReference<>();
        SteppedPieces pieces = with(OutputFailure.omit(failed -> {
            throw ofReport;
        }));
        pieces.begin(2);
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.set(thrown));
        try {
            pieces.finish(1);
            fail(pieces, 0);
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(null);
        }
        assertThat(uncaught.get()).isSameAs(ofReport);
        assertFailed(pieces.futures.get(0));
        pieces.assertWrittenAndEnded(1);
    }

    @ParameterizedTest(name = "an error: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("an output that throws fails the future of its piece, and no other")
    void anOutputThatThrows(boolean error) {
        Throwable thrown = error ? new AssertionError("on purpose") : failure;
        List<Object> reported = new ArrayList<>();
        Written<Object> written = new Written<>(result -> {
            if (result.equals(1)) {
                OrderedOutputFailureTest.<RuntimeException>sneak(thrown);
            }
        });
        SteppedPieces pieces = new SteppedPieces();
        OrderedOutput<Object> output = pieces.executor
                .<Object>outputTo(written)
                .onFailure(OutputFailure.omit(reported::add))
                .open();
        List<CompletableFuture<Object>> futures = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            futures.add(output.submit(() -> number));
        }
        pieces.steps.runAll();
        assertThat(written.all()).containsExactly(0, 1, 2);
        assertThat(futures.get(0)).isCompletedWithValue(0);
        assertThatThrownBy(futures.get(1)::join).hasCause(thrown);
        assertThat(futures.get(2)).isCompletedWithValue(2);
        assertThat(reported).containsExactly(thrown);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable thrown) throws E {
        throw (E) thrown;
    }

    // stop

    @Test
    void aFailureThatStopsCancelsWhatFollowsAndNothingElse() {
        SteppedPieces pieces = with(OutputFailure.close());
        pieces.begin(5);
        pieces.submit();
        fail(pieces, 2);
        pieces.finish(4);
        assertThat(pieces.output.isClosed()).as("before its turn").isFalse();
        pieces.finish(0);
        pieces.finish(1);
        assertThat(pieces.output.isClosed()).isTrue();
        assertThat(pieces.output.failure()).containsSame(failure);
        assertFailed(pieces.futures.get(2));
        assertThat(pieces.futures.subList(3, 6)).allMatch(CompletableFuture::isCancelled);
        assertThatThrownBy(pieces::submit)
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("output 'frames'")
                .hasMessageContaining("stopped by a failure")
                .hasCause(failure);
        assertThat(pieces.output.flush()).isDone();
        pieces.output.close();
        pieces.assertWrittenAndEnded(0, 1);
        assertThat(pieces.executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 1, 3, 1));
    }

    @Test
    @DisplayName("an action whose failure throws when it is looked at does not keep a failure from stopping the output")
    void unreadableFailureOfAnAction() {
        SteppedPieces pieces = with(OutputFailure.close());
        pieces.begin(3);
        var unused = pieces.futures.get(2).handle((result, failed) -> {
            throw new Unreadable();
        });
        fail(pieces, 0);
        assertFailed(pieces.futures.get(0));
        assertThat(pieces.futures.subList(1, 3)).allMatch(CompletableFuture::isCancelled);
        pieces.assertWrittenAndEnded();
        Patience.terminate(pieces.executor);
        assertThat(pieces.executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 1, 2, 0));
    }

    @Test
    void anOutputThatThrowsStopsToo() {
        Written<Object> written = new Written<>(result -> {
            throw failure;
        });
        SteppedPieces pieces = new SteppedPieces();
        OrderedOutput<Object> output = pieces.executor
                .<Object>outputTo(written)
                .onFailure(OutputFailure.close())
                .open();
        CompletableFuture<Object> first = output.submit(() -> "first");
        CompletableFuture<Object> second = output.submit(() -> "second");
        pieces.steps.runAll();
        assertFailed(first);
        assertThat(second).isCancelled();
        assertThat(written.all()).containsExactly("first");
    }

    @Test
    void whoIsToldOfTheFailureCannotSubmit() {
        SteppedPieces pieces = with(OutputFailure.close());
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        CompletableFuture<Object> first = pieces.submit();
        var unused = first.exceptionally(failed -> pieces.output.submit(() -> "after"))
                .exceptionally(refused -> {
                    refusal.set(refused);
                    return null;
                });
        pieces.steps.runAll();
        fail(pieces, 0);
        assertThat(refusal.get()).hasCauseInstanceOf(RejectedExecutionException.class);
        pieces.assertWrittenAndEnded();
    }

    @Test
    void aPieceOnItsWayInIsNotWrittenAfterAStop() {
        SteppedPieces pieces = new SteppedPieces();
        List<Boolean> stopped = new ArrayList<>();
        // the piece has its place, and its submitter is about to find a thread
        pieces.steps.whenGiven(() -> {
            pieces.output.stop();
            stopped.add(true);
        });
        pieces.submit();
        assertThat(stopped).containsExactly(true);
        pieces.steps.runAll();
        assertThat(pieces.started).isEmpty();
        assertThat(pieces.futures).singleElement().matches(CompletableFuture::isCancelled);
        pieces.assertWrittenAndEnded();
    }

    // replace

    @Test
    void aReplacementIsWrittenInThePlaceOfThePiece() {
        SteppedPieces pieces = with(OutputFailure.replace(failed -> failed == failure ? "instead" : "another failure"));
        pieces.begin(3);
        fail(pieces, 1);
        pieces.finish(2);
        assertThat(pieces.written.all()).isEmpty();
        pieces.finish(0);
        pieces.assertWrittenAndEnded(0, "instead", 2);
        assertThat(pieces.futures.get(1)).isCompletedWithValue("instead");
        assertThat(pieces.output.failure()).isEmpty();
        assertThat(pieces.executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 3, 0, 0, 0));
    }

    @Test
    void aReplacementThatThrowsOrCannotBeWrittenLeavesThePieceOut() {
        IllegalStateException ofReplacement = new IllegalStateException("on purpose");
        IllegalStateException ofOutput = new IllegalStateException("cannot be written");
        Written<Object> written = new Written<>(result -> {
            if (result.equals("unwritable")) {
                throw ofOutput;
            }
        });
        SteppedPieces pieces = new SteppedPieces();
        OrderedOutput<Object> output = pieces.executor
                .<Object>outputTo(written)
                .onFailure(OutputFailure.replace(failed -> {
                    if (failed instanceof ThrownOnPurpose) {
                        throw ofReplacement;
                    }
                    return "unwritable";
                }))
                .open();
        CompletableFuture<Object> first = output.submit(() -> {
            throw failure;
        });
        IllegalArgumentException ofWork = new IllegalArgumentException("on purpose");
        CompletableFuture<Object> second = output.submit(() -> {
            throw ofWork;
        });
        CompletableFuture<Object> third = output.submit(() -> "unwritable");
        CompletableFuture<Object> last = output.submit(() -> "last");
        pieces.steps.runAll();
        assertThatThrownBy(first::join).hasCause(ofReplacement);
        assertThat(ofReplacement).hasSuppressedException(failure);
        assertThatThrownBy(second::join).hasCause(ofOutput);
        assertThat(ofOutput).hasSuppressedException(ofWork);
        assertThatThrownBy(third::join).hasCause(ofOutput);
        assertThat(last).isCompletedWithValue("last");
        assertThat(written.all()).containsExactly("unwritable", "unwritable", "last");
    }

    @Test
    void aReplacementThatThrowsTheSameFailureIsNotSuppressedByItself() {
        SteppedPieces pieces = with(OutputFailure.replace(failed -> {
            throw failure;
        }));
        pieces.begin(1);
        fail(pieces, 0);
        assertFailed(pieces.futures.get(0));
        pieces.assertWrittenAndEnded();
    }

    // asynchronous work

    enum Faulty implements Supplier<CompletionStage<Object>> {
        THROWS {
            @Override
            public CompletionStage<Object> get() {
                throw new IllegalArgumentException("says the supplier");
            }
        },
        RETURNS_NULL {
            @Override
            public CompletionStage<Object> get() {
                return null;
            }
        },
        HAS_FAILED {
            @Override
            public CompletionStage<Object> get() {
                return CompletableFuture.failedFuture(new IllegalArgumentException("says the stage"));
            }
        },
        HAS_FAILED_BEHIND_ANOTHER {
            @Override
            public CompletionStage<Object> get() {
                return HAS_FAILED.get().thenApply(result -> result);
            }
        };
    }

    @ParameterizedTest
    @EnumSource
    void asynchronousWorkThatFailsAtOnce(Faulty work) {
        List<Throwable> reported = new ArrayList<>();
        SteppedPieces pieces = with(OutputFailure.omit(reported::add));
        pieces.submit();
        CompletableFuture<Object> faulty = pieces.output.submitAsync(work);
        pieces.steps.runAll();
        assertThat(reported).isEmpty();
        pieces.finish(0);
        assertThat(faulty).isCompletedExceptionally();
        assertThat(reported)
                .singleElement()
                .isInstanceOf(
                        work == Faulty.RETURNS_NULL ? NullPointerException.class : IllegalArgumentException.class);
        if (work == Faulty.RETURNS_NULL) {
            assertThat(reported.get(0)).hasMessageContaining("returned null");
        }
        pieces.assertWrittenAndEnded(0);
    }

    @ParameterizedTest(name = "retried: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("a stage that tells its end and then throws does not stall the output")
    void aStageThatThrowsAfterItHasToldItsEnd(boolean retried) {
        SteppedPieces pieces = new SteppedPieces(
                executor -> retried
                        ? executor.failurePolicy(FailurePolicy.retry()
                                .maxRetries(1)
                                .delay(Duration.ZERO)
                                .multiplier(2)
                                .thenProceed())
                        : executor,
                output -> output);
        CompletableFuture<Object> broken = new CompletableFuture<>() {
            @Override
            public CompletableFuture<Object> whenComplete(
                    java.util.function.BiConsumer<? super Object, ? super Throwable> action) {
                action.accept("told", null);
                pieces.steps.refuse(true);
                throw failure;
            }
        };
        CompletableFuture<Object> future = pieces.output.submitAsync(() -> broken);
        pieces.begin(1);
        pieces.steps.refuse(false);
        pieces.finish(0);
        assertThat(future).isDone();
        assertThat(pieces.futures.get(0)).isCompletedWithValue(0);
        assertThat(pieces.executor.inspect().stats().active()).isZero();
    }
}
