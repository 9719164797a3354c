package io.orderedexecutor.engine.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.OutputFailure;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.engine.executor.Limits;
import io.orderedexecutor.engine.executor.Settings;
import io.orderedexecutor.engine.pool.BorrowedWorkers;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.Written;
import io.orderedexecutor.stats.OrderedOutputExecutorStats;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the interrupt of a piece that is cancelled arrives. */
@Timeout(60)
class PieceInterruptTest {

    /** Gives a test the lock with which submitters wait, to stop a thread that takes a piece and makes room. */
    private static final class LockOfSubmitters extends Platform {
        volatile Lock last;

        @Override
        public Condition newCondition(Lock lock) {
            last = lock;
            return super.newCondition(lock);
        }
    }

    /** A thread that is interrupted when the test lets it be. */
    private static final class SlowlyInterrupted extends Thread {
        final CountDownLatch seen = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        volatile boolean delivered;
        volatile boolean deliveredInTime;
        volatile boolean leftInterrupted;

        SlowlyInterrupted(SteppedExecutor steps) {
            super(steps::runNext);
        }

        @Override
        public void run() {
            super.run();
            deliveredInTime = delivered;
            leftInterrupted = isInterrupted();
        }

        @Override
        public void interrupt() {
            seen.countDown();
            Patience.await(goOn);
            super.interrupt();
            delivered = true;
        }
    }

    private final LockOfSubmitters platform = new LockOfSubmitters();
    private final SteppedExecutor steps = new SteppedExecutor();
    private final Written<Integer> written = new Written<>();
    private final OutputEngine engine = new OutputEngine(
            new Settings(
                    "encoder",
                    1,
                    1000,
                    false,
                    Overflow.block(Duration.ofMinutes(1)),
                    FailurePolicy.proceed(),
                    List.of(),
                    platform),
            Limits.UNLIMITED,
            new BorrowedWorkers(steps, Turn.DEFAULT, platform),
            () -> {});
    private final OutputSequence<Integer> output =
            engine.open("frames", new OutputSettings<>(null, written, 1000, Limits.UNLIMITED, OutputFailure.skip()));

    private Piece<Integer> submit(int number) {
        Piece<Integer> piece = new Piece<>((Callable<Integer>) () -> number, false);
        engine.place(output, piece, null);
        return piece;
    }

    @Test
    @DisplayName("a thread that finds its piece cancelled goes on when the interrupt of that has arrived")
    void anInterruptThatIsOnItsWayDoesNotReachTheNextPiece() throws InterruptedException {
        Piece<Integer> cancelled = submit(0);
        Thread submitter = new Thread(() -> submit(0));
        submitter.start();
        Patience.awaitParked(submitter);

        Lock lock = platform.last;
        SlowlyInterrupted runner = new SlowlyInterrupted(steps);
        Thread canceller = new Thread(() -> cancelled.cancel(true));
        lock.lock();
        try {
            runner.start();
            Patience.awaitParked(runner);
            canceller.start();
            Patience.await(runner.seen);
        } finally {
            lock.unlock();
        }
        while (runner.getState() != Thread.State.BLOCKED && runner.isAlive()) {
            // only its state tells, so there is nothing to wait on but time
            runner.join(1);
        }
        runner.goOn.countDown();
        Patience.join(runner);
        Patience.join(canceller);
        Patience.join(submitter);
        assertThat(runner.deliveredInTime).as("before the thread goes on").isTrue();
        assertThat(runner.leftInterrupted).isFalse();
        steps.runAll();
        Written.assertCounted(written, 1);
        assertThat(engine.stats()).isEqualTo(new OrderedOutputExecutorStats(0, 0, 0, 1, 0, 1, 0));
    }
}
