package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.SteppedPieces;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.fixtures.Unreadable;
import io.orderedexecutor.fixtures.Written;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.OutputSnapshot;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R9 for ordered outputs: the ends of an executor and of its outputs, from everywhere. */
class OrderedOutputLifecycleTest {
    private final List<Throwable> told = new CopyOnWriteArrayList<>();

    @RegisterExtension
    final DefaultHandler handler = new DefaultHandler((any, failure) -> told.add(failure));

    private static boolean awaitInterrupt() {
        try {
            new CountDownLatch(1).await(Patience.SECONDS, TimeUnit.SECONDS);
            return false;
        } catch (InterruptedException interrupt) {
            return true;
        }
    }

    // the executor

    @Test
    void shutdownWritesAllThatWasAccepted() throws InterruptedException {
        SteppedPieces pieces = new SteppedPieces(executor -> executor, output -> output.concurrency(2));
        pieces.begin(4);
        pieces.executor.shutdown();
        assertThatThrownBy(pieces::submit)
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("ordered output executor 'encoder' is shut down");
        assertThatThrownBy(() -> pieces.executor.open(result -> {})).isInstanceOf(RejectedExecutionException.class);
        pieces.finish(1, 0);
        assertThat(pieces.executor.isTerminated()).isFalse();
        assertThat(pieces.executor.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
        pieces.finish(3, 2);
        assertThat(pieces.executor.awaitTermination(0, TimeUnit.SECONDS)).isTrue();
        pieces.output.close();
        pieces.assertWrittenAndEnded(0, 1, 2, 3);
    }

    @Test
    @DisplayName("forEach ends if an Error breaks the executor")
    void forEachThoughTheExecutorIsBroken() {
        List<String> ran = new ArrayList<>();
        OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                .executor(new SteppedExecutor())
                .platform(new Platform() {
                    @Override
                    public long patienceNanos() {
                        return TimeUnit.MILLISECONDS.toNanos(20);
                    }
                })
                .build();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread reader = new Thread(
                () -> {
                    try {
                        executor.forEach(List.of("never").iterator(), input -> input, ran::add);
                    } catch (Throwable failure) {
                        thrown.set(failure);
                    }
                },
                "reader");
        reader.setDaemon(true);
        reader.start();
        Patience.awaitParked(reader);
        executor.engine().service().orders().setBroken(new StackOverflowError("in the test"));
        Patience.join(reader);
        assertThat(thrown.get())
                .isInstanceOf(RejectedExecutionException.class)
                .hasRootCauseInstanceOf(StackOverflowError.class);
        assertThat(ran).isEmpty();
    }

    @Test
    @DisplayName("close of an output returns if an Error breaks the executor")
    void closeThoughTheExecutorIsBroken() throws InterruptedException {
        List<String> ran = new ArrayList<>();
        OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                .executor(new SteppedExecutor())
                .platform(new Platform() {
                    @Override
                    public long patienceNanos() {
                        return TimeUnit.MILLISECONDS.toNanos(20);
                    }
                })
                .build();
        OrderedOutput<String> output = executor.open(ran::add);
        CompletableFuture<String> future = output.submit(() -> "never");
        Thread closer = new Thread(output::close, "closer");
        closer.start();
        Patience.awaitParked(closer);
        executor.engine().service().orders().setBroken(new StackOverflowError("in the test"));
        Patience.join(closer);
        assertThat(future).isNotDone();
        assertThat(ran).isEmpty();
    }

    @Test
    void shutdownNowGivesBackWhatWasNotStartedInItsOrder() {
        SteppedPieces pieces = new SteppedPieces(executor -> executor, output -> output.concurrency(2));
        pieces.begin(5);
        pieces.finish(1);
        CompletableFuture<Void> flushed = pieces.output.flush();
        List<Runnable> unstarted = pieces.executor.shutdownNow();
        assertThat(unstarted).isEqualTo(pieces.futures.subList(3, 5));
        assertThat(pieces.futures).allMatch(CompletableFuture::isCancelled);
        assertThat(pieces.executor.isTerminated()).as("no thread is needed").isTrue();
        assertThat(flushed).isDone();
        assertThat(pieces.executor.shutdownNow()).isEmpty();
        pieces.output.close();
        pieces.finish(0, 2);
        unstarted.forEach(Runnable::run);
        pieces.assertWrittenAndEnded();
        assertThat(pieces.executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 5, 0));
    }

