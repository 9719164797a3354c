package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.SteppedPieces;
import io.orderedexecutor.fixtures.Written;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * R10 for ordered outputs: a piece that waits for a later one of the same output would wait for itself, in its work and
 * in its output.
 */
class OrderedOutputSelfWaitTest {

    /** The ways to wait. */
    enum Way {
        GET {
            @Override
            Object await(CompletableFuture<?> future) throws Exception {
                return future.get();
            }
        },
        GET_WITH_A_LIMIT {
            @Override
            Object await(CompletableFuture<?> future) throws Exception {
                return future.get(Patience.SECONDS, TimeUnit.SECONDS);
            }
        },
        JOIN {
            @Override
            Object await(CompletableFuture<?> future) {
                return future.join();
            }
        };

        abstract Object await(CompletableFuture<?> future) throws Exception;

        void assertTold(CompletableFuture<?> future) {
            assertThatThrownBy(() -> await(future))
                    .isInstanceOf(SelfWaitException.class)
                    .hasMessageContaining("of output 'frames' of ordered output executor 'encoder'")
                    .hasMessageContaining(Thread.currentThread().getName());
        }
    }

    private static Callable<Object> named(String name) {
        return new Callable<>() {
            @Override
            public Object call() {
                return name;
            }

            @Override
            public String toString() {
                return name;
            }
        };
    }

    @ParameterizedTest
    @EnumSource
    void workThatWaitsForALaterPiece(Way way) {
        SteppedPieces pieces = new SteppedPieces();
        List<CompletableFuture<Object>> later = new ArrayList<>();
        CompletableFuture<Object> first = pieces.output.submit(() -> {
            way.assertTold(later.get(0));
            return "told";
        });
        later.add(pieces.output.submit(named("later")));
        pieces.futures.addAll(List.of(first, later.get(0)));
        pieces.steps.runAll();
        assertThat(first).isCompletedWithValue("told");
        pieces.assertWrittenAndEnded("told", "later");
    }

    @ParameterizedTest
    @EnumSource
    void workBehindAnotherPieceThatWaitsForALaterPiece(Way way) {
        SteppedPieces pieces = new SteppedPieces();
        CompletableFuture<Object> open = new CompletableFuture<>();
        List<CompletableFuture<Object>> later = new ArrayList<>();
        CompletableFuture<Object> first = pieces.output.submitAsync(() -> open);
        CompletableFuture<Object> second = pieces.output.submit(() -> {
            way.assertTold(later.get(0));
            return "told";
        });
        later.add(pieces.output.submit(named("later")));
        pieces.futures.addAll(List.of(first, second, later.get(0)));
        pieces.steps.runAll();
        open.complete("first");
        pieces.steps.runAll();
        assertThat(second).isCompletedWithValue("told");
        pieces.assertWrittenAndEnded("first", "told", "later");
    }

    @Test
    void workBehindAnotherPieceThatReturnsALaterPiece() {
        SteppedPieces pieces = new SteppedPieces();
        CompletableFuture<Object> open = new CompletableFuture<>();
        List<CompletableFuture<Object>> later = new ArrayList<>();
        CompletableFuture<Object> first = pieces.output.submitAsync(() -> open);
        CompletableFuture<Object> second = pieces.output.submitAsync(() -> later.get(0));
        later.add(pieces.output.submit(named("later")));
        pieces.futures.addAll(List.of(first, second, later.get(0)));
        pieces.steps.runAll();
        open.complete("first");
        pieces.steps.runAll();
        assertThat(second)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(SelfWaitException.class);
        assertThat(pieces.futures).allMatch(CompletableFuture::isDone);
    }

    @ParameterizedTest
    @EnumSource
    void anOutputThatWaitsForALaterPiece(Way way) {
        SteppedPieces pieces = new SteppedPieces();
        List<CompletableFuture<Object>> later = new ArrayList<>();
        List<Object> told = new ArrayList<>();
        Written<Object> written = new Written<>(result -> {
            if (result.equals("first")) {
                way.assertTold(later.get(0));
                told.add(result);
            }
        });
        OrderedOutput<Object> output =
                pieces.executor.<Object>outputTo(written).name("frames").open();
        CompletableFuture<Object> first = output.submit(() -> "first");
        later.add(output.submitAsync(() -> {
            pieces.started.add(1);
            return CompletableFuture.completedFuture("later");
        }));
        pieces.steps.runAll();
        assertThat(first).isCompletedWithValue("first");
        assertThat(told).containsExactly("first");
        assertThat(written.all()).containsExactly("first", "later");
    }

