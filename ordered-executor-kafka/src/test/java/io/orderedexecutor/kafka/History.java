package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.kafka.Journal.Event;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a {@link Journal} tells of K1 to K4 and K8, across processes. The records of each key are numbered from 0, and
 * all records of a key are in one partition.
 */
final class History {
    /** A record that was started again after it had been processed. */
    record Repetition(Event end, Event again) {}

    /** Two runs of one key at a time. */
    record Overlap(Event first, Event second) {}

    private final Map<String, BitSet> ended = new HashMap<>();
    private final Map<String, Event> ends = new HashMap<>();
    private final Map<String, List<Event>> open = new HashMap<>();
    private final List<Event> disorder = new ArrayList<>();
    private final List<Repetition> repetitions = new ArrayList<>();
    private final List<Overlap> overlaps = new ArrayList<>();

    static History of(List<Event> events) {
        History history = new History();
        events.forEach(history::add);
        return history;
    }

    private void add(Event event) {
        switch (event.kind()) {
            case START -> start(event);
            case END -> {
                close(event);
                of(event.key()).set(event.number());
                ends.put(event.key() + "/" + event.number(), event);
            }
            case FAIL -> close(event);
            case GONE ->
                open.values()
                        .forEach(each -> each.removeIf(begun -> begun.process().equals(event.process())));
        }
    }

    private void start(Event event) {
        if (of(event.key()).nextClearBit(0) < event.number()) {
            disorder.add(event);
        }
        Event end = ends.get(event.key() + "/" + event.number());
        if (end != null) {
            repetitions.add(new Repetition(end, event));
        }
        List<Event> running = open.computeIfAbsent(event.key(), each -> new ArrayList<>());
        running.forEach(each -> overlaps.add(new Overlap(each, event)));
        running.add(event);
    }

    private void close(Event event) {
        boolean wasOpen = open.getOrDefault(event.key(), new ArrayList<>())
                .removeIf(each -> each.process().equals(event.process()) && each.number() == event.number());
        assertThat(wasOpen).as("%s has begun", event).isTrue();
    }

    private BitSet of(String key) {
        return ended.computeIfAbsent(key, each -> new BitSet());
    }

    /** How many different records were processed. */
    int processed() {
        return ends.size();
    }

    /** Processed records were started again, in the order of that. */
    List<Repetition> repetitions() {
        return repetitions;
    }

    List<Overlap> overlaps() {
        return overlaps;
    }

    /** Everything was processed, and no record began before all earlier ones of its key had ended. */
    void assertNothingIsLostOrOutOfOrder(Map<String, Integer> sent) {
        sent.forEach((key, count) ->
                assertThat(of(key).nextClearBit(0)).as("records of %s", key).isEqualTo(count));
        assertThat(processed())
                .isEqualTo(sent.values().stream().mapToInt(Integer::intValue).sum());
        assertThat(disorder).as("records that overtook").isEmpty();
    }
}
