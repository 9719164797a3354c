package io.orderedexecutor.sample.live;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/**
 * The last moments of all steps. Readers remember how far they have read; one that is too slow misses the oldest.
 * Thread-safe: the object's lock guards the moments.
 */
@Component
class Journal {
    /** About a minute of everything that the page can start. */
    static final int MAX_MOMENTS = 20_000;

    private final Deque<Moment> moments = new ArrayDeque<>();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /** The position of the moment that comes next. */
    private long next;

    void add(Step step, Moment.What what) {
        add(step, what, step.keys(), true);
    }

    void add(Step step, Moment.What what, List<String> tracks, boolean inOrder) {
        synchronized (this) {
            moments.addLast(new Moment(
                    System.currentTimeMillis(),
                    what,
                    step.id(),
                    step.lane(),
                    tracks,
                    step.number(),
                    step.kind(),
                    inOrder));
            next++;
            if (moments.size() > MAX_MOMENTS) {
                moments.removeFirst();
            }
        }
        listeners.forEach(Runnable::run);
    }

    /** Calls {@code listener} after each moment, until it is removed. */
    void addListener(Runnable listener) {
        listeners.add(listener);
    }

    void removeListener(Runnable listener) {
        listeners.remove(listener);
    }

    synchronized long end() {
        return next;
    }

    /** Returns what was added from a position on. */
    synchronized List<Moment> since(long position) {
        int count = (int) Math.min(Math.max(next - position, 0), moments.size());
        List<Moment> last = new ArrayList<>(count);
        Iterator<Moment> backwards = moments.descendingIterator();
        for (int i = 0; i < count; i++) {
            last.add(backwards.next());
        }
        Collections.reverse(last);
        return last;
    }
}