    @Test
    void aPieceThatReturnsTheFutureOfALaterOneIsTold() {
        List<Object> written = new ArrayList<>();
        SteppedExecutor stepped = new SteppedExecutor();
        OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                .name("encoder")
                .executor(stepped)
                .build();
        OrderedOutput<Object> output = executor.outputTo(written::add)
                .name("frames")
                .onFailure(OutputFailure.fail())
                .open();
        CompletableFuture<Object> first = output.submitAsync(() -> output.submit(named("later")));
        stepped.runAll();
        assertThatThrownBy(first::join)
                .hasRootCauseInstanceOf(SelfWaitException.class)
                .hasMessageContaining("of output 'frames' of ordered output executor 'encoder'");
        assertThat(written).containsExactly("later");
        executor.close();
    }

    @Test
    void aLaterPieceThatIsFinishedHasNotBeenWritten() {
        SteppedPieces pieces = new SteppedPieces();
        CompletableFuture<Object> head = new CompletableFuture<>();
        List<CompletableFuture<Object>> later = new ArrayList<>();
        Written<Object> written = new Written<>(result -> {
            if (result.equals("first")) {
                Way.JOIN.assertTold(later.get(0));
            }
        });
        OrderedOutput<Object> output =
                pieces.executor.<Object>outputTo(written).name("frames").open();
        CompletableFuture<Object> first = output.submitAsync(() -> head);
        later.add(output.submit(named("later")));
        pieces.steps.runAll();
        // no false alarm: who does nothing for that output waits
        CompletableFuture<Object> ofOther = pieces.output.submit(() -> {
            assertThatThrownBy(() -> later.get(0).get(1, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            return "waited";
        });
        pieces.steps.runAll();
        assertThat(ofOther).isCompletedWithValue("waited");
        head.complete("first");
        pieces.steps.runAll();
        assertThat(first).isCompletedWithValue("first");
        assertThat(written.all()).containsExactly("first", "later");
    }

    @Test
    void aPieceThatWaitsForItselfIsTold() {
        SteppedPieces pieces = new SteppedPieces();
        List<CompletableFuture<Object>> own = new ArrayList<>();
        own.add(pieces.output.submit(() -> {
            assertThatThrownBy(() -> own.get(0).join()).isInstanceOf(SelfWaitException.class);
            return "told";
        }));
        pieces.steps.runAll();
        assertThat(own.get(0)).isCompletedWithValue("told");
        pieces.assertWrittenAndEnded("told");
    }

    @Test
    void aPieceMayWaitForAnEarlierOne() {
        Written<String> written = new Written<>();
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicReference<Thread> waiting = new AtomicReference<>();
        try (OrderedOutputExecutor executor =
                        OrderedOutputExecutor.builder().threads(2).build();
                OrderedOutput<String> output = executor.open(written)) {
            CompletableFuture<String> earlier = output.submit(() -> {
                Patience.await(release);
                return "earlier";
            });
            CompletableFuture<String> later = output.submit(() -> {
                waiting.set(Thread.currentThread());
                started.countDown();
                return "behind " + earlier.get();
            });
            Patience.await(started);
            Patience.awaitParked(waiting.get());
            release.countDown();
            assertThat(Patience.get(later)).isEqualTo("behind earlier");
        }
        assertThat(written.all()).containsExactly("earlier", "behind earlier");
    }

    @Test
    void aCycleThroughTwoOutputsIsBroken() {
        List<CompletableFuture<Object>> later = new ArrayList<>();
        CountDownLatch bothRun = new CountDownLatch(2);
        CountDownLatch bothSubmitted = new CountDownLatch(1);
        List<Written<Object>> written = List.of(new Written<>(), new Written<>());
        List<CompletableFuture<Object>> waiting = new ArrayList<>();
        try (OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().threads(2).build()) {
            List<OrderedOutput<Object>> outputs = List.of(executor.open(written.get(0)), executor.open(written.get(1)));
            for (int i = 0; i < 2; i++) {
                int other = 1 - i;
                waiting.add(outputs.get(i).submit(() -> {
                    bothRun.countDown();
                    Patience.await(bothSubmitted);
                    try {
                        return later.get(other).join();
                    } catch (SelfWaitException told) {
                        return "told";
                    }
                }));
            }
            Patience.await(bothRun);
            later.add(outputs.get(0).submit(named("a")));
            later.add(outputs.get(1).submit(named("b")));
            bothSubmitted.countDown();
            assertThat(List.of(Patience.get(waiting.get(0)), Patience.get(waiting.get(1))))
                    .contains("told");
        }
        assertThat(written.get(0).all()).hasSize(2).endsWith("a");
        assertThat(written.get(1).all()).hasSize(2).endsWith("b");
    }

    @ParameterizedTest
    @EnumSource
    void anActionOfAFlushThatWaitsForALaterPiece(Way way) {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(1);
        CompletableFuture<Void> told =
                pieces.output.flush().thenRun(() -> way.assertTold(pieces.output.submit(named("later"))));
        pieces.finish(0);
        assertThat(told).isCompletedWithValue(null);
        assertThat(pieces.written.all()).containsExactly(0, "later");
    }
}
