package io.orderedexecutor.engine.output;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.engine.executor.SegmentedTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a table of tasks that are found in the order in which they came.
 *
 * <p>They are in the slots of a ring. One that ends leaves a gap, and when the first has ended the ring begins behind
 * the gaps that follow. So a task that comes or goes writes to no other task, which may be in the cache of another
 * processor.
 *
 * @param <T> the kind of tasks
 */
final class TaskRing<T extends TaskRing.Member> implements SegmentedTable.Segment<T> {

    /** A task that remembers its place. */
    interface Member {

        int place();

        /** Called under the monitor of the ring, as {@link #place()} is. */
        void place(int place);
    }

    private static final int FEWEST_SLOTS = 16;

    /** A longer ring is given back when there are no tasks. */
    private static final int MOST_SLOTS_KEPT = 1024;

    /** Its length is a power of two. The slot of a place is its remainder. */
    @GuardedBy("this")
    private @Nullable Member[] slots = new @Nullable Member[FEWEST_SLOTS];

    /** The place of the first task. Places are numbers that count up and may overflow. */
    @GuardedBy("this")
    private int begin;

    /** The place of the next task that will come. */
    @GuardedBy("this")
    private int end;

    @GuardedBy("this")
    private int size;

    @GuardedBy("this")
    private long arrivals;

    @GuardedBy("this")
    private boolean closed;

    /** Adds a task; false if no more are accepted. */
    synchronized boolean add(T task) {
        if (closed) {
            return false;
        }
        if (end - begin == slots.length) {
            makeRoom();
        }
        put(task);
        size++;
        arrivals++;
        return true;
    }

    @GuardedBy("this")
    private void put(T task) {
        task.place(end);
        slots[slotOf(end)] = task;
        end++;
    }

    @GuardedBy("this")
    private int slotOf(int place) {
        return place & (slots.length - 1);
    }

    /**
     * Closes the gaps if they are half of the ring, or else makes it twice as long: so a place costs constant time on
     * average.
     */
    @GuardedBy("this")
    private void makeRoom() {
        List<T> here = strands();
        slots = new @Nullable Member[size > slots.length / 2 ? slots.length * 2 : slots.length];
        begin = 0;
        end = 0;
        here.forEach(this::put);
    }

    /**
     * Removes a task that has ended.
     *
     * @return true if it was the last one and no other can come; so for one call at most
     */
    synchronized boolean remove(T task) {
        slots[slotOf(task.place())] = null;
        size--;
        while (begin != end && slots[slotOf(begin)] == null) {
            begin++;
        }
        if (size == 0 && slots.length > MOST_SLOTS_KEPT) {
            slots = new @Nullable Member[FEWEST_SLOTS];
        }
        return closed && size == 0;
    }

    @Override
    public synchronized boolean close() {
        closed = true;
        return size == 0;
    }

    @Override
    public synchronized long arrivalsIfEmpty() {
        return size == 0 ? arrivals : -1;
    }

    /** The tasks that are here, in order. */
    @Override
    public synchronized List<T> strands() {
        List<T> tasks = new ArrayList<>(size);
        for (int place = begin; place != end; place++) {
            @SuppressWarnings("unchecked") // only these are added
            T task = (T) slots[slotOf(place)];
            if (task != null) {
                tasks.add(task);
            }
        }
        return tasks;
    }
}
