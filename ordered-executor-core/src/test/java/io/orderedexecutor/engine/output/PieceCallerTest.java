package io.orderedexecutor.engine.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.OutputFailure;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.engine.executor.Limits;
import io.orderedexecutor.engine.executor.Settings;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.Written;
import io.orderedexecutor.stats.OrderedOutputExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One hand-over for many pieces, as threads of the executor's own get it; here, they are steps of the test. */
class PieceCallerTest {

    /** Stands still until it is moved on, and counts who looks at it. */
    private static final class HandClock extends Platform {
        long now = 1000;
        int looks;

        @Override
        public long nanoTime() {
            looks++;
            return now;
        }
    }

    /** Workers that are an executor's own, but step by step. */
    private static final class OwnSteps implements Workers {
        final SteppedExecutor steps = new SteppedExecutor();
        boolean refusesToPassOn;
        boolean isWanted;
        boolean isOutOfStack;
        Turn turn = new Turn(2, Duration.ofHours(1).toNanos());
        final HandClock clock = new HandClock();

        @Override
        public void handOver(Runnable work) {
            steps.execute(work);
        }

        @Override
        public boolean passOn(Runnable work) {
            if (isOutOfStack) {
                throw new StackOverflowError("on purpose");
            }
            if (!refusesToPassOn) {
                steps.execute(work);
            }
            return !refusesToPassOn;
        }

        @Override
        public void runElsewhere(Runnable work) {
            steps.execute(work);
        }

        @Override
        public boolean mayServeMany() {
            return true;
        }

        @Override
        public boolean isWantedElsewhere() {
            return isWanted;
        }

        @Override
        public Platform platform() {
            return clock;
        }

        @Override
        public Turn turn() {
            return turn;
        }

        @Override
        public void setTurn(Turn turn) {}

        @Override
        public int threads() {
            return 2;
        }

        @Override
        public void setThreads(int threads) {}
    }

    private final OwnSteps workers = new OwnSteps();
    private final Written<Integer> written = new Written<>();
    private final OutputEngine engine = new OutputEngine(
            new Settings(
                    "encoder",
                    Limits.UNLIMITED,
                    1000,
                    false,
                    Overflow.reject(),
                    FailurePolicy.proceed(),
                    List.of(),
                    Platform.JDK),
            Limits.UNLIMITED,
            workers,
            () -> {});
    private final OutputSequence<Integer> output =
            engine.open("frames", new OutputSettings<>(null, written, 1000, Limits.UNLIMITED, OutputFailure.skip()));
    private final List<Piece<Integer>> pieces = new ArrayList<>();

    private void submit(Runnable work) {
        int number = pieces.size();
        Callable<Integer> callable = () -> {
            work.run();
            return number;
        };
        Piece<Integer> piece = new Piece<>(callable, false);
        pieces.add(piece);
        engine.place(output, piece, null);
    }

    private void submit(int count) {
        for (int i = 0; i < count; i++) {
            submit(() -> {});
        }
    }

    private void assertWritten(int count) {
        Written.assertCounted(written, count);
        assertThat(pieces).allMatch(CompletableFuture::isDone);
        assertThat(engine.stats()).isEqualTo(new OrderedOutputExecutorStats(0, 0, 0, count, 0, 0, 0));
    }

    @Test
    void oneHandOverStandsForAllThatHaveCome() {
        submit(100);
        assertThat(workers.steps.waiting()).isEqualTo(1);
        workers.steps.runNext();
        assertWritten(100);
        assertThat(workers.steps.runAll()).as("hand-overs that came too late").isEqualTo(1);
        submit(1);
        assertThat(workers.steps.runAll()).isEqualTo(1);
        assertWritten(101);
    }

