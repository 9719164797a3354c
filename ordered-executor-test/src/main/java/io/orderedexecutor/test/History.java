package io.orderedexecutor.test;

import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedOutput;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Records what happened to the tasks of a run, and finds mistakes. Used only by the thread that has the baton. */
final class History {
    enum Kind {
        QUEUED,

        /** Queued at a place that was reserved earlier; when, is not known. */
        FILLED,
        STARTED,
        ENDED,
        TAKEN_OUT,
        PUT_BACK,
        WRITTEN,
        REJECTED
    }

    /**
     * Something that happened to a task. Keys are compared by {@code equals}, tasks by identity.
     *
     * @param batch the number of the batch, which all of its tasks have; 0 for a task that runs alone
     */
    record Event(Kind kind, String executor, @Nullable Object key, Object task, int batch) {
        boolean runsTogetherWith(Event other) {
            return batch > 0 && batch == other.batch;
        }
    }

    private record Lane(String executor, @Nullable Object key) {}

    private static final class Counts {
        int queued;
        int started;
        int ended;
        int putBack;
    }

    private final List<Event> events = new ArrayList<>();

    /** A batch that is about to run, and how many of its tasks have not started. */
    private record Forming(int batch, int left) {}

    private final Map<Lane, Forming> forming = new HashMap<>();

    private final IdentityHashMap<Object, Integer> batchOf = new IdentityHashMap<>();
    private int batches;

    void add(Kind kind, String executor, @Nullable Object key, Object task) {
        if (kind == Kind.STARTED && !forming.isEmpty()) {
            forming.computeIfPresent(new Lane(executor, key), (any, next) -> {
                batchOf.put(task, next.batch());
                return next.left() == 1 ? null : new Forming(next.batch(), next.left() - 1);
            });
        }
        events.add(new Event(kind, executor, key, task, batchOf.getOrDefault(task, 0)));
    }

    /** Records that the next {@code items} tasks of this executor and key run together, as a batch. */
    void batched(String executor, @Nullable Object key, int items) {
        forming.put(new Lane(executor, key), new Forming(++batches, items));
    }

    List<Event> events() {
        return events;
    }

    /** Describes a mistake, if there is one; otherwise returns null. */
    @Nullable
    String findMistake() {
        String lost = findLostOrDoubled();
        return lost == null ? findOverlap() : lost;
    }

    @Nullable
    String findLostOrDoubled() {
        IdentityHashMap<Object, Counts> byTask = new IdentityHashMap<>();
        for (Event event : events) {
            Counts counts = byTask.computeIfAbsent(event.task(), any -> new Counts());
            switch (event.kind()) {
                case QUEUED, FILLED -> counts.queued++;
                case STARTED -> counts.started++;
                case ENDED, TAKEN_OUT -> counts.ended++;
                case PUT_BACK -> counts.putBack++;
                default -> {}
            }
        }
        for (Event event : events) {
            Counts counts = byTask.get(event.task());
            if (counts == null) {
                continue;
            }
            if (counts.ended < counts.queued) {
                return "A task of " + event.executor() + "[" + event.key() + "] was accepted and has not ended"
                        + (counts.putBack > 0 && counts.putBack == counts.started
                                ? ", but has failed, and is parked or is to be retried: "
                                : ": ")
                        + event.task();
            }
            if (counts.ended > counts.queued || counts.started > counts.queued + counts.putBack) {
                return "A task of " + event.executor() + "[" + event.key() + "] was run more than once: "
                        + event.task();
            }
        }
        return null;
    }

    /** Finds two tasks of a stripe that ran at the same time, but not in one batch; returns null if there are none. */
    @Nullable
    String findOverlap() {
        Map<Lane, List<Event>> running = new HashMap<>();
        for (Event event : events) {
            Object key = event.key();
            if (key == null || key instanceof Groups || key instanceof OrderedOutput<?>) {
                continue;
            }
            List<Event> here = running.computeIfAbsent(new Lane(event.executor(), key), any -> new ArrayList<>());
            switch (event.kind()) {
                case STARTED -> {
                    if (!here.stream().allMatch(event::runsTogetherWith)) {
                        return "Two tasks of " + event.executor() + "[" + key + "] ran at the same time";
                    }
                    here.add(event);
                }
                case ENDED, PUT_BACK, TAKEN_OUT -> remove(here, event.task());
                default -> {}
            }
        }
        return null;
    }

    /**
     * Finds a task of a stripe that did not start in the order of submission; returns null if there is none. Tasks of
     * reservations, and tasks that were reported as queued only after their start, are ignored, since their places in
     * the order are not known.
     */
    @Nullable
    String findDisorder(Object stripeOrGroups) {
        Object key = InTurn.keyOf(stripeOrGroups);
        Map<String, List<Event>> waiting = new LinkedHashMap<>();
        IdentityHashMap<Object, Event> started = new IdentityHashMap<>();
        Set<Object> early = Collections.newSetFromMap(new IdentityHashMap<>());
        Set<Object> filled = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Event event : events) {
            if (!key.equals(event.key())) {
                continue;
            }
            List<Event> queue = waiting.computeIfAbsent(event.executor(), any -> new ArrayList<>());
            switch (event.kind()) {
                case QUEUED -> {
                    if (!early.remove(event.task())) {
                        queue.add(event);
                    }
                }
                case FILLED -> {
                    if (!early.remove(event.task())) {
                        filled.add(event.task());
                    }
                }
                case STARTED -> {
                    int place = indexOf(queue, event.task());
                    if (place < 0 && !filled.contains(event.task())) {
                        early.add(event.task());
                    }
                    started.put(event.task(), event);
                    for (Event ahead : queue.subList(0, Math.max(0, place))) {
                        Event before = started.get(ahead.task());
                        if (before == null || !before.runsTogetherWith(event)) {
                            return "A task of " + event.executor() + "[" + key + "] started before an earlier one: "
                                    + event.task();
                        }
                    }
                }
                case ENDED, TAKEN_OUT -> {
                    filled.remove(event.task());
                    remove(queue, event.task());
                }
                default -> {}
            }
        }
        return null;
    }

    private static int indexOf(List<Event> events, Object task) {
        for (int i = 0; i < events.size(); i++) {
            if (events.get(i).task() == task) {
                return i;
            }
        }
        return -1;
    }

    private static void remove(List<Event> from, Object task) {
        int place = indexOf(from, task);
        if (place >= 0) {
            from.remove(place);
        }
    }

    long count(Kind kind, Object stripeOrGroups) {
        Object key = InTurn.keyOf(stripeOrGroups);
        return events.stream()
                .filter(event -> event.kind() == kind && key.equals(event.key()))
                .count();
    }
}
