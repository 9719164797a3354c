package io.orderedexecutor.engine.grouped;

import io.orderedexecutor.OrderedTask;
import io.orderedexecutor.engine.executor.SegmentedTable;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes {@link OrderedTask}s wait for those that they are not compatible with.
 *
 * <p>A task first enters its request, so that later tasks see it. Then it is compared with the earlier ones, without a
 * lock, and does not start before that is done. So each pair is compared once, by the later of the two.
 *
 * <p>All requests of such tasks are in one segment, in an unnamed group for each compatibility class. That segment's
 * lock guards which task waits for which.
 */
class Comparisons { // not final: tests let it fail

    /** The unnamed group of the tasks of one class, or of those without one. */
    private static final class CompatibilityClass extends Group.Unnamed {
        private final @Nullable Object value;

        CompatibilityClass(@Nullable Object value) {
            super(SegmentedTable.spread(Objects.hashCode(value)) >>> SEGMENT_BITS);
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
            return hash;
        }
    }

    /** So many highest bits of a hash say in which segment a group is; all these groups are in the first one. */
    private static final int SEGMENT_BITS = 6;

    private static final CompatibilityClass CLASSLESS = new CompatibilityClass(null);

    private final GroupSegment segment;

    Comparisons(GroupTable table) {
        this.segment = table.segmentFor(CLASSLESS.hash);
    }

    /** The group of the tasks of the same class. */
    static Group.Unnamed groupOf(OrderedTask task) {
        Object compatibilityClass = task.compatibilityClass();
        return compatibilityClass == null ? CLASSLESS : new CompatibilityClass(compatibilityClass);
    }

    /**
     * The earlier tasks that a task is to be compared with. Called under the segment's lock, when the task has its
     * requests.
     */
    List<GroupedTask> candidates(GroupedTask task, Group own) {
        List<GroupedTask> candidates = new ArrayList<>();
        for (Group group : groupsToCompare(own)) {
            group.whole().forEach(request -> {
                if (request.task != task) {
                    candidates.add(request.task);
                }
            });
        }
        return candidates;
    }

    private List<Group> groupsToCompare(Group own) {
        // not by equals, which would be that of the application's class, and under the lock
        if (own.element == CLASSLESS) {
            return classes();
        }
        Group classless = segment.find(CLASSLESS, CLASSLESS.hash);
        return classless == null ? List.of(own) : List.of(own, classless);
    }

    /**
     * Makes a task wait for those of the candidates that it is not compatible with. Calls the application's predicates.
     */
    void compare(GroupedTask task, List<GroupedTask> candidates) {
        OrderedTask own = comparable(task);
        List<GroupedTask> conflicting = new ArrayList<>();
        for (GroupedTask candidate : candidates) {
            OrderedTask other = comparable(candidate);
            if (own != null && other != null && candidate.isToCome() && !areCompatible(own, other)) {
                conflicting.add(candidate);
            }
        }
        if (!conflicting.isEmpty()) {
            makeWait(task, conflicting);
        }
    }

    private static @Nullable OrderedTask comparable(GroupedTask task) {
        GroupedTask.Compared compared = task.compared;
        return compared == null ? null : compared.task;
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
                if (earlier.compared != null && earlier.compared.addSuccessor(task)) {
                    task.waitForOneMore();
                }
            }
        } finally {
            segment.unlock();
        }
    }

    /** Lets go of what waits for a task that leaves. Called under the segment's lock. */
    static void release(GroupedTask task, ReadyList ready) {
        if (task.compared != null) {
            List<GroupedTask> successors = task.compared.leave();
            for (int i = 0; i < successors.size(); i++) {
                GroupedTask successor = successors.get(i);
                if (successor.isReadyAfterOneLess()) {
                    ready.add(successor);
                }
            }
        }
    }

    /**
     * For each task, the tasks that it waits for because one of the two has said so. Takes the lock for one at a time.
     */
    Map<GroupedTask, List<GroupedTask>> ahead() {
        Map<GroupedTask, List<GroupedTask>> ahead = new HashMap<>();
        for (GroupedTask earlier : tasks()) {
            for (GroupedTask later : successorsOf(earlier)) {
                ahead.computeIfAbsent(later, task -> new ArrayList<>()).add(earlier);
            }
        }
        return ahead;
    }

    private List<GroupedTask> tasks() {
        List<GroupedTask> tasks = new ArrayList<>();
        segment.lock();
        try {
            classes().forEach(group -> group.whole().forEach(request -> tasks.add(request.task)));
        } finally {
            segment.unlock();
        }
        return tasks;
    }

    private List<Group> classes() {
        List<Group> classes = segment.collect();
        classes.removeIf(group -> !(group.element instanceof CompatibilityClass));
        return classes;
    }

    private List<GroupedTask> successorsOf(GroupedTask task) {
        segment.lock();
        try {
            return task.compared == null ? List.of() : List.copyOf(task.compared.successors());
        } finally {
            segment.unlock();
        }
    }
}
