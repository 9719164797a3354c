package io.orderedexecutor.sample.live;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.stereotype.Component;

/**
 * Checks whether the steps of a key run one at a time and in the order of their numbers; steps that only read may run
 * together, in any order. The steps report to it, not the executors, so it notices an executor that breaks its promise.
 * Thread-safe: the object's lock guards all fields.
 */
@Component
class OrderCheck {
    private record Key(Step.Lane lane, String name) {}

    private static final class Track {
        private final Set<Step> running = new HashSet<>();
        private int lastRead;
        private int lastChange;

        boolean start(Step step) {
            boolean reads = step.kind() == Step.Kind.SHARED;
            boolean isAlone = running.stream().allMatch(other -> reads && other.kind() == Step.Kind.SHARED);
            int last = reads ? lastChange : Math.max(lastChange, lastRead);
            running.add(step);
            if (reads) {
                lastRead = Math.max(lastRead, step.number());
            } else {
                lastChange = Math.max(lastChange, step.number());
            }
            return isAlone && step.number() >= last; // the same number: a step that failed runs again
        }
    }

    private final Map<Key, Track> tracks = new HashMap<>();
    private final Map<Step.Lane, Long> violations = new HashMap<>();

    /** Notes that a step starts, and tells whether it may. */
    synchronized boolean start(Step step) {
        boolean inOrder = true;
        for (String key : step.keys()) {
            inOrder &= track(step, key).start(step);
        }
        if (!inOrder) {
            violations.merge(step.lane(), 1L, Long::sum);
        }
        return inOrder;
    }

    synchronized void end(Step step) {
        step.keys().forEach(key -> track(step, key).running.remove(step));
    }

    private Track track(Step step, String key) {
        return tracks.computeIfAbsent(new Key(step.lane(), key), unknown -> new Track());
    }

    synchronized long violations(Step.Lane lane) {
        return violations.getOrDefault(lane, 0L);
    }
}
