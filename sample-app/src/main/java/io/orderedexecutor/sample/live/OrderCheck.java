package io.orderedexecutor.sample.live;

import java.util.HashMap;
import java.util.Map;
import org.springframework.stereotype.Component;

/**
 * Looks whether the steps of a key run one at a time and in the order of their numbers. It asks the steps, not the
 * executors, and so sees it if one of them breaks its promise. Thread-safe: the object's lock guards all fields.
 */
@Component
class OrderCheck {
    private record Track(Step.Lane lane, String key) {}

    private static final class State {
        private int reading;
        private int changing;
        private int lastRead;
        private int lastChange;

        boolean mayStart(Step step) {
            return step.kind() == Step.Kind.SHARED
                    ? changing == 0 && step.number() > lastChange
                    : changing + reading == 0 && step.number() >= Math.max(lastChange, lastRead);
        }

        void start(Step step) {
            if (step.kind() == Step.Kind.SHARED) {
                reading++;
                lastRead = Math.max(lastRead, step.number());
            } else {
                changing++;
                lastChange = Math.max(lastChange, step.number()); // a step that failed runs again
            }
        }

        void end(Step step) {
            if (step.kind() == Step.Kind.SHARED) {
                reading--;
            } else {
                changing--;
            }
        }
    }

    private final Map<Track, State> tracks = new HashMap<>();
    private final Map<Step.Lane, Long> violations = new HashMap<>();

    /** Notes that a step starts, and tells whether it may. */
    synchronized boolean start(Step step) {
        boolean inOrder = true;
        for (String key : step.keys()) {
            State state = state(step.lane(), key);
            inOrder &= state.mayStart(step);
            state.start(step);
        }
        if (!inOrder) {
            violations.merge(step.lane(), 1L, Long::sum);
        }
        return inOrder;
    }

    synchronized void end(Step step) {
        for (String key : step.keys()) {
            state(step.lane(), key).end(step);
        }
    }

    private State state(Step.Lane lane, String key) {
        return tracks.computeIfAbsent(new Track(lane, key), track -> new State());
    }

    synchronized long violations(Step.Lane lane) {
        return violations.getOrDefault(lane, 0L);
    }
}