    @Test
    void shutdownNowInterruptsWorkAndOutputs() {
        CountDownLatch running = new CountDownLatch(2);
        AtomicBoolean[] interrupted = {new AtomicBoolean(), new AtomicBoolean()};
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().threads(2).build();
        Written<String> written = new Written<>(result -> {
            running.countDown();
            interrupted[0].set(awaitInterrupt());
        });
        OrderedOutput<String> output = executor.open(written);
        CompletableFuture<String> first = output.submit(() -> "first");
        output.submit(() -> {
            running.countDown();
            interrupted[1].set(awaitInterrupt());
            return "second";
        });
        Patience.await(running);
        assertThat(executor.shutdownNow()).isEmpty();
        Patience.awaitTermination(executor);
        assertThat(interrupted[0]).isTrue();
        assertThat(interrupted[1]).isTrue();
        assertThat(first).isCompletedWithValue("first");
        assertThat(written.all()).containsExactly("first");
        output.close();
    }

    @Test
    @DisplayName("a piece whose work was interrupted by shutdownNow is cancelled, although it would be its turn "
            + "to be written")
    void workThatIsInterruptedIsNotWritten() {
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().threads(1).build();
        Written<String> written = new Written<>();
        CountDownLatch running = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        CompletableFuture<String> future = executor.open(written).submit(() -> {
            running.countDown();
            interrupted.set(awaitInterrupt());
            return "too late";
        });
        Patience.await(running);
        assertThat(executor.shutdownNow()).isEmpty();
        Patience.awaitTermination(executor);
        assertThat(interrupted).isTrue();
        assertThat(future).isCancelled();
        assertThat(written.all()).isEmpty();
        assertThat(executor.inspect().stats().cancelled()).isEqualTo(1);
    }

    @Test
    @DisplayName("shutdownNow returns what was not started in order, however much has come and gone in between")
    void unstartedWorkIsReturnedInOrder() {
        SteppedExecutor steps = new SteppedExecutor();
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(steps).window(100_000).build();
        OrderedOutput<Integer> output = executor.open(result -> {});
        Random random = new Random(20261122);
        Deque<CompletableFuture<Integer>> open = new ArrayDeque<>();
        for (int round = 0; round < 40; round++) {
            int coming = random.nextInt(200);
            for (int i = 0; i < coming; i++) {
                int number = i;
                open.add(output.submit(() -> number));
            }
            assertThat(executor.inspect().stats().queued()).isEqualTo(open.size());
            // mostly the first, as if they were done, and others here and there
            int going = random.nextInt(open.size() + 1);
            for (int i = 0; i < going && random.nextInt(50) != 0; i++) {
                open.remove().cancel(false);
            }
            open.removeIf(future -> random.nextInt(4) == 0 && future.cancel(false));
            assertThat(executor.inspect().stats().queued()).isEqualTo(open.size());
        }
        assertThat(open).hasSizeGreaterThan(100);
        assertThat(executor.shutdownNow()).isEqualTo(List.copyOf(open));
        assertThat(open).allMatch(CompletableFuture::isCancelled);
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    @DisplayName("a piece that was worked on when shutdownNow came is not written, even if it is its turn: "
            + "nobody would interrupt the output")
    void whatIsFinishedAfterShutdownNowIsNotWritten() {
        SteppedExecutor stepped = new SteppedExecutor();
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(stepped).build();
        Written<Integer> written = new Written<>(result -> {});
        OrderedOutput<Integer> output = executor.open(written);
        List<List<Runnable>> takenBack = new ArrayList<>();
        CompletableFuture<Integer> piece = output.submit(() -> {
            takenBack.add(executor.shutdownNow());
            return 1;
        });
        stepped.runAll();
        assertThat(takenBack).containsExactly(List.of());
        assertThat(written.all()).isEmpty();
        assertThat(piece).isCancelled();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.inspect().stats().cancelled()).isEqualTo(1);
        assertThat(Thread.interrupted()).isFalse();
        output.close();
    }

    @Test
    @DisplayName("what a stopped pool has lost of an output is given up by shutdownNow")
    void aStoppedPoolLosesWhatItWasAsked() {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(3);
        pieces.stages.get(1).complete(1);
        pieces.stages.get(0).complete(0);
        assertThat(pieces.steps.waiting()).as("an output that nobody will run").isEqualTo(1);
        CompletableFuture<Void> flushed = pieces.output.flush();
        pieces.executor.shutdownNow();
        assertThat(flushed).isDone();
        assertThat(pieces.executor.isTerminated()).isTrue();
        pieces.output.close();
        pieces.assertWrittenAndEnded();
    }

