package io.orderedexecutor;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes {@link OrderedTask}s wait for those that they are not compatible with.
 *
 * <p>A task takes its place among the others first, and is compared with those that came before afterwards, without a
 * lock; it does not start before that is done, and those that come later see it. So the places say who came first, and
 * each pair is compared once, by the later one.
 *
 * <p>All such tasks have their places in one segment, each in an unnamed group for its class that all its tasks share.
 * That segment's lock guards who waits for whom.
 */
final class Comparisons {

    /** The unnamed group of the tasks of one class, or of those without one. */
    private static final class CompatibilityClass extends Group.Unnamed {
        private final @Nullable Object value;

        CompatibilityClass(@Nullable Object value) {
            this.value = value;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof CompatibilityClass that && isSameAs(that.value);
        }

        /** The one without a class is looked for under a lock: it must not be the application that compares it. */
        private boolean isSameAs(@Nullable Object other) {
            return (value == null || other == null) ? value == other : value.equals(other);
        }

        @Override
        public int hashCode() {
            return Objects.hashCode(value);
        }
    }

    private static final int ROOT_HASH = 0;
    private static final Claim CLASSLESS = claim(null);

    /** Successors that are not worth a sweep. */
    static final int FEW = 16;

    private final GroupSegment segment;

    Comparisons(GroupTable table) {
        this.segment = table.segmentFor(ROOT_HASH);
    }

    static Claim claimOf(OrderedTask task) {
        Object compatibilityClass = task.compatibilityClass();
        return compatibilityClass == null ? CLASSLESS : claim(compatibilityClass);
    }

    private static Claim claim(@Nullable Object compatibilityClass) {
        CompatibilityClass key = new CompatibilityClass(compatibilityClass);
        int hash = SegmentedTable.spread(key.hashCode());
        return Claim.only(key, hash, ROOT_HASH, Claim.Access.SHARED);
    }

    /**
     * The earlier tasks that a task is to be compared with. Called under the segment's lock, when the task has its
     * places.
     */
    List<GroupedTask> candidates(GroupedTask task, Group own) {
        List<GroupedTask> candidates = new ArrayList<>();
        for (Group group : groupsToCompare(own)) {
            group.whole().forEach(place -> {
                if (place.task != task) {
                    candidates.add(place.task);
                }
            });
        }
        return candidates;
    }

    private List<Group> groupsToCompare(Group own) {
        // not by equals, which would be that of the application's class, and under the lock
        if (own.key == CLASSLESS.key()) {
            return segment.collect().stream()
                    .filter(group -> group.key instanceof CompatibilityClass)
                    .toList();
        }
        Group classless = segment.search(CLASSLESS).group();
        return classless == null ? List.of(own) : List.of(own, classless);
    }

    /**
     * Makes a task wait for those of the candidates that it is not compatible with. Calls the application's predicates.
     */
    void compare(GroupedTask task, List<GroupedTask> candidates) {
        OrderedTask own = task.comparable;
        List<GroupedTask> conflicting = new ArrayList<>();
        for (GroupedTask candidate : candidates) {
            OrderedTask other = candidate.comparable;
            if (own != null && other != null && candidate.isToCome() && !areCompatible(own, other)) {
                conflicting.add(candidate);
            }
        }
        if (!conflicting.isEmpty()) {
            makeWait(task, conflicting);
        }
    }

    private static boolean areCompatible(OrderedTask later, OrderedTask earlier) {
        try {
            return later.isCompatible(earlier) && earlier.isCompatible(later);
        } catch (Throwable failure) {
            // to run one after the other is what cannot be wrong
            UncaughtFailures.report(failure);
            return false;
        }
    }

    private void makeWait(GroupedTask task, List<GroupedTask> conflicting) {
        segment.lock();
        try {
            for (GroupedTask earlier : conflicting) {
                if (!earlier.left) {
                    addSuccessor(earlier, task);
                    task.waitForOneMore();
                }
            }
        } finally {
            segment.unlock();
        }
    }

    /** Those that were cancelled are looked for whenever there may be twice as many as there were. */
    private static void addSuccessor(GroupedTask earlier, GroupedTask later) {
        List<GroupedTask> successors = earlier.successors;
        if (successors == null) {
            successors = new ArrayList<>();
            earlier.successors = successors;
        } else if (successors.size() >= earlier.sweepAt) {
            successors.removeIf(successor -> successor.left);
            earlier.sweepAt = Math.max(FEW, 2 * successors.size());
        }
        successors.add(later);
    }

    /** Lets go what waits for a task that leaves. Called under the segment's lock. */
    static void release(GroupedTask task, Succession ready) {
        task.left = true;
        // one that was cancelled may still be in the pool's queue, or among the successors of others
        task.comparable = null;
        List<GroupedTask> successors = task.successors;
        task.successors = null;
        if (successors != null) {
            for (GroupedTask successor : successors) {
                if (successor.isReadyAfterOneLess()) {
                    ready.add(successor);
                }
            }
        }
    }

    /** The tasks that a task waits for because one of the two has said so. */
    List<GroupedTask> ahead(GroupedTask task) {
        List<GroupedTask> ahead = new ArrayList<>();
        segment.lock();
        try {
            for (Group group : segment.collect()) {
                if (group.key instanceof CompatibilityClass) {
                    group.whole().forEach(place -> {
                        List<GroupedTask> successors = place.task.successors;
                        if (successors != null && successors.contains(task)) {
                            ahead.add(place.task);
                        }
                    });
                }
            }
        } finally {
            segment.unlock();
        }
        return ahead;
    }
}
