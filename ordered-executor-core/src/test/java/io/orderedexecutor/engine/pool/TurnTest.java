package io.orderedexecutor.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a thread leaves what it has come for to another one. */
class TurnTest {
    private static final Turn TURN = new Turn(3, 1_000);

    private final SetClock time = new SetClock();
    private final Turn.Clock clock = new Turn.Clock();

    /** Of such workers, other work may always wait for a thread. */
    private final Workers workers = new BorrowedWorkers("inline", Runnable::run, TURN, time);

    @Test
    void aTurnIsNotOverBeforeATaskHasRun() {
        assertThat(clock.isOver(workers)).isFalse();
        time.now += TURN.nanos();
        assertThat(clock.isOver(workers)).isFalse();
        assertThat(time.looks).as("looks at the clock").isZero();
    }

    @Test
    void aTurnIsNotOverWhileNoOtherWorkWaitsAndReadsNoClock() {
        Workers unwanted = new WorkerPool("pool", 1, Thread::new, TURN, time);
        clock.served(TURN.tasks());
        assertThat(clock.isOver(unwanted)).isFalse();
        assertThat(time.looks).as("looks at the clock").isZero();
    }

    @Test
    void aTurnIsOverAfterSoManyTasks() {
        clock.served(TURN.tasks() - 1);
        assertThat(clock.isOver(workers)).isFalse();
        clock.served(1);
        assertThat(clock.isOver(workers)).isTrue();
    }

    @Test
    void aTurnIsOverSoLongAfterOtherWorkWasSeenToWait() {
        clock.served(1);
        assertThat(clock.isOver(workers)).isFalse();
        time.now += TURN.nanos() - 1;
        assertThat(clock.isOver(workers)).isFalse();
        time.now++;
        assertThat(clock.isOver(workers)).isTrue();
    }

    @Test
    void anotherTurnBeginsWithNothing() {
        clock.served(TURN.tasks());
        assertThat(clock.isOver(workers)).isTrue();
        clock.begin();
        time.now += TURN.nanos();
        assertThat(clock.isOver(workers)).isFalse();
        clock.served(1);
        assertThat(clock.isOver(workers)).isFalse();
    }

    /** A clock that is set by hand, and counts who looks at it. Used by one thread. */
    private static final class SetClock extends Platform {
        long now = 5;
        int looks;

        @Override
        public long nanoTime() {
            looks++;
            return now;
        }
    }
}
