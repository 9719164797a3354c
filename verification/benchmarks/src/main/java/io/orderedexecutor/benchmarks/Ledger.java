package io.orderedexecutor.benchmarks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what ran, on a page for each thread: no atomic operation and no shared cache line for a task, so that the
 * ledger costs a few nanoseconds, the same for every subject.
 *
 * <p>The checksum tells a task that was lost from another that ran twice, which a count alone would not.
 */
final class Ledger {
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    /** Two cache lines before and behind the two cells in use: what else is in the heap does not matter. */
    private static final int PAGE_CELLS = 34;

    private static final int RAN = 16;
    private static final int CHECKSUM = 17;

    private final List<long[]> pages = new CopyOnWriteArrayList<>();
    private final ThreadLocal<long[]> page = ThreadLocal.withInitial(this::addPage);
    private final LongAdder outOfOrder = new LongAdder();

    private long[] addPage() {
        long[] added = new long[PAGE_CELLS];
        pages.add(added);
        return added;
    }

    /** The task with this number has run. Whoever sees it in {@link #ran()} sees what the task did. */
    void ran(int number) {
        long[] cells = page.get();
        cells[CHECKSUM] += trace(number);
        CELL.setRelease(cells, RAN, cells[RAN] + 1);
    }

    /** A task ran before one that it should have followed, or beside it. */
    void outOfOrder() {
        outOfOrder.increment();
    }

    /** How many have run. */
    long ran() {
        long sum = 0;
        for (long[] cells : pages) {
            sum += (long) CELL.getAcquire(cells, RAN);
        }
        return sum;
    }

    /** The sum of the traces of all that ran; of use while nothing runs. */
    long checksum() {
        long sum = 0;
        for (long[] cells : pages) {
            sum += cells[CHECKSUM];
        }
        return sum;
    }

    long violations() {
        return outOfOrder.sum();
    }

    /** What one task adds to the checksum. */
    static long trace(int number) {
        long mixed = (number + 1) * 0x9E3779B97F4A7C15L;
        return mixed ^ (mixed >>> 29);
    }
}