    @Test
    @DisplayName("another thread comes to the second piece before the first one has begun, which may take long")
    void aPieceBehindOneThatTakesLongFindsAThread() {
        submit(() -> {
            Thread other = new Thread(workers.steps::runNext);
            other.start();
            Patience.join(other);
            assertThat(PieceState.phase(pieces.get(1))).isEqualTo(PieceState.FINISHED);
        });
        submit(1);
        workers.steps.runNext();
        assertWritten(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9})
    @DisplayName("another thread comes to a piece behind one that was cancelled")
    void aPieceBehindOneThatWasCancelledFindsAThread(int cancelled) {
        submit(cancelled - 1);
        workers.steps.runAll();
        submit(() -> {
            Thread other = new Thread(workers.steps::runAll);
            other.start();
            Patience.join(other);
            assertThat(PieceState.phase(pieces.get(cancelled + 1))).isEqualTo(PieceState.FINISHED);
        });
        submit(2);
        pieces.get(cancelled).cancel(false);
        workers.steps.runNext();
        assertAllWrittenBut(cancelled);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9})
    @DisplayName("a thread whose turn is over leaves what is behind a cancelled piece to another one")
    void aPieceBehindOneThatWasCancelledIsNotLeftToNobody(int cancelled) {
        submit(cancelled - 1);
        workers.steps.runAll();
        workers.isWanted = true;
        workers.turn = new Turn(1, Duration.ofHours(1).toNanos());
        submit(3);
        pieces.get(cancelled).cancel(false);
        workers.steps.runAll();
        assertAllWrittenBut(cancelled);
    }

    private void assertAllWrittenBut(int cancelled) {
        assertThat(written.all())
                .isEqualTo(IntStream.range(0, pieces.size())
                        .filter(number -> number != cancelled)
                        .boxed()
                        .toList());
        assertThat(pieces).allMatch(CompletableFuture::isDone);
    }

    @Test
    void aPieceThatComesWhileAnotherIsWorkedOnFindsAThread() {
        submit(() -> {
            submit(1);
            assertThat(workers.steps.waiting()).isEqualTo(1);
        });
        workers.steps.runAll();
        assertWritten(2);
    }

    @Test
    void aThreadThatIsWantedElsewhereLeavesTheRestToACall() {
        workers.isWanted = true;
        submit(5);
        workers.steps.runNext();
        Written.assertCounted(written, 2);
        workers.steps.runNext();
        Written.assertCounted(written, 4);
        workers.steps.runAll();
        assertWritten(5);
    }

    @Test
    void aThreadLooksAtTheClockAfterEachFourthPiece() {
        workers.isWanted = true;
        workers.turn = new Turn(1000, 100);
        for (int i = 0; i < 16; i++) {
            submit(() -> workers.clock.now += 30);
        }
        workers.steps.runNext();
        // the turn begins with the first look
        Written.assertCounted(written, 8);
        workers.steps.runNext();
        assertWritten(16);
    }

    @Test
    void aSubmissionLooksAtTheClockOnlyIfSomebodyHasAskedForAnAge() {
        submit(1);
        workers.clock.now += 10;
        int looks = workers.clock.looks;
        submit(100);
        assertThat(workers.clock.looks).isEqualTo(looks);
        workers.clock.now += 10;
        assertThat(output.snapshot().ageOfHead()).isEqualTo(Duration.ofNanos(20));
        submit(1);
        workers.clock.now += 5;
        pieces.get(0).cancel(false);
        assertThat(output.snapshot().ageOfHead())
                .as("of one that was not timed: since the output became busy")
                .isEqualTo(Duration.ofNanos(25));
        pieces.subList(1, 101).forEach(piece -> piece.cancel(false));
        assertThat(output.snapshot().ageOfHead()).isEqualTo(Duration.ofNanos(5));
        workers.steps.runAll();
        assertThat(written.all()).containsExactly(101);
    }

    @Test
    void aThreadThatFindsNoOtherWorksOnAll() {
        workers.isWanted = true;
        workers.refusesToPassOn = true;
        submit(5);
        workers.steps.runNext();
        assertWritten(5);
    }

    @Test
    @DisplayName("a submitter whose call is refused sees to those who have counted on it")
    void whatCountedOnARefusedCallIsRun() {
        workers.refusesToPassOn = true;
        workers.steps.whenGiven(() -> {
            workers.steps.refuse(true);
            submit(1);
            throw new RejectedExecutionException("on purpose");
        });
        assertThatThrownBy(() -> submit(1))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("on purpose");
        assertThat(written.all()).containsExactly(1);
        assertThat(pieces.get(1)).isCompletedWithValue(1);
        assertThat(workers.steps.waiting()).isZero();
        workers.steps.refuse(false);
        submit(1);
        workers.steps.runAll();
        assertThat(written.all()).containsExactly(1, 2);
        assertThat(engine.stats()).isEqualTo(new OrderedOutputExecutorStats(0, 0, 0, 2, 0, 0, 1));
    }

    @Test
    void piecesThatAreHeldUpAreAllPutAside() {
        engine.pause();
        submit(3);
        workers.steps.runAll();
        assertThat(written.count()).isZero();
        engine.resume();
        workers.steps.runAll();
        assertWritten(3);
    }

    @Test
    @DisplayName("a thread that comes by finds what one without stack has left")
    void whatAThreadWithoutStackHasLeftIsFound() {
        submit(3);
        workers.isOutOfStack = true;
        assertThatThrownBy(workers.steps::runNext).isInstanceOf(StackOverflowError.class);
        assertThat(written.count()).isZero();
        workers.isOutOfStack = false;
        engine.accept("other", engine.open("other", otherSettings()), 0, new Piece<>(nothing(), false), null);
        workers.steps.runAll();
        Written.assertCounted(written, 3);
        assertThat(pieces).allMatch(CompletableFuture::isDone);
    }

    private static OutputSettings<Integer> otherSettings() {
        return new OutputSettings<>(null, result -> {}, 1000, Limits.UNLIMITED, OutputFailure.skip());
    }

    private static Callable<Integer> nothing() {
        return () -> 0;
    }

    @Test
    void moreThanABlockOfPiecesBehindOneThatTakesLongAreFound() {
        submit(() -> {
            submit(500);
            Thread other = new Thread(workers.steps::runAll);
            other.start();
            Patience.join(other);
            assertThat(pieces.subList(1, 501)).allMatch(piece -> PieceState.phase(piece) == PieceState.FINISHED);
        });
        workers.steps.runNext();
        assertWritten(501);
    }
}
