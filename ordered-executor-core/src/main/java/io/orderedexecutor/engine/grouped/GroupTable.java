package io.orderedexecutor.engine.grouped;

import io.orderedexecutor.engine.executor.SegmentedTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The groups that have tasks, found by key, in segments each of which has a lock.
 *
 * <p>A task takes the locks of all segments that it has groups in, in their order, and then enters its requests. So it
 * comes before or after another one in all groups that they share, and two that want the same groups in different
 * orders cannot deadlock. A tree of groups is in the segment of its outermost group. The root, which every task is
 * below, would be where all meet; therefore each segment has a part of it, and only a task that wants all groups has a
 * request in every part.
 *
 * <p>Each task has a number higher than those of all tasks in the segments that it has groups in (a clock of Lamport's
 * for each segment), so that tasks that conflict can be put in order.
 */
public final class GroupTable extends SegmentedTable<GroupSegment, GroupedTask> {

    /**
     * A table without tasks.
     *
     * @param description its executor's name, for messages
     */
    GroupTable(String description) {
        super(index -> new GroupSegment(description, index), Comparator.comparingLong(GroupedTask::number));
    }

    GroupSegment segmentOf(Group group) {
        return segmentFor(group.hash());
    }

    /** All groups that the application has named and that have tasks. */
    List<Group> groups() {
        List<Group> groups = new ArrayList<>();
        segments().forEach(segment -> groups.addAll(segment.groups()));
        return groups;
    }

    // what an Admission does, for all intents of a task

    private GroupSegment segmentOf(Intent intent) {
        return segmentFor(intent.hash);
    }

    /** Searches for the groups. Calls the {@code equals} of their elements. */
    void search(Intent first) {
        for (Intent intent = first; intent != null; intent = intent.next) {
            segmentOf(intent).search(intent);
        }
    }

    /** Searches for the innermost group until it is found, or known to be missing. */
    @Nullable
    Group find(Intent first) {
        Intent last = first.last();
        boolean isKnown = false;
        while (!isKnown) {
            search(first);
            isKnown = last.group() != null || isKnownToBeSo(first);
        }
        return last.group();
    }

    private boolean isKnownToBeSo(Intent first) {
        lock(first);
        try {
            return isStillSo(first);
        } finally {
            unlock(first);
        }
    }

    /** Takes all locks, or none if it throws: even a lock needs memory if another thread has it. */
    void lock(Intent first) {
        GroupSegment locked = null;
        Intent intent = first;
        try {
            for (; intent != null; intent = intent.next) {
                GroupSegment segment = segmentOf(intent);
                if (segment != locked) {
                    segment.lock();
                    locked = segment;
                }
            }
        } catch (Throwable failure) {
            unlock(first, intent);
            throw failure;
        }
    }

    void unlock(Intent first) {
        unlock(first, null);
    }

    /** Gives back the locks that were taken for the intents before one. */
    private void unlock(Intent first, @Nullable Intent end) {
        GroupSegment unlocked = null;
        for (Intent intent = first; intent != null && intent != end; intent = intent.next) {
            GroupSegment segment = segmentOf(intent);
            if (segment != unlocked) {
                segment.unlock();
                unlocked = segment;
            }
        }
    }

    // under the locks

    boolean isClosed(Intent first) {
        for (Intent intent = first; intent != null; intent = intent.next) {
            if (segmentOf(intent).isClosed()) {
                return true;
            }
        }
        return false;
    }

    /** Whether what the search has found is still so. */
    boolean isStillSo(Intent first) {
        for (Intent intent = first; intent != null; intent = intent.next) {
            if (!intent.isStillSo(segmentOf(intent))) {
                return false;
            }
        }
        return true;
    }

    /** A group in which as many tasks wait as may; null if there is none. */
    @Nullable
    Group findFull(Intent first, int capacity) {
        for (Intent intent = first; intent != null; intent = intent.next) {
            Group group = intent.group();
            if (group != null && intent.own != Access.NONE && group.isNamed() && group.queued() >= capacity) {
                return group;
            }
        }
        return null;
    }

    /**
     * Enters the requests of a task. If it throws, some may be entered: the task knows which.
     *
     * @param counts whether the groups have to know how many tasks wait
     * @return the group of the last intent
     */
    Group enter(Intent first, GroupedTask task, boolean counts) {
        long number = 0;
        for (Intent intent = first; intent != null; intent = intent.next) {
            number = Math.max(number, segmentOf(intent).nextNumber());
        }
        task.setNumber(number);
        Group last = null;
        for (Intent intent = first; intent != null; intent = intent.next) {
            GroupSegment segment = segmentOf(intent);
            segment.setClock(number);
            last = open(segment, intent, task);
            if (counts && intent.own != Access.NONE) {
                last.addQueued(1);
            }
        }
        if (last == null) {
            throw new AssertionError("a task without a group");
        }
        return last;
    }

    private static Group open(GroupSegment segment, Intent intent, GroupedTask task) {
        Group group = segment.open(intent);
        try {
            segment.enter(task, intent, group);
        } catch (Throwable failure) {
            segment.removeIfUnused(group);
            throw failure;
        }
        return group;
    }

    /** Pauses the innermost group. */
    void pause(Intent first) {
        Group last = null;
        for (Intent intent = first; intent != null; intent = intent.next) {
            last = segmentOf(intent).open(intent);
        }
        if (last != null) {
            last.setPaused(true);
        }
    }
}
