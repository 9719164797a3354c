package io.orderedexecutor.test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The source of the decisions of a run. A decision is a number. 0 is the plain decision: the current thread goes on if
 * it can, otherwise the oldest thread does, and no fault occurs. Used only by the thread that has the baton.
 */
interface Choices {

    /**
     * Chooses the thread that goes on, by its position in the list.
     *
     * @param threads at least two, the oldest first, except that the current thread comes first if it can go on
     * @param mayStay whether the current thread can go on
     */
    int thread(List<SimulatedThread> threads, boolean mayStay);

    /** Chooses the fault that occurs: a number from 1 to {@code kinds}, or 0 for none. */
    int fault(int kinds);

    /** Chooses a number for the test itself, from 0 to {@code bound - 1}. */
    int number(int bound);

    /** Repeats the decisions of an earlier run; missing decisions are 0. */
    final class Given implements Choices {
        private final List<Integer> given;
        private int next;

        Given(List<Integer> given) {
            this.given = given;
        }

        private int next(int bound) {
            int decision = next < given.size() ? given.get(next) : 0;
            next++;
            return Math.min(decision, bound - 1);
        }

        @Override
        public int thread(List<SimulatedThread> threads, boolean mayStay) {
            return next(threads.size());
        }

        @Override
        public int fault(int kinds) {
            return next(kinds + 1);
        }

        @Override
        public int number(int bound) {
            return next(bound);
        }
    }

    /** Takes plain decisions, except for a few random ones. */
    final class Sparse implements Choices {
        private final Randomness random;
        private final int oneIn;

        Sparse(long seed) {
            this.random = new Randomness(seed);
            this.oneIn = 3 + random.below(8);
        }

        private int below(int bound) {
            return random.oneIn(oneIn) ? random.below(bound) : 0;
        }

        @Override
        public int thread(List<SimulatedThread> threads, boolean mayStay) {
            return below(threads.size());
        }

        @Override
        public int fault(int kinds) {
            return below(kinds + 1);
        }

        @Override
        public int number(int bound) {
            return below(bound);
        }
    }

    /** See {@link Strategy#RANDOM}. */
    class AtRandom implements Choices {
        private static final int ONE_FAULT_IN = 12;

        final Randomness random;

        /** One in this number of decisions preempts a thread that can go on; 0 if each thread is equally likely. */
        private final int leavesOneTimeIn;

        AtRandom(long seed) {
            this.random = new Randomness(seed);
            this.leavesOneTimeIn = new int[] {0, 0, 3, 10}[random.below(4)];
        }

        @Override
        public int thread(List<SimulatedThread> threads, boolean mayStay) {
            if (mayStay && leavesOneTimeIn > 0) {
                return random.oneIn(leavesOneTimeIn) ? 1 + random.below(threads.size() - 1) : 0;
            }
            return random.below(threads.size());
        }

        @Override
        public int fault(int kinds) {
            return random.oneIn(ONE_FAULT_IN) ? 1 + random.below(kinds) : 0;
        }

        @Override
        public int number(int bound) {
            return random.below(bound);
        }
    }

    /** See {@link Strategy#PCT}. */
    final class ByPriority extends AtRandom {
        private static final int MOST_CHANGES = 4;

        private final Map<SimulatedThread, Integer> priorities = new HashMap<>();
        private final List<Integer> changes = new ArrayList<>();
        private int steps;
        private int lowest;

        ByPriority(long seed) {
            super(seed);
            // the length of a run is not known in advance: the changes of some runs are early, those of others are
            // spread
            int length = 8 << random.below(6);
            for (int i = random.below(MOST_CHANGES); i >= 0; i--) {
                changes.add(random.below(length));
            }
        }

        @Override
        public int thread(List<SimulatedThread> threads, boolean mayStay) {
            threads.forEach(thread -> priorities.computeIfAbsent(thread, any -> 1 + random.below(1 << 20)));
            if (changes.contains(steps++) && mayStay) {
                priorities.put(threads.get(0), --lowest);
            }
            int highest = 0;
            for (int i = 1; i < threads.size(); i++) {
                if (priorityOf(threads.get(i)) > priorityOf(threads.get(highest))) {
                    highest = i;
                }
            }
            return highest;
        }

        private int priorityOf(SimulatedThread thread) {
            return priorities.getOrDefault(thread, 0);
        }
    }
}
