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
 * <p>A task takes the locks of all segments that it has groups in, in their order, and then its places. So it comes
 * before or after another one in all groups that they share, and two that want the same groups in different orders
 * cannot deadlock. A tree of groups is in the segment of its outermost group. The root, which every task is below,
 * would be where all meet; therefore each segment has a part of it, and only a task that wants all groups has a place
 * in every part.
 *
 * <p>Each task has a number higher than those of all tasks in the segments that it has groups in (a clock of Lamport's
 * for each segment), so that tasks that conflict can be put in order.
 */
final class GroupTable extends SegmentedTable<GroupSegment, GroupedTask> {

    /**
     * A table without tasks.
     *
     * @param description names its executor, for people
     */
    GroupTable(String description) {
        super(() -> new GroupSegment(description));
    }

    @Override
    void forEach(Consumer<? super GroupedTask> visitor) {
        inOrder().forEach(visitor);
    }

    /** All tasks, in no order. */
    List<GroupedTask> tasks() {
        List<GroupedTask> tasks = new ArrayList<>();
        segments().forEach(segment -> segment.forEachTask(tasks::add));
        return tasks;
    }

    /** All tasks, in an order in which those that conflict were submitted. */
    List<GroupedTask> inOrder() {
        List<GroupedTask> tasks = tasks();
        tasks.sort(Comparator.comparingLong(GroupedTask::number));
        return tasks;
    }

    @Override
    void forEachStartable(Consumer<? super GroupedTask> visitor) {
        Set<GroupedTask> tasks = new HashSet<>();
        segments().forEach(segment -> segment.forEachOpenTask(tasks::add));
        tasks.forEach(visitor);
    }

    /** All groups that the application has named and that have tasks. */
    List<Group> groups() {
        List<Group> groups = new ArrayList<>();
        segments().forEach(segment -> groups.addAll(segment.groups()));
        return groups;
    }
}
