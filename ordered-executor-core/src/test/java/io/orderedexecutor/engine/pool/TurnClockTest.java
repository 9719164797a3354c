package io.orderedexecutor.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** When a thread that serves one strand goes on to another. */
class TurnClockTest {
    private final TurnClock clock = new TurnClock();
    private final WantedWorkers workers = new WantedWorkers();

    @Test
    void aTurnIsNotOverBeforeATaskHasRun() {
        workers.now = 1;
        assertThat(clock.isOver(workers)).isFalse();
        workers.now += workers.turn.nanos();
        assertThat(clock.isOver(workers)).isFalse();
        assertThat(workers.looks).as("looks at the clock").hasValue(0);
    }

    @Test
    void aTurnIsNotOverWhileNoOtherWorkWaitsAndReadsNoClock() {
        workers.wanted = false;
        clock.served(workers.turn.tasks());
        assertThat(clock.isOver(workers)).isFalse();
        assertThat(workers.looks).as("looks at the clock").hasValue(0);
    }

    @Test
    void aTurnIsOverAfterSoManyTasks() {
        workers.now = 1;
        clock.served(workers.turn.tasks() - 1);
        assertThat(clock.isOver(workers)).isFalse();
        clock.served(1);
        assertThat(clock.isOver(workers)).isTrue();
    }

    @Test
    void aTurnIsOverSoLongAfterOtherWorkWasSeenToWait() {
        workers.now = 5;
        clock.served(1);
        assertThat(clock.isOver(workers)).isFalse();
        workers.now = 5 + workers.turn.nanos() - 1;
        assertThat(clock.isOver(workers)).isFalse();
        workers.now = 5 + workers.turn.nanos();
        assertThat(clock.isOver(workers)).isTrue();
    }

    @Test
    void anotherTurnBeginsWithNothing() {
        workers.now = 5;
        clock.served(workers.turn.tasks());
        assertThat(clock.isOver(workers)).isTrue();
        clock.begin();
        workers.now = 5 + workers.turn.nanos();
        assertThat(clock.isOver(workers)).isFalse();
        clock.served(1);
        assertThat(clock.isOver(workers)).isFalse();
    }

    /** Has a clock that is set by hand, and no threads. */
    private static final class WantedWorkers implements Workers {
        final Turn turn = new Turn(3, 1_000);
        final AtomicInteger looks = new AtomicInteger();
        long now;
        boolean wanted = true;

        private final Platform platform = new Platform() {
            @Override
            public long nanoTime() {
                looks.incrementAndGet();
                return now;
            }
        };

        @Override
        public boolean isWantedElsewhere() {
            return wanted;
        }

        @Override
        public Platform platform() {
            return platform;
        }

        @Override
        public Turn turn() {
            return turn;
        }

        @Override
        public void handOver(Runnable work) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean passOn(Runnable work) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void runElsewhere(Runnable work) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setTurn(Turn newTurn) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int threads() {
            return UNKNOWN;
        }

        @Override
        public void setThreads(int threads) {
            throw new UnsupportedOperationException();
        }
    }
}
