package io.orderedexecutor.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When the work of late is long. */
class RecentWorkTest {
    private static final long SHORT = 4_000;
    private static final long LONG = 6_000;

    private final WorkerPool.RecentWork work = new WorkerPool.RecentWork();

    private void add(int times, long nanos, long count) {
        for (int i = 0; i < times; i++) {
            work.add(nanos, count);
        }
    }

    @Test
    void shortAtFirst() {
        assertThat(work.isLong()).isFalse();
    }

    @Test
    void longAfterAWhile() {
        add(5, LONG, 1);
        assertThat(work.isLong()).isFalse();
        add(15, LONG, 1);
        assertThat(work.isLong()).isTrue();
    }

    @Test
    void shortAgainAfterAWhile() {
        add(40, LONG, 1);
        add(10, SHORT, 1);
        assertThat(work.isLong()).isFalse();
    }

    @Test
    void whatCountsIsTheMeanOfTheStrands() {
        add(40, 10 * SHORT, 10);
        assertThat(work.isLong()).isFalse();
        add(40, 10 * LONG, 10);
        assertThat(work.isLong()).isTrue();
    }

    @Test
    void aThreadThatWasWithoutAProcessorSaysLittle() {
        add(40, 1_000, 1);
        work.add(1_000_000_000, 1);
        assertThat(work.isLong()).isFalse();
    }

    @Test
    void moreStrandsThanAnIntCounts() {
        add(40, (1L << 33) * SHORT, 1L << 33);
        assertThat(work.isLong()).isFalse();
        add(40, (1L << 33) * LONG, 1L << 33);
        assertThat(work.isLong()).isTrue();
    }
}
