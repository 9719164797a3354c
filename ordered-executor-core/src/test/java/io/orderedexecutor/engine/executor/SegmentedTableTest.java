package io.orderedexecutor.engine.executor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Segments are created when they are needed, by submitters that race with each other and with a shutdown. */
class SegmentedTableTest {

    /** A segment that counts what has come. */
    private static final class Counted implements SegmentedTable.Segment<Object> {
        private final int index;
        private int arrivals;
        private boolean occupied;
        private boolean closed;

        Counted(int index) {
            this.index = index;
        }

        @Override
        public long arrivalsIfEmpty() {
            return occupied ? -1 : arrivals;
        }

        @Override
        public boolean close() {
            assertThat(closed).as("closed before").isFalse();
            closed = true;
            return !occupied;
        }

        @Override
        public List<Object> strands() {
            throw new AssertionError("not used");
        }
    }

    private final AtomicInteger created = new AtomicInteger();

    /** What another thread does while a segment is being created. */
    private Runnable meanwhile = () -> {};

    private final SegmentedTable<Counted, Object> table = new SegmentedTable<>(
            index -> {
                created.getAndIncrement();
                Runnable interference = meanwhile;
                meanwhile = () -> {};
                interference.run();
                return new Counted(index);
            },
            null);

    /** Returns how many segments are empty for good. */
    private int close() {
        AtomicInteger empty = new AtomicInteger();
        table.close(index -> empty.getAndIncrement());
        return empty.get();
    }

    private static int hashOf(int index) {
        return index << 26;
    }

    @Test
    void aTableThatWasNotUsedHasNoSegments() {
        assertThat(table.isEmpty()).isTrue();
        assertThat(table.segments()).isEmpty();
        assertThat(created).hasValue(0);
    }

    @Test
    void aSegmentIsCreatedOnce() {
        Counted segment = table.segmentFor(hashOf(5));
        assertThat(table.segmentFor(hashOf(5))).isSameAs(segment);
        assertThat(table.segmentFor(hashOf(63)).index).isEqualTo(63);
        assertThat(segment.index).isEqualTo(5);
        assertThat(table.segments()).hasSize(2);
        assertThat(created).hasValue(2);
    }

    @Test
    void twoThreadsThatNeedASegmentGetTheSame() {
        Counted[] ofTheOther = new Counted[1];
        meanwhile = () -> ofTheOther[0] = table.segmentFor(hashOf(5));
        assertThat(table.segmentFor(hashOf(5))).isSameAs(ofTheOther[0]);
        assertThat(table.segments()).containsExactly(ofTheOther[0]);
    }

    @Test
    void aTableIsEmptyIfItsSegmentsAre() {
        Counted segment = table.segmentFor(hashOf(5));
        segment.arrivals = 1;
        segment.occupied = true;
        assertThat(table.isEmpty()).isFalse();
        segment.occupied = false;
        assertThat(table.isEmpty()).isTrue();
    }

    @Test
    void afterACloseEachSegmentIsClosed() {
        Counted used = table.segmentFor(hashOf(5));
        Counted occupied = table.segmentFor(hashOf(7));
        occupied.occupied = true;
        assertThat(close()).as("segments that are empty for good").isEqualTo(SegmentedTable.SEGMENTS - 1);
        assertThat(used.closed).isTrue();
        assertThat(occupied.closed).isTrue();
        for (int index = 0; index < SegmentedTable.SEGMENTS; index++) {
            Counted segment = table.segmentFor(hashOf(index));
            assertThat(segment.closed).isTrue();
            assertThat(segment.index)
                    .as("submitters that lock several rely on their order")
                    .isEqualTo(index);
        }
        assertThat(created).hasValue(SegmentedTable.SEGMENTS);
    }

    @Test
    void aSubmitterThatCreatesASegmentDuringACloseFindsItClosed() {
        meanwhile = this::close;
        assertThat(table.segmentFor(hashOf(5)).closed).isTrue();
    }

    @Test
    void aSegmentThatIsCreatedDuringACloseIsClosedToo() {
        Counted[] late = new Counted[1];
        meanwhile = () -> {
            late[0] = table.segmentFor(hashOf(0));
            late[0].occupied = true;
        };
        assertThat(close()).isEqualTo(SegmentedTable.SEGMENTS - 1);
        assertThat(late[0].closed).isTrue();
    }
}