    @Test
    void pausingKeepsPiecesFromStartingAndNotFromBeingWritten() throws InterruptedException {
        SteppedPieces pieces = new SteppedPieces(executor -> executor, output -> output.concurrency(2));
        pieces.begin(2);
        pieces.executor.control().pause();
        pieces.begin(2);
        pieces.finish(1, 0);
        assertThat(pieces.started).containsExactly(0, 1);
        assertThat(pieces.written.all()).containsExactly(0, 1);
        assertThat(pieces.executor.awaitIdle(Duration.ofMillis(1))).isFalse();
        pieces.futures.get(2).cancel(true);
        assertThat(pieces.output.snapshot().done()).as("left out at once").isEqualTo(3);
        pieces.executor.control().resume();
        pieces.steps.runAll();
        pieces.finish(3);
        assertThat(pieces.executor.awaitIdle(Duration.ZERO)).isTrue();
        pieces.assertWrittenAndEnded(0, 1, 3);
    }

    // an output

    @Test
    void closingWaitsUntilAllIsWritten() {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(2);
        List<Thread> closers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread closer = SameKind.thread(pieces.output::close);
            closers.add(closer);
            closer.start();
            Patience.awaitParked(closer);
        }
        assertThat(pieces.output.isClosed()).isTrue();
        assertThat(pieces.output.snapshot().open()).isEqualTo(2);
        assertThatThrownBy(pieces::submit)
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("output 'frames' of ordered output executor 'encoder' is closed");
        pieces.finish(1);
        closers.forEach(Patience::awaitParked);
        pieces.finish(0);
        closers.forEach(Patience::join);
        pieces.assertWrittenAndEnded(0, 1);
        assertThat(pieces.output.snapshot()).isEqualTo(new OutputSnapshot("frames", 256, 0, 2, Duration.ZERO));
        pieces.output.close();
    }

    @Test
    void whoIsInterruptedWhileHeClosesStopsAndStillWaits() {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicBoolean stillInterrupted = new AtomicBoolean();
        Written<Integer> written = new Written<>(result -> {
            running.countDown();
            Patience.await(release);
        });
        try (OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().threads(1).build()) {
            OrderedOutput<Integer> output = executor.open(written);
            List<CompletableFuture<Integer>> futures = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int number = i;
                futures.add(output.submit(() -> number));
            }
            Patience.await(running);
            Thread closer = SameKind.thread(() -> {
                Thread.currentThread().interrupt();
                output.close();
                stillInterrupted.set(Thread.currentThread().isInterrupted());
            });
            closer.start();
            assertThatThrownBy(() -> futures.get(2).get(Patience.SECONDS, TimeUnit.SECONDS))
                    .isInstanceOf(java.util.concurrent.CancellationException.class);
            Patience.awaitParked(closer);
            release.countDown();
            Patience.join(closer);
            assertThat(futures.get(1)).isCancelled();
        }
        assertThat(stillInterrupted).isTrue();
        Written.assertCounted(written, 1);
    }

    /** Where an output is closed by its own doing. */
    enum From {
        WORK,
        OUTPUT,
        ACTION_OF_A_PIECE,
        ACTION_OF_A_FLUSH
    }

    @ParameterizedTest
    @EnumSource
    void closingDoesNotWaitForItself(From from) {
        endFrom(from, (executor, output) -> output.close());
    }

    @ParameterizedTest
    @EnumSource
    void closingTheExecutorDoesNotWaitForItself(From from) {
        endFrom(from, (executor, output) -> {
            executor.close();
            assertThat(output.flush()).isNotDone();
        });
    }

    private interface Closing {
        void close(OrderedOutputExecutor executor, OrderedOutput<Integer> output);
    }

    private static void endFrom(From from, Closing closing) {
        SteppedExecutor steps = new SteppedExecutor();
        List<String> closed = new ArrayList<>();
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(steps).build();
        List<OrderedOutput<Integer>> own = new ArrayList<>();
        Runnable close = () -> {
            closing.close(executor, own.get(0));
            closed.add(from.name());
        };
        Written<Integer> written = new Written<>(result -> {
            if (from == From.OUTPUT && result == 0) {
                close.run();
            }
        });
        own.add(executor.open(written));
        CompletableFuture<Integer> first = own.get(0).submit(() -> {
            if (from == From.WORK) {
                close.run();
            }
            return 0;
        });
        CompletableFuture<Void> flushed = own.get(0).flush();
        CompletableFuture<?> after = switch (from) {
            case ACTION_OF_A_PIECE -> first.thenRun(close);
            case ACTION_OF_A_FLUSH -> flushed.thenRun(close);
            default -> first;
        };
        own.get(0).submit(() -> 1);
        steps.runAll();
        assertThat(after).isCompleted();
        assertThat(closed).containsExactly(from.name());
        assertThat(own.get(0).flush()).isDone();
        Written.assertCounted(written, 2);
        executor.close();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void aFlushIsDoneWhenAllThatWasSubmittedBeforeIsWritten() {
        SteppedPieces pieces = new SteppedPieces();
        CompletableFuture<Void> ofNothing = pieces.output.flush();
        assertThat(ofNothing).isDone();
        pieces.begin(2);
        CompletableFuture<Void> ofTwo = pieces.output.flush();
        CompletableFuture<Void> mistreated = pieces.output.flush();
        mistreated.completeExceptionally(new ThrownOnPurpose());
        pieces.begin(1);
        pieces.finish(2, 0);
        assertThat(ofTwo).isNotDone();
        assertThat(pieces.output.flush()).isNotDone();
        pieces.finish(1);
        assertThat(ofTwo).isCompleted();
        assertThat(pieces.output.flush()).isCompleted();
        pieces.assertWrittenAndEnded(0, 1, 2);
    }

    @Test
    void aStopCancelsAllThatIsNotWritten() {
        SteppedPieces pieces = new SteppedPieces(executor -> executor, output -> output.concurrency(3));
        pieces.begin(5);
        pieces.finish(0, 2);
        pieces.output.stop();
        pieces.output.stop();
        pieces.output.close();
        assertThat(pieces.futures.get(0)).isCompletedWithValue(0);
        assertThat(pieces.futures.subList(1, 5)).allMatch(CompletableFuture::isCancelled);
        assertThatThrownBy(pieces::submit).isInstanceOf(RejectedExecutionException.class);
        pieces.finish(1, 3, 4);
        pieces.assertWrittenAndEnded(0);
    }

    @Test
    @DisplayName("An end that comes while others submit: each future is done, and each result written at most once, "
            + "in order")
    void endsThatRaceWithSubmissions() throws InterruptedException {
        for (int round = 0; round < 60; round++) {
            boolean ofOutput = round % 2 == 0;
            List<CompletableFuture<Integer>> futures = new ArrayList<>();
            Written<Integer> written = new Written<>();
            OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                    .threads(2)
                    .overflow(Overflow.block(Duration.ofSeconds(Patience.SECONDS)))
                    .window(8)
                    .build();
            OrderedOutput<Integer> output =
                    executor.outputTo(written).concurrency(1 + round % 3).open();
            ExecutorService producer = Executors.newSingleThreadExecutor();
            CountDownLatch some = new CountDownLatch(50);
            producer.execute(() -> {
                for (int i = 0; ; i++) {
                    int number = i;
                    try {
                        futures.add(output.submit(() -> number));
                    } catch (RejectedExecutionException ended) {
                        return;
                    }
                    some.countDown();
                }
            });
            Patience.await(some);
            if (ofOutput) {
                output.stop();
            } else {
                executor.shutdownNow();
            }
            output.close();
            producer.shutdown();
            assertThat(producer.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            Patience.terminate(executor);
            assertThat(futures).allMatch(CompletableFuture::isDone);
            List<Integer> completed = new ArrayList<>();
            for (CompletableFuture<Integer> future : futures) {
                if (!future.isCancelled()) {
                    completed.add(future.join());
                }
            }
            assertThat(written.all()).containsAll(completed).isSorted().doesNotHaveDuplicates();
        }
    }

    // the order of the ends

    @Test
    @DisplayName("an interrupt that an action of a flush leaves reaches no piece behind it")
    void interruptLeftByAnActionOfAFlush() {
        SteppedExecutor steps = new SteppedExecutor();
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(steps).build();
        List<String> written = new ArrayList<>();
        OrderedOutput<Integer> output = executor.<Integer>outputTo(number ->
                        written.add(number + " " + Thread.currentThread().isInterrupted()))
                .open();
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        output.submitAsync(() -> stage);
        CompletableFuture<Void> interrupted =
                output.flush().thenRun(() -> Thread.currentThread().interrupt());
        output.submit(() -> 1);
        steps.runAll();
        stage.complete(0);
        steps.runAll();
        assertThat(Thread.interrupted()).isFalse();
        assertThat(interrupted).isCompleted();
        assertThat(written).containsExactly("0 false", "1 false");
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("close in an action of a piece that is cancelled waits for the end that comes by the interrupt")
    void closeInAnActionOfACancelledPiece() {
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().threads(1).build();
        List<Object> written = new CopyOnWriteArrayList<>();
        OrderedOutput<Boolean> output = executor.open(written::add);
        CountDownLatch started = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        CompletableFuture<Boolean> piece = output.submit(() -> {
            started.countDown();
            interrupted.set(awaitInterrupt());
            return true;
        });
        Patience.await(started);
        CompletableFuture<Boolean> closed = piece.handle((result, cancelled) -> {
            output.close();
            return interrupted.get();
        });
        Thread cancels = new Thread(() -> piece.cancel(true));
        cancels.setDaemon(true);
        cancels.start();
        Patience.join(cancels);
        assertThat(closed).isCompletedWithValue(true);
        assertThat(written).isEmpty();
        assertThat(output.snapshot().open()).isZero();
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("an action whose failure throws when it is looked at holds up no piece behind its flush")
    void unreadableFailureOfAFlush() {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(1);
        CompletableFuture<Void> flushed = pieces.output.flush();
        CompletableFuture<Void> other = flushed.thenRun(() -> {});
        var unused = flushed.thenRun(() -> {
            throw new Unreadable();
        });
        pieces.submit();
        pieces.finish(0, 1);
        assertThat(other).isCompleted();
        pieces.assertWrittenAndEnded(0, 1);
        Patience.terminate(pieces.executor);
        // not every JDK looks at the failure of an action
        assertThat(told).allMatch(ThrownOnPurpose.class::isInstance);
    }

    @Test
    @DisplayName("the same for an action of a piece that a stop cancels: the pieces before it are cancelled, too")
    void unreadableFailureAtAStop() {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(3);
        var unused = pieces.futures.get(2).handle((result, failure) -> {
            throw new Unreadable();
        });
        pieces.output.stop();
        assertThat(pieces.futures).allMatch(CompletableFuture::isCancelled);
        pieces.assertWrittenAndEnded();
        Patience.terminate(pieces.executor);
        // not every JDK looks at the failure of an action
        assertThat(told).allMatch(ThrownOnPurpose.class::isInstance);
    }

    @Test
    @DisplayName("Whoever is told that an output is flushed finds the executor running, if only just")
    void flushedBeforeTheExecutorTerminates() {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(3);
        List<Boolean> terminated = new ArrayList<>();
        List<CompletableFuture<Void>> flushed = new ArrayList<>();
        flushed.add(pieces.output.flush().thenRun(() -> terminated.add(pieces.executor.isTerminated())));
        // its ticket is behind one that is written later, and is served by the thread that writes that
        pieces.futures.get(2).cancel(true);
        pieces.executor.shutdown();
        pieces.finish(1, 0);
        assertThat(flushed).allMatch(CompletableFuture::isDone);
        assertThat(terminated).containsExactly(false);
        assertThat(pieces.executor.isTerminated()).isTrue();
        pieces.assertWrittenAndEnded(0, 1);
    }

    @Test
    @DisplayName("Futures that are completed by others while their outputs come: each is done when flush is")
    void flushedWhileFuturesAreCompleted() {
        int rounds = 3000;
        ExecutorService others = Executors.newFixedThreadPool(2);
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().threads(2).build();
        AtomicInteger early = new AtomicInteger();
        try (OrderedOutput<Integer> output = executor.open(result -> {})) {
            for (int round = 0; round < rounds; round++) {
                CompletableFuture<Integer> stage = new CompletableFuture<>();
                CompletableFuture<Integer> piece = output.submitAsync(() -> stage);
                CompletableFuture<Void> flushed = output.flush().thenRun(() -> early.addAndGet(piece.isDone() ? 0 : 1));
                CyclicBarrier start = new CyclicBarrier(2);
                Future<?> completes = others.submit(() -> {
                    Patience.meet(start);
                    stage.complete(1);
                });
                Future<?> cancels = others.submit(() -> {
                    Patience.meet(start);
                    piece.cancel(true);
                });
                Patience.get(completes);
                Patience.get(cancels);
                Patience.get(flushed);
            }
        }
        assertThat(early).as("flushes that were done before their future").hasValue(0);
        others.shutdown();
        Patience.terminate(executor);
    }
}
