package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.HeardTasks.Kind;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.SteppedPieces;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.fixtures.Written;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.OutputSnapshot;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is told and shown of ordered outputs, and how long a thread stays with one of them. */
class OrderedOutputObservationTest {

    @Test
    void aListenerHearsOfAPieceFromItsSubmissionToItsOutput() {
        SteppedPieces pieces = new SteppedPieces();
        CompletableFuture<Object> head = new CompletableFuture<>();
        pieces.output.submitAsync(() -> head);
        Callable<Object> work = () -> "written";
        Callable<Object> failing = () -> {
            throw new ThrownOnPurpose();
        };
        Callable<Object> cancelled = () -> "cancelled";
        pieces.output.submit(work);
        pieces.output.submit(failing);
        pieces.output.submit(cancelled).cancel(false);
        pieces.steps.runAll();
        assertThat(pieces.heard.kindsOf(work)).containsExactly(Kind.QUEUED, Kind.STARTED);
        head.complete("head");
        pieces.steps.runAll();
        pieces.output.close();
        Callable<Object> refused = () -> "refused";
        assertThatThrownBy(() -> pieces.output.submit(refused)).isInstanceOf(RejectedExecutionException.class);
        assertThat(pieces.heard.kindsOf(work)).containsExactly(Kind.QUEUED, Kind.STARTED, Kind.FINISHED);
        assertThat(pieces.heard.kindsOf(failing)).containsExactly(Kind.QUEUED, Kind.STARTED, Kind.FAILED);
        assertThat(pieces.heard.kindsOf(cancelled)).containsExactly(Kind.QUEUED, Kind.CANCELLED);
        assertThat(pieces.heard.kindsOf(refused)).containsExactly(Kind.REJECTED);
        assertThat(pieces.heard.all()).allMatch(event -> event.stripe() == pieces.output);
        assertThat(pieces.heard.only(Kind.FINISHED, work).nanos()).isPositive();
        assertThat(pieces.heard.only(Kind.STARTED, work).nanos()).isPositive();
        assertThat(pieces.executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 1, 1, 1));
    }

    @Test
    void aPieceIsActiveUntilItIsWritten() {
        SteppedPieces pieces = new SteppedPieces();
        OrderedOutput<Object> other = pieces.executor.open(pieces.written);
        pieces.begin(2);
        other.submit(() -> "queued");
        pieces.stages.get(1).complete(1);
        assertThat(pieces.executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(2, 1, 1, 0, 2, 0, 0, 0, 0));
        assertThat(pieces.executor.inspect().runningTasks()).hasSize(2).allSatisfy(running -> {
            assertThat(running.key()).isSameAs(pieces.output);
            assertThat(running.thread()).isNull();
            assertThat(running.age()).isPositive();
        });
        pieces.finish(0);
        assertThat(pieces.executor.inspect().runningTasks()).isEmpty();
        pieces.assertWrittenAndEnded("queued", 0, 1);
    }

    @Test
    void theOldestOutputsAreThoseWhoseHeadHasWaitedLongest() {
        SteppedPieces pieces = new SteppedPieces();
        OrderedOutput<Object> second = pieces.executor
                .<Object>outputTo(pieces.written)
                .name("second")
                .window(5)
                .open();
        OrderedOutput<Object> idle = pieces.executor.open(pieces.written);
        assertThat(pieces.executor.oldestOutputs(10)).isEmpty();
        pieces.begin(2);
        CompletableFuture<Object> ofSecond = new CompletableFuture<>();
        second.submitAsync(() -> ofSecond);
        pieces.steps.runAll();
        List<OutputSnapshot> oldest = pieces.executor.oldestOutputs(10);
        assertThat(oldest).extracting(OutputSnapshot::output).containsExactly("frames", "second");
        assertThat(oldest.get(1).window()).isEqualTo(5);
        assertThat(oldest.get(0).oldestAge()).isGreaterThan(oldest.get(1).oldestAge());
        assertThat(oldest.get(0).open()).isEqualTo(2);
        assertThat(pieces.executor.oldestOutputs(1))
                .singleElement()
                .extracting(OutputSnapshot::output)
                .isEqualTo("frames");
        assertThat(pieces.executor.oldestOutputs(0)).isEmpty();
        assertThatThrownBy(() -> pieces.executor.oldestOutputs(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("limit is -1");
        pieces.finish(1, 0);
        ofSecond.complete("second");
        pieces.steps.runAll();
        assertThat(pieces.executor.oldestOutputs(10)).isEmpty();
        assertThat(second.snapshot()).isEqualTo(new OutputSnapshot("second", 5, 0, 1, Duration.ZERO));
        assertThat(idle.snapshot().done()).isZero();
        pieces.assertWrittenAndEnded(0, 1, "second");
    }

    @Test
    @DisplayName("a piece that has waited for room, and then is alone, is no older than it is")
    void theAgeOfAPieceThatHasWaitedForRoom() {
        AtomicLong clock = new AtomicLong(1);
        SteppedExecutor steps = new SteppedExecutor();
        OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                .executor(steps)
                .platform(new HandTimer(clock::get))
                .build();
        Written<Object> written = new Written<>();
        OrderedOutput<Object> output =
                executor.<Object>outputTo(written).window(1).open();
        output.submit(() -> 0);
        Thread waits = SameKind.thread(() -> output.submit(() -> 1));
        waits.start();
        Patience.awaitParked(waits);
        clock.addAndGet(TimeUnit.DAYS.toNanos(1));
        assertThat(steps.runNext()).isTrue();
        Patience.join(waits);
        clock.addAndGet(5);
        assertThat(output.snapshot().oldestAge()).isEqualTo(Duration.ofNanos(5));
        steps.runAll();
        assertThat(written.all()).containsExactly(0, 1);
    }

    @Test
    @DisplayName("while the first piece is on its way in, the age of the one behind it is zero")
    void theAgeBeforeTheFirstPieceIsTimed() {
        SteppedExecutor steps = new SteppedExecutor();
        Queue<Runnable> meanwhile = new ArrayDeque<>();
        OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                .executor(steps)
                .platform(new Platform() {
                    @Override
                    public long nanoTime() {
                        Runnable next = meanwhile.poll();
                        if (next != null) {
                            next.run();
                        }
                        return super.nanoTime();
                    }
                })
                .build();
        Written<Object> written = new Written<>();
        OrderedOutput<Object> output = executor.open(written);
        List<OutputSnapshot> seen = new ArrayList<>();
        meanwhile.add(() -> {
            output.submit(() -> 1);
            seen.add(output.snapshot());
        });
        output.submit(() -> 0);
        assertThat(seen).extracting(OutputSnapshot::oldestAge).containsExactly(Duration.ZERO);
        assertThat(seen).extracting(OutputSnapshot::open).containsExactly(2L);
        steps.runAll();
        assertThat(written.all()).containsExactly(1, 0);
    }

    @Test
    void namesTellOutputsApart() {
        SteppedPieces pieces = new SteppedPieces();
        OrderedOutput<Object> one = pieces.executor.open(pieces.written);
        OrderedOutput<Object> other = pieces.executor.open(pieces.written);
        assertThat(one.name()).isNotEqualTo(other.name()).startsWith("output-");
        assertThat(pieces.output.name()).isEqualTo("frames");
        assertThat(pieces.output).hasToString("frames of encoder");
        assertThat(pieces.executor.toString()).startsWith("encoder ");
    }

    @Test
    @DisplayName("a thread that writes what was left behind gives way after a turn")
    void writingIsDoneInTurns() {
        SteppedPieces pieces = new SteppedPieces(executor -> executor.turn(10, Duration.ofDays(1)), output -> output);
        pieces.begin(100);
        for (int i = 1; i < 100; i++) {
            pieces.finish(i);
        }
        pieces.stages.get(0).complete(0);
        OrderedOutput<Object> other = pieces.executor.open(pieces.written);
        other.submit(() -> "other");
        pieces.steps.runNext();
        assertThat(pieces.written.count()).isEqualTo(10);
        assertThat(pieces.output.snapshot().done()).as("told of at once").isEqualTo(10);
        pieces.steps.runNext();
        assertThat(pieces.written.all()).endsWith("other");
        pieces.steps.runAll();
        assertThat(pieces.written.all().stream().filter(result -> result != "other"))
                .isEqualTo(IntStream.range(0, 100).boxed().toList());
        assertThat(pieces.futures).allMatch(CompletableFuture::isDone);
    }

    @Test
    @DisplayName("a turn is over when its time is, too")
    void aTurnHasATime() {
        SteppedPieces pieces =
                new SteppedPieces(executor -> executor.turn(1000, Duration.ofNanos(1)), output -> output);
        pieces.begin(20);
        for (int i = 19; i > 0; i--) {
            pieces.finish(i);
        }
        pieces.stages.get(0).complete(0);
        int turns = pieces.steps.runAll();
        assertThat(turns).isGreaterThanOrEqualTo(10);
        pieces.assertWrittenAndEnded(IntStream.range(0, 20).boxed().toArray());
    }
}
