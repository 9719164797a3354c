package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.fixtures.Written;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * {@link OrderedOutputExecutor#forEach} and {@link OrderedOutputExecutor#map}: from a source, in parallel, in order.
 */
class OrderedOutputBridgeTest {
    private static final int WINDOW = 8;

    private final OrderedOutputExecutor executor =
            OrderedOutputExecutor.builder().threads(2).window(WINDOW).build();
    private final Written<Integer> written = new Written<>();
    private final ThrownOnPurpose failure = new ThrownOnPurpose();

    /** How many inputs were read, and on which threads. */
    private final AtomicInteger read = new AtomicInteger();

    private final List<Thread> readers = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void nothingIsLeft() {
        executor.shutdown();
        Patience.awaitTermination(executor);
        assertThat(executor.inspect().stats().queued()
                        + executor.inspect().stats().active())
                .isZero();
    }

    private int next() {
        readers.add(Thread.currentThread());
        return read.getAndIncrement();
    }

    private Iterator<Integer> endless() {
        return Stream.generate(this::next).iterator();
    }

    // forEach

    @Test
    void forEachWritesTheResultOfEachInputInOrder() throws InterruptedException {
        executor.forEach(IntStream.range(0, 3000).iterator(), input -> input, written);
        Written.assertCounted(written, 3000);
    }

    @Test
    void forEachOfNothing() throws InterruptedException {
        executor.forEach(Collections.<Integer>emptyIterator(), input -> input, written);
        assertThat(written.count()).isZero();
    }

    @Test
    @DisplayName("a source is read by the calling thread, and no further than the window")
    void forEachReadsNoFurtherThanTheWindow() throws InterruptedException {
        AtomicInteger farthest = new AtomicInteger();
        Written<Integer> watching = new Written<>(result -> farthest.accumulateAndGet(read.get() - result, Math::max));
        Iterator<Integer> inputs = Stream.generate(this::next).limit(2000).iterator();
        executor.forEach(inputs, input -> input, watching);
        Written.assertCounted(watching, 2000);
        // one more is read before there is room for it
        assertThat(farthest.get()).isBetween(1, WINDOW + 1);
        assertThat(readers).containsOnly(Thread.currentThread());
    }

    @Test
    void anEndlessSourceIsLeftWhenAPieceFails() {
        assertThatThrownBy(() -> executor.forEach(
                        endless(),
                        input -> {
                            if (input == 100) {
                                throw failure;
                            }
                            return input;
                        },
                        written))
                .isSameAs(failure);
        Written.assertCounted(written, 100);
    }

    @Test
    void anEndlessSourceIsLeftWhenAnOutputFails() {
        Error error = new AssertionError("on purpose");
        Written<Integer> failing = new Written<>(result -> {
            if (result == 100) {
                throw error;
            }
        });
        assertThatThrownBy(() -> executor.forEach(endless(), input -> input, failing))
                .isSameAs(error);
        Written.assertCounted(failing, 101);
    }

    @Test
    void aSourceThatThrowsEndsIt() {
        Iterator<Integer> inputs = Stream.generate(() -> {
                    int next = next();
                    if (next == 100) {
                        throw failure;
                    }
                    return next;
                })
                .iterator();
        assertThatThrownBy(() -> executor.forEach(inputs, input -> input, written))
                .isSameAs(failure);
        Written.assertCounted(written, 100);
    }

    @Test
    @DisplayName("What was read before the source failed is written, even if its work is not finished by then")
    void forEachCancelsNothingThatWasReadBefore() {
        CountDownLatch thrown = new CountDownLatch(1);
        Iterator<Integer> inputs = Stream.generate(() -> {
                    int next = next();
                    if (next == WINDOW) {
                        thrown.countDown();
                        throw failure;
                    }
                    return next;
                })
                .iterator();
        assertThatThrownBy(() -> executor.forEach(
                        inputs,
                        input -> {
                            Patience.await(thrown);
                            return input;
                        },
                        written))
                .isSameAs(failure);
        Written.assertCounted(written, WINDOW);
    }

    @Test
    @DisplayName("A piece that fails is told rather than the source, which has failed behind it")
    void forEachTellsOfTheFirstFailureInOrder() {
        Iterator<Integer> inputs = Stream.generate(() -> {
                    int next = next();
                    if (next == 3) {
                        throw new IllegalStateException("of the source");
                    }
                    return next;
                })
                .iterator();
        assertThatThrownBy(() -> executor.forEach(
                        inputs,
                        input -> {
                            if (input == 1) {
                                throw failure;
                            }
                            return input;
                        },
                        written))
                .isSameAs(failure);
        Written.assertCounted(written, 1);
    }

    @Test
    @DisplayName("What was read before a shutdown is written, and the refusal of the next is told")
    void aShutdownKeepsWhatWasRead() {
        Iterator<Integer> inputs = Stream.generate(() -> {
                    int next = next();
                    if (next == 5) {
                        executor.shutdown();
                    }
                    return next;
                })
                .iterator();
        assertThatThrownBy(() -> executor.forEach(inputs, input -> input, written))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("is shut down");
        Written.assertCounted(written, 5);
    }

    @Test
    void aSourceThatIsRefusedSomethingItselfEndsItToo() {
        RejectedExecutionException refusal = new RejectedExecutionException("of another executor");
        Iterator<Integer> inputs = Stream.<Integer>generate(() -> {
                    throw refusal;
                })
                .iterator();
        assertThatThrownBy(() -> executor.forEach(inputs, input -> input, written))
                .isSameAs(refusal);
    }

    @Test
    void aThreadThatIsInterruptedWhileItWaitsEndsIt() {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        AtomicBoolean stillInterrupted = new AtomicBoolean();
        AtomicInteger interrupted = new AtomicInteger();
        CountDownLatch working = new CountDownLatch(2);
        Thread caller = SameKind.thread(() -> {
            try {
                executor.forEach(
                        endless(),
                        input -> {
                            working.countDown();
                            try {
                                new CountDownLatch(1).await();
                            } catch (InterruptedException interrupt) {
                                interrupted.incrementAndGet();
                            }
                            return input;
                        },
                        written);
            } catch (InterruptedException | RuntimeException interrupt) {
                thrown.set(interrupt);
            }
            stillInterrupted.set(Thread.currentThread().isInterrupted());
        });
        caller.start();
        Patience.await(working);
        Patience.awaitParked(caller);
        caller.interrupt();
        Patience.join(caller);
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(stillInterrupted).isFalse();
        assertThat(interrupted).hasValue(2);
        assertThat(written.count()).isZero();
    }

    @Test
    void aThreadThatIsInterruptedAndNeverWaitsEndsItToo() {
        OrderedOutputExecutor inline =
                OrderedOutputExecutor.builder().executor(Runnable::run).build();
        Iterator<Integer> inputs = Stream.generate(() -> {
                    if (read.get() == 50) {
                        Thread.currentThread().interrupt();
                    }
                    return next();
                })
                .limit(1000)
                .iterator();
        assertThatThrownBy(() -> inline.forEach(inputs, input -> input, written))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        Written.assertCounted(written, 50);
    }

    @Test
    void aShutdownInTheMiddleEndsIt() {
        assertThatThrownBy(() -> executor.forEach(
                        endless(),
                        input -> {
                            if (input == 50) {
                                executor.shutdown();
                            }
                            return input;
                        },
                        written))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("is shut down");
        assertThat(written.all()).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aShutdownThatCancelsTheLastPiecesIsNoSuccess() {
        assertThatThrownBy(() -> executor.forEach(
                        List.of(0, 1, 2).iterator(),
                        input -> {
                            if (input == 1) {
                                executor.shutdownNow();
                            }
                            return input;
                        },
                        written))
                .isInstanceOfAny(CancellationException.class, RejectedExecutionException.class);
    }

    @Test
    @DisplayName("a task of the executor that would wait for others of it is refused, whether they would find a "
            + "thread or not")
    void aTaskOfTheExecutorCannotWaitForOthers() {
        OrderedOutput<Object> output = executor.open(result -> {});
        CompletableFuture<Object> task = output.submit(() -> {
            assertThatThrownBy(() -> executor.forEach(List.of(1).iterator(), input -> input, written))
                    .isInstanceOf(SelfWaitException.class)
                    .hasMessageContaining("forEach");
            assertThatThrownBy(() -> executor.map(Stream.of(1), input -> input).toList())
                    .isInstanceOf(SelfWaitException.class)
                    .hasMessageContaining("map");
            return "told";
        });
        assertThat(Patience.get(task)).isEqualTo("told");
        assertThat(written.count()).isZero();
    }

    @Test
    void whatIsNullIsNamed() {
        Iterator<Integer> none = Collections.emptyIterator();
        assertNamed("inputs", () -> executor.<Integer, Integer>forEach(null, input -> input, written));
        assertNamed("work", () -> executor.forEach(none, null, written));
        assertNamed("output", () -> executor.forEach(none, input -> input, null));
        assertNamed("inputs", () -> executor.<Integer, Integer>map(null, input -> input));
        assertNamed("work", () -> executor.map(Stream.of(1), null));
    }

    private static void assertNamed(String parameter, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(parameter);
    }

    // map

    @Test
    void mapGivesTheResultsInOrder() {
        assertThat(executor.map(IntStream.range(0, 3000).boxed(), input -> 2 * input))
                .isEqualTo(IntStream.range(0, 3000).map(i -> 2 * i).boxed().toList());
        assertThat(executor.map(Stream.<Integer>empty(), input -> input)).isEmpty();
        assertThat(executor.map(Stream.of(1, 2), input -> null)).containsExactly(null, null);
    }

    @Test
    void mapReadsNothingBeforeAResultIsWantedAndThenNoFurtherThanTheWindow() {
        Stream<Integer> results = executor.map(Stream.generate(this::next), input -> input);
        assertThat(read).hasValue(0);
        assertThat(results.limit(5)).containsExactly(0, 1, 2, 3, 4);
        assertThat(read.get()).isBetween(5, 5 + WINDOW);
        assertThat(readers).containsOnly(Thread.currentThread());
    }

    @Test
    @DisplayName("map gives a result before it reads another input, if the result is there")
    void mapReadsNoFurtherThanForTheNextResult() {
        // an executor that works at once: each result is there when its input was read
        OrderedOutputExecutor inline =
                OrderedOutputExecutor.builder().executor(Runnable::run).build();
        List<Integer> readAtResult = new ArrayList<>();
        try (Stream<Integer> results = inline.map(Stream.generate(this::next), input -> input)) {
            results.limit(5).forEach(result -> readAtResult.add(read.get() - result));
        }
        assertThat(readAtResult).containsExactly(1, 1, 1, 1, 1);
        Patience.terminate(inline);
    }

    @Test
    @DisplayName("map reads ahead while the next result is not there, and the others are worked on meanwhile")
    void mapReadsAhead() {
        CountDownLatch allRead = new CountDownLatch(WINDOW);
        Stream<Integer> source = Stream.generate(() -> {
            allRead.countDown();
            return next();
        });
        Stream<Integer> results = executor.map(source, input -> {
            Patience.await(allRead);
            return input;
        });
        assertThat(results.iterator().next()).isZero();
        assertThat(read).hasValue(WINDOW);
    }

    @Test
    @DisplayName("map loses no result of what was read before its source has failed, which is thrown behind them")
    void mapGivesWhatWasReadBeforeTheSourceFailed() {
        CountDownLatch thrown = new CountDownLatch(1);
        Stream<Integer> source = Stream.generate(() -> {
            int next = next();
            if (next == 5) {
                thrown.countDown();
                throw failure;
            }
            return next;
        });
        List<Integer> consumed = new ArrayList<>();
        Stream<Integer> results = executor.map(source, input -> {
            Patience.await(thrown);
            return input;
        });
        assertThatThrownBy(() -> results.forEach(consumed::add)).isSameAs(failure);
        assertThat(consumed).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void closingAMappedStreamCancelsWhatIsWorkedOnAndClosesTheSource() {
        AtomicBoolean sourceClosed = new AtomicBoolean();
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        Stream<Integer> source = Stream.generate(this::next).onClose(() -> sourceClosed.set(true));
        try (Stream<Integer> results = executor.map(source, input -> {
            if (input == 0) {
                // as long as this result is missing, others are read and worked on
                Patience.await(started);
                return input;
            }
            started.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException interrupt) {
                interrupted.countDown();
            }
            return input;
        })) {
            assertThat(results.iterator().next()).isZero();
        }
        assertThat(sourceClosed).isTrue();
        Patience.await(interrupted);
    }

    @Test
    void whatTheWorkOfMapThrowsIsThrownToTheConsumer() {
        List<Integer> consumed = new ArrayList<>();
        Stream<Integer> results = executor.map(Stream.generate(this::next), input -> {
            if (input == 20) {
                throw failure;
            }
            return input;
        });
        assertThatThrownBy(() -> results.forEach(consumed::add)).isSameAs(failure);
        assertThat(consumed).isEqualTo(IntStream.range(0, 20).boxed().toList());
    }

    @Test
    @DisplayName("also if the work fails since the executor is stopped")
    void whatInterruptedWorkOfMapThrows() {
        CountDownLatch started = new CountDownLatch(1);
        Stream<Integer> results = executor.map(Stream.of(1), input -> {
            started.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException interrupt) {
                throw failure;
            }
            return input;
        });
        Thread stops = new Thread(() -> {
            Patience.await(started);
            executor.shutdownNow();
        });
        stops.start();
        assertThatThrownBy(results::toList).isSameAs(failure);
        Patience.join(stops);
    }

    @Test
    @DisplayName("also what looks like a wrapper, or like a cancellation")
    void whatTheWorkOfMapThrowsIsNotUnwrapped() {
        List<RuntimeException> thrown = List.of(
                new CompletionException(failure),
                new CompletionException(new CancellationException()),
                new CancellationException());
        for (RuntimeException each : thrown) {
            Stream<Integer> results = executor.map(Stream.of(1), input -> {
                throw each;
            });
            assertThatThrownBy(results::toList).isSameAs(each);
            assertThatThrownBy(() -> executor.forEach(
                            List.of(1).iterator(),
                            input -> {
                                throw each;
                            },
                            written))
                    .isSameAs(each);
        }
        assertThat(written.count()).isZero();
    }
}
