package io.orderedexecutor.engine.grouped;

import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedTask;
import io.orderedexecutor.engine.executor.Bins;
import io.orderedexecutor.engine.executor.LimitedKey;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.strand.Link;
import io.orderedexecutor.engine.strand.Serving;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets tasks into their groups, and hands those over that have nothing to wait for. First a search without a lock,
 * since it calls the application's {@code equals}; then, under the locks of all segments, a check that what was found
 * is still so, and the requests. If it is not, the admission begins again.
 *
 * <p>A task that no other thread has seen, because its submitter holds the locks, becomes ready by plain writes. One
 * that has to wait, or to be compared with others, is handed over by the thread that ends the last thing it waits for.
 */
final class Admission {
    private final GroupedEngine engine;
    private final GroupTable table;
    private final Comparisons comparisons;

    Admission(GroupedEngine engine, GroupTable table, Comparisons comparisons) {
        this.engine = engine;
        this.table = table;
        this.comparisons = comparisons;
    }

    /** Whether the groups have to know how many tasks wait. */
    private boolean countsQueued() {
        return engine.limits() != null;
    }

    /**
     * Admits a task with groups.
     *
     * @return a group that is full, so that the task was not admitted; null if it was
     */
    @Nullable
    LimitedKey admit(Groups groups, Link first, int groupCapacity) {
        Object only = Intent.onlyGroup(groups);
        return only == null
                ? admit(groups, null, Intent.of(groups), first, groupCapacity)
                : admitToOne(groups, only, first, groupCapacity);
    }

    /**
     * As the other, for a task that wants one group and nothing else, as most do: one search and one lock, and no
     * {@link Intent}. If it wants the group exclusively, it is most often linked behind one that wants the same.
     */
    private @Nullable LimitedKey admitToOne(Groups groups, Object element, Link first, int groupCapacity) {
        int hash = Intent.hashOf(element);
        GroupSegment segment = table.segmentFor(hash);
        Access access = groups.sharedGroups().isEmpty() ? Access.EXCLUSIVE : Access.SHARED;
        boolean counts = countsQueued();
        GroupedTask task = null;
        boolean isReady = false;
        try {
            while (task == null) {
                Bins.@Nullable Entry<?>[] searched = segment.bins();
                Group head = segment.head(searched, hash);
                Group group = segment.find(head, element, hash);
                segment.lock();
                try {
                    if (segment.isClosed()) {
                        throw engine.rejectedByShutdown();
                    }
                    if (group == null ? segment.isUnchanged(hash, searched, head) : !group.isRemoved()) {
                        if (group != null && counts && group.queued() >= groupCapacity) {
                            return segment.asFull(group);
                        }
                        if (group != null && access == Access.EXCLUSIVE && segment.join(group, first, counts)) {
                            return null;
                        }
                        task = new GroupedTask(engine, groups, null, first);
                        segment.enter(task, group == null ? segment.open(element, hash) : group, access, counts);
                        isReady = task.openReady();
                    }
                } finally {
                    segment.unlock();
                }
            }
        } catch (Throwable failure) {
            // no request may stay without a task, as in the other
            if (task == null || task.takeBack(first)) {
                throw failure;
            }
            UncaughtFailures.report(failure);
        }
        handOver(task, first, isReady);
        return null;
    }

    /** As the others, for a task with any intents. */
    @Nullable
    LimitedKey admit(
            @Nullable Groups groups, @Nullable OrderedTask comparable, Intent intents, Link first, int groupCapacity) {
        GroupedTask task = new GroupedTask(engine, groups, comparable, first);
        boolean isEntered = false;
        boolean isReady = false;
        try {
            List<GroupedTask> candidates = List.of();
            while (!isEntered) {
                table.search(intents);
                table.lock(intents);
                try {
                    if (table.isClosed(intents)) {
                        throw engine.rejectedByShutdown();
                    }
                    if (table.isStillSo(intents)) {
                        Group full = countsQueued() ? table.findFull(intents, groupCapacity) : null;
                        if (full != null) {
                            return table.segmentOf(full).asFull(full);
                        }
                        isEntered = true;
                        Group last = table.enter(intents, task, countsQueued());
                        if (comparable == null) {
                            isReady = task.openReady();
                        } else {
                            candidates = comparisons.candidates(task, last);
                        }
                    }
                } finally {
                    table.unlock(intents);
                }
            }
            if (comparable != null) {
                comparisons.compare(task, candidates);
            }
        } catch (Throwable failure) {
            // whatever it is: no request may stay without a task, since nothing would ever take it out
            if (!isEntered || task.takeBack(first)) {
                throw failure;
            }
            // its submitter must not be told otherwise
            UncaughtFailures.report(failure);
        }
        handOver(task, first, isReady);
        return null;
    }

    private void handOver(GroupedTask task, Link first, boolean isReady) {
        try {
            if (isReady || task.isReadyAfterOneLess()) {
                Serving.handOver(task, first);
            }
        } catch (Throwable failure) {
            // writes and no calls, as there may be no stack for any
            task.unattended = true;
            engine.hasUnattended = true;
            throw failure;
        }
    }
}
