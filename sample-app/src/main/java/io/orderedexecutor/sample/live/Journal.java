package io.orderedexecutor.sample.live;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/**
 * The last moments of all steps. Readers remember how far they have read; one that is too slow misses the oldest. A new
 * one gets all moments of the steps that are not over. Thread-safe: the object's lock guards all fields but the
 * listeners.
 */
@Component
class Journal {
    /** The position of a new reader. */
    static final long NOTHING_READ = -1;

    /** About a minute of everything that the page can start. */
    static final int MAX_MOMENTS = 20_000;

    private final Deque<Moment> moments = new ArrayDeque<>();
    private final Map<Long, List<Moment>> unfinished = new LinkedHashMap<>();
    private final Map<Step.Lane, Long> rejected = new EnumMap<>(Step.Lane.class);
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /** The position of the moment that comes next. */
    private long next;

    void add(Step step, Moment.What what) {
        add(step, what, step.keys(), true);
    }

    void add(Step step, Moment.What what, List<String> tracks, boolean inOrder) {
        add(new Moment(
                System.currentTimeMillis(), what, step.id(), step.lane(), tracks, step.number(), step.kind(), inOrder));
        listeners.forEach(Runnable::run);
    }

    private synchronized void add(Moment moment) {
        moments.addLast(moment);
        next++;
        if (moments.size() > MAX_MOMENTS) {
            moments.removeFirst();
        }
        switch (moment.what()) {
            case QUEUED -> unfinished.put(moment.step(), new ArrayList<>(List.of(moment)));
            case STARTED, FAILED ->
                unfinished.computeIfPresent(moment.step(), (step, before) -> {
                    before.add(moment);
                    return before;
                });
            default -> unfinished.remove(moment.step());
        }
        if (moment.what() == Moment.What.REJECTED) {
            rejected.merge(moment.lane(), 1L, Long::sum);
        }
    }

    /** Calls {@code listener} after each moment, until it is removed. */
    void addListener(Runnable listener) {
        listeners.add(listener);
    }

    void removeListener(Runnable listener) {
        listeners.remove(listener);
    }

    /** Moments in their order, the position to read on from, and how many steps were rejected so far, by lane. */
    record Page(List<Moment> moments, long end, Map<Step.Lane, Long> rejected) {}

    /** Returns what was added from a position on. */
    synchronized Page read(long position) {
        List<Moment> page = position == NOTHING_READ
                ? unfinished.values().stream().flatMap(List::stream).toList()
                : moments.stream()
                        .skip(Math.max(0, moments.size() - (next - position)))
                        .toList();
        return new Page(page, next, Map.copyOf(rejected));
    }
}
