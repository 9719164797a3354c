package io.orderedexecutor.test;

import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedOutput;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What happened to the tasks of a run, and whether it was right. Used by the thread that has the baton only. */
final class History {
    enum Kind {
        QUEUED,
        STARTED,
        ENDED,
        TAKEN_OUT,
        PUT_BACK,
        WRITTEN,
        REJECTED
    }

    /** What happened. A stripe is equal to its like; a task is the one that was submitted. */
    record Event(Kind kind, String executor, @Nullable Object key, Object task) {}

    private record Lane(String executor, Object key) {}

    private static final class Counts {
        int queued;
        int started;
        int ended;
        int putBack;
    }

    private final List<Event> events = new ArrayList<>();

    void add(Kind kind, String executor, @Nullable Object key, Object task) {
        events.add(new Event(kind, executor, key, task));
    }

    List<Event> events() {
        return events;
    }

    /** Says what is wrong; null if nothing is. */
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
                case QUEUED -> counts.queued++;
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
                return "A task of " + event.executor() + "[" + event.key() + "] was accepted and has not ended: "
                        + event.task();
            }
            if (counts.ended > counts.queued || counts.started > counts.queued + counts.putBack) {
                return "A task of " + event.executor() + "[" + event.key() + "] was run more than once: "
                        + event.task();
            }
        }
        return null;
    }

    /** Two tasks of a stripe that ran at once. */
    @Nullable
    String findOverlap() {
        Map<Lane, Object> running = new HashMap<>();
        for (Event event : events) {
            Object key = event.key();
            if (key == null || key instanceof Groups || key instanceof OrderedOutput<?>) {
                continue;
            }
            Lane lane = new Lane(event.executor(), key);
            switch (event.kind()) {
                case STARTED -> {
                    if (running.putIfAbsent(lane, event.task()) != null) {
                        return "Two tasks of " + lane.executor() + "[" + key + "] ran at the same time";
                    }
                }
                case ENDED, PUT_BACK, TAKEN_OUT -> running.remove(lane, event.task());
                default -> {}
            }
        }
        return null;
    }

    /** The tasks of a stripe that did not start in the order of their submission; null if all did. */
    @Nullable
    String findDisorder(Object key) {
        Map<String, Deque<Object>> waiting = new LinkedHashMap<>();
        for (Event event : events) {
            if (!key.equals(event.key())) {
                continue;
            }
            Deque<Object> queue = waiting.computeIfAbsent(event.executor(), any -> new ArrayDeque<>());
            switch (event.kind()) {
                case QUEUED -> queue.add(event.task());
                case STARTED -> {
                    if (queue.peek() != event.task()) {
                        return "A task of " + event.executor() + "[" + key + "] started before an earlier one: "
                                + event.task();
                    }
                }
                case ENDED, TAKEN_OUT -> queue.removeFirstOccurrence(event.task());
                default -> {}
            }
        }
        return null;
    }

    long count(Kind kind, Object key) {
        return events.stream()
                .filter(event -> event.kind() == kind && key.equals(event.key()))
                .count();
    }
}
