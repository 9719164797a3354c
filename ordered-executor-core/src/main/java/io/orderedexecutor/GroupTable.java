package io.orderedexecutor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The groups that have tasks, found by key, in segments each of which has a lock.
 *
 * <p>A task takes the locks of all segments that it has groups in, in their order, and then its places. So it comes before or after
 * another one in all groups that they share, and two that want the same groups in different orders cannot deadlock. A tree of groups is
 * in the segment of its outermost group. The root, which every task is below, would be where all meet; therefore each segment has a
 * part of it, and only a task that wants all groups has a place in every part.
 *
 * <p>Each task has a number higher than those of all tasks in the segments that it has groups in (a clock of Lamport's for each segment), so that
 * tasks that conflict can be put in order.
 */
final class GroupTable implements LiveChains<GroupedTask> {
    static final int SEGMENTS = 64;

    private final String description;
    private final GroupSegment[] segments = new GroupSegment[SEGMENTS];

    GroupTable(String description) {
        this.description = description;
        for (int i = 0; i < SEGMENTS; i++) {
            segments[i] = new GroupSegment(this);
        }
    }

    String describe() {
        return description;
    }

    static int segmentOf(int rootHash) {
        return rootHash >>> 26;
    }

    GroupSegment segmentFor(int rootHash) {
        return segments[segmentOf(rootHash)];
    }

    @Override
    public int segments() {
        return SEGMENTS;
    }

    @Override
    public boolean isEmpty() {
        // a task may go from where nobody has looked to where nobody looks again: so each is empty only if none has
        // come until a second look
        long[] arrivals = new long[SEGMENTS];
        for (int i = 0; i < SEGMENTS; i++) {
            arrivals[i] = segments[i].arrivalsIfEmpty();
            if (arrivals[i] < 0) {
                return false;
            }
        }
        for (int i = 0; i < SEGMENTS; i++) {
            if (segments[i].arrivalsIfEmpty() != arrivals[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int close() {
        int empty = 0;
        for (GroupSegment segment : segments) {
            if (segment.close()) {
                empty++;
            }
        }
        return empty;
    }

    @Override
    public void forEach(Consumer<? super GroupedTask> visitor) {
        inOrder().forEach(visitor);
    }

    /** All tasks, in no order. */
    List<GroupedTask> tasks() {
        List<GroupedTask> tasks = new ArrayList<>();
        for (GroupSegment segment : segments) {
            segment.forEachTask(tasks::add);
        }
        return tasks;
    }

    /** All tasks, in an order in which those that conflict were submitted. */
    List<GroupedTask> inOrder() {
        List<GroupedTask> tasks = tasks();
        tasks.sort(Comparator.comparingLong(GroupedTask::number));
        return tasks;
    }

    @Override
    public void forEachStartable(Consumer<? super GroupedTask> visitor) {
        Set<GroupedTask> tasks = new HashSet<>();
        for (GroupSegment segment : segments) {
            segment.forEachOpenTask(tasks::add);
        }
        tasks.forEach(visitor);
    }

    /** All groups that the application has named and that have tasks. */
    List<Group> groups() {
        List<Group> groups = new ArrayList<>();
        for (GroupSegment segment : segments) {
            groups.addAll(segment.groups());
        }
        return groups;
    }
}
