package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A piece whose future is done before it is written, wherever the piece is, and whoever has done it. */
class OrderedOutputCancellationTest {

    /** The ways to get ahead of a piece. */
    enum Way {
        CANCEL {
            @Override
            void with(CompletableFuture<Object> future) {
                assertThat(future.cancel(false)).isTrue();
            }
        },
        INTERRUPT {
            @Override
            void with(CompletableFuture<Object> future) {
                assertThat(future.cancel(true)).isTrue();
            }
        },
        COMPLETE {
            @Override
            void with(CompletableFuture<Object> future) {
                assertThat(future.complete("by others")).isTrue();
            }
        },
        FAIL {
            @Override
            void with(CompletableFuture<Object> future) {
                assertThat(future.completeExceptionally(new ThrownOnPurpose())).isTrue();
            }
        },
        PAST_THE_METHODS {
            @Override
            void with(CompletableFuture<Object> future) {
                CountDownLatch done = new CountDownLatch(1);
                var unused = future.whenComplete((result, failure) -> done.countDown());
                future.orTimeout(1, TimeUnit.NANOSECONDS);
                Patience.await(done);
            }
        };

        abstract void with(CompletableFuture<Object> future);
    }

    private static void assertLeftOut(SteppedPieces pieces) throws InterruptedException {
        // a thread of the JDK may still be about to go on
        for (long left = 100 * Patience.SECONDS;
                left > 0 && !pieces.executor.awaitIdle(Duration.ofMillis(10));
                left--) {
            pieces.steps.runAll();
        }
        pieces.assertWrittenAndEnded(0, 2);
        assertThat(pieces.executor.inspect().stats().completed()
                        + pieces.executor.inspect().stats().failed()
                        + pieces.executor.inspect().stats().cancelled())
                .isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(names = "PAST_THE_METHODS", mode = EnumSource.Mode.EXCLUDE)
    void aPieceThatWaitsForASlot(Way way) throws InterruptedException {
        SteppedPieces pieces = new SteppedPieces(executor -> executor, output -> output.concurrency(1));
        pieces.begin(3);
        way.with(pieces.futures.get(1));
        assertThat(pieces.output.snapshot().open()).isEqualTo(2);
        pieces.finish(0);
        pieces.finish(2);
        assertThat(pieces.started).containsExactly(0, 2);
        assertLeftOut(pieces);
    }

    @ParameterizedTest
    @EnumSource(names = "PAST_THE_METHODS", mode = EnumSource.Mode.EXCLUDE)
    void aPieceThatIsQueued(Way way) throws InterruptedException {
        SteppedPieces pieces = new SteppedPieces();
        pieces.submit();
        pieces.submit();
        pieces.submit();
        way.with(pieces.futures.get(1));
        assertThat(pieces.executor.inspect().stats().queued()).isEqualTo(2);
        pieces.steps.runAll();
        assertThat(pieces.started).containsExactly(0, 2);
        pieces.finish(0, 2);
        assertLeftOut(pieces);
    }

    @ParameterizedTest
    @EnumSource
    void aPieceThatIsWorkedOn(Way way) throws InterruptedException {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(3);
        way.with(pieces.futures.get(1));
        pieces.finish(2, 0);
        assertLeftOut(pieces);
        pieces.finish(1);
        assertLeftOut(pieces);
    }

    @ParameterizedTest
    @EnumSource
    void aPieceThatIsFinishedAndNotWritten(Way way) throws InterruptedException {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(3);
        pieces.finish(1);
        way.with(pieces.futures.get(1));
        pieces.finish(2, 0);
        assertLeftOut(pieces);
    }

    @ParameterizedTest
    @EnumSource(names = "PAST_THE_METHODS", mode = EnumSource.Mode.EXCLUDE)
    void aPieceWhoseTurnHasComeAndWhoseThreadHasNot(Way way) throws InterruptedException {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(3);
        pieces.finish(0);
        pieces.stages.get(1).complete(1);
        way.with(pieces.futures.get(1));
        pieces.finish(2);
        assertLeftOut(pieces);
    }

    @ParameterizedTest
    @EnumSource(names = "PAST_THE_METHODS", mode = EnumSource.Mode.EXCLUDE)
    void aPieceThatIsBeingWritten(Way way) {
        List<CompletableFuture<Object>> futures = new ArrayList<>();
        AtomicBoolean interrupted = new AtomicBoolean();
        SteppedPieces pieces = new SteppedPieces();
        Written<Object> written = new Written<>(result -> {
            if (result.equals(1)) {
                way.with(futures.get(1));
            }
            interrupted.compareAndSet(false, Thread.interrupted());
        });
        OrderedOutput<Object> output = pieces.executor.open(written);
        for (int i = 0; i < 3; i++) {
            int number = i;
            futures.add(output.submit(() -> number));
        }
        pieces.steps.runAll();
        assertThat(written.all()).as("an output that has begun goes on").containsExactly(0, 1, 2);
        assertThat(interrupted).isFalse();
        assertThat(futures).allMatch(CompletableFuture::isDone);
        pieces.heard.assertOneEndEach("");
        assertThat(output.snapshot().open()).isZero();
    }

    @Test
    void aPieceThatIsCancelledBeforeAThreadComesNeedsNone() {
        SteppedPieces pieces = new SteppedPieces();
        pieces.submit();
        pieces.futures.get(0).cancel(true);
        pieces.assertWrittenAndEnded();
        assertThat(pieces.started).isEmpty();
    }

    @Test
    void aPieceThatIsDoneIsNotCancelled() {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(1);
        pieces.finish(0);
        assertThat(pieces.futures.get(0).cancel(true)).isFalse();
        assertThat(pieces.futures.get(0)).isCompletedWithValue(0);
        pieces.assertWrittenAndEnded(0);
    }

    @ParameterizedTest(name = "interrupts: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("An interrupt of a cancellation reaches the work of that piece and nothing else")
    void theInterruptStaysWithThePiece(boolean interrupts) {
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        AtomicBoolean wasInterrupted = new AtomicBoolean();
        AtomicBoolean leaked = new AtomicBoolean();
        Written<String> written = new Written<>(result -> leaked.set(leaked.get() || Thread.interrupted()));
        try (OrderedOutputExecutor executor =
                        OrderedOutputExecutor.builder().threads(1).build();
                OrderedOutput<String> output = executor.open(written)) {
            CompletableFuture<String> cancelled = output.submit(() -> {
                working.countDown();
                try {
                    never.await();
                } catch (InterruptedException interrupt) {
                    wasInterrupted.set(true);
                    // as one does that cannot go on
                    Thread.currentThread().interrupt();
                }
                return "cancelled";
            });
            output.submit(() -> {
                leaked.set(leaked.get() || Thread.interrupted());
                return "next";
            });
            Patience.await(working);
            cancelled.cancel(interrupts);
            if (!interrupts) {
                never.countDown();
            }
        }
        assertThat(wasInterrupted.get()).isEqualTo(interrupts);
        assertThat(leaked).isFalse();
        assertThat(written.all()).containsExactly("next");
    }

    @Test
    void anInterruptThatAnOutputSetsIsNotLeftToTheNextOne() {
        AtomicBoolean leaked = new AtomicBoolean();
        Written<Integer> written = new Written<>(result -> {
            leaked.set(leaked.get() || Thread.currentThread().isInterrupted());
            Thread.currentThread().interrupt();
        });
        SteppedPieces pieces = new SteppedPieces();
        OrderedOutput<Integer> output = pieces.executor.open(written);
        for (int i = 0; i < 200; i++) {
            int number = i;
            output.submit(() -> number);
        }
        while (pieces.steps.runNext()) {
            assertThat(Thread.interrupted()).as("left to the thread").isFalse();
        }
        Written.assertCounted(written, 200);
        assertThat(leaked).isFalse();
    }

    @Test
    void anInterruptOfTheThreadThatFindsNoOtherIsItsOwn() {
        AtomicBoolean leaked = new AtomicBoolean();
        Written<Object> written =
                new Written<>(result -> leaked.set(Thread.currentThread().isInterrupted()));
        SteppedPieces pieces = new SteppedPieces();
        OrderedOutput<Object> output = pieces.executor.open(written);
        CompletableFuture<Object> stage = new CompletableFuture<>();
        output.submitAsync(() -> stage);
        pieces.steps.runAll();
        pieces.steps.refuse(true);
        Thread.currentThread().interrupt();
        stage.complete("written elsewhere");
        assertThat(Thread.interrupted()).isTrue();
        Patience.terminate(pieces.executor);
        assertThat(written.all()).containsExactly("written elsewhere");
        assertThat(leaked).isFalse();
    }

    // races

    @Test
    @DisplayName("A piece that is cancelled while a paused executor puts it aside is left out at once")
    void cancelledWhileItIsPutAside() {
        SteppedPieces pieces = new SteppedPieces();
        pieces.executor.control().pause();
        race(
                5_000,
                () -> {
                    Object own = new Object();
                    CompletableFuture<Object> future = pieces.output.submit(() -> own);
                    return new Runnable[] {pieces.steps::runAll, () -> future.cancel(true)};
                },
                () -> {
                    pieces.steps.runAll();
                    assertThat(pieces.output.snapshot().open()).isZero();
                });
        pieces.heard.assertOneEndEach("");
        assertThat(pieces.executor.inspect().stats().cancelled()).isEqualTo(5_000);
        assertThat(pieces.written.count()).isZero();
    }

    @Test
    @DisplayName("whoever is first, the end of a stage or a cancellation, the next piece is written")
    void cancelledWhileItIsFinished() {
        SteppedPieces pieces = new SteppedPieces();
        List<CompletableFuture<Object>> next = new ArrayList<>();
        race(
                5_000,
                () -> {
                    CompletableFuture<Object> stage = new CompletableFuture<>();
                    CompletableFuture<Object> future = pieces.output.submitAsync(() -> stage);
                    pieces.steps.runAll();
                    Object own = new Object();
                    next.add(pieces.output.submit(() -> own));
                    pieces.steps.runAll();
                    return new Runnable[] {
                        () -> {
                            stage.complete("finished");
                            pieces.steps.runAll();
                        },
                        () -> future.cancel(true)
                    };
                },
                () -> {
                    pieces.steps.runAll();
                    assertThat(next.remove(0)).isCompleted();
                    assertThat(pieces.output.snapshot().open()).isZero();
                });
        pieces.heard.assertOneEndEach("");
        assertThat(pieces.executor.inspect().stats().completed()
                        + pieces.executor.inspect().stats().cancelled())
                .isEqualTo(10_000);
    }

    private interface Round {
        Runnable[] begin();
    }

    /** Does two things at the same time, over and over, and looks at what came of it. */
    private static void race(int rounds, Round round, Runnable check) {
        CyclicBarrier barrier = new CyclicBarrier(2);
        Runnable[][] racing = new Runnable[1][];
        Thread other = new Thread(() -> {
            for (int i = 0; i < rounds; i++) {
                Patience.meet(barrier);
                racing[0][1].run();
                Patience.meet(barrier);
            }
        });
        other.start();
        for (int i = 0; i < rounds; i++) {
            racing[0] = round.begin();
            Patience.meet(barrier);
            racing[0][0].run();
            Patience.meet(barrier);
            check.run();
        }
        Patience.join(other);
    }

    @Test
    @DisplayName("pieces that are cancelled as soon as they are submitted leave the executor idle")
    void cancelledAtOnce() throws InterruptedException {
        int pieces = 50_000;
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().threads(2).window(1_000_000).build();
        List<Integer> written = new ArrayList<>();
        OrderedOutput<Integer> output = executor.open(written::add);
        List<Thread> submitters = new ArrayList<>();
        for (int submitter = 0; submitter < 3; submitter++) {
            submitters.add(new Thread(() -> {
                for (int i = 0; i < pieces; i++) {
                    int number = i;
                    output.submit(() -> number).cancel(false);
                }
            }));
        }
        submitters.forEach(Thread::start);
        submitters.forEach(Patience::join);
        // a piece that was started before it had its place, and was over by then, was counted there for ever
        assertThat(executor.awaitIdle(Duration.ofSeconds(Patience.SECONDS))).isTrue();
        OrderedExecutorStats stats = executor.inspect().stats();
        assertThat(stats.completed() + stats.cancelled()).isEqualTo(3L * pieces);
        // one may be cancelled while it is written
        assertThat(written).hasSizeGreaterThanOrEqualTo((int) stats.completed());
        Patience.terminate(executor);
    }
}
