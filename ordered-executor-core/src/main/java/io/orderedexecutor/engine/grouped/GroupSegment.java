package io.orderedexecutor.engine.grouped;

import io.orderedexecutor.engine.executor.Bins;
import io.orderedexecutor.engine.executor.LimitedKey;
import io.orderedexecutor.engine.executor.SegmentedTable;
import io.orderedexecutor.engine.strand.Link;
import io.orderedexecutor.engine.strand.StrandControl;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A part of a {@link GroupTable}: the {@link Bins} of its groups, and its part of the root, the group that all groups
 * are below. Every task with a request in this segment is in this part of the root, too: with a request, or counted.
 */
public final class GroupSegment extends Bins<Group> implements SegmentedTable.Segment<GroupedTask> {
    private static final @Nullable Entry<?>[] NO_BINS = new Entry<?>[0];

    /** The executor's name, for messages. */
    private final String description;

    /** Held for a few pointer writes for each group of a task, and never while foreign code runs. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Its content is guarded by {@link #lock}. */
    private final Group root;

    /** Guarded by {@link #lock}: the highest number that a task here has. */
    private long clock;

    /** Guarded by {@link #lock}: no more tasks are accepted. */
    private boolean closed;

    /**
     * A segment without tasks.
     *
     * @param index says which one of its table this is
     */
    GroupSegment(String description, int index) {
        this.description = description;
        this.root = Group.root(lock, Intent.hashOfSegment(index));
    }

    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    // searches, without the lock

    /** Looks for the group of an intent, within the outer one. Calls the elements' {@code equals}. */
    void search(Intent intent) {
        Intent outer = intent.outer;
        Group parent = outer == null ? root : outer.group();
        Object element = intent.element;
        if (element == null) {
            intent.setGroup(root);
        } else if (parent == null) {
            intent.setMissing(NO_BINS, null);
        } else {
            @Nullable Entry<?>[] searched = bins();
            Group head = head(searched, intent.hash);
            Group group = find(head, parent, element, intent.hash);
            if (group == null) {
                intent.setMissing(searched, head);
            } else {
                intent.setGroup(group);
            }
        }
    }

    /** The group that is in no other; null if it is missing, or was missed. Calls the elements' {@code equals}. */
    @Nullable
    Group find(Object element, int hash) {
        return find(head(bins(), hash), element, hash);
    }

    /** As {@link #find(Object, int)}, in the bin that begins with {@code head}. */
    @Nullable
    Group find(@Nullable Group head, Object element, int hash) {
        return find(head, root, element, hash);
    }

    private static @Nullable Group find(@Nullable Group head, Group parent, Object element, int hash) {
        Group group = head;
        while (group != null && !(group.hash() == hash && group.parent == parent && isCalled(element, group))) {
            group = group.nextInBinAcquire();
        }
        return group;
    }

    /** An application's key is not compared with one of ours, which its {@code equals} need not expect. */
    private static boolean isCalled(Object element, Group group) {
        return element instanceof Group.Unnamed != group.isNamed() && element.equals(group.element);
    }

    // under the lock

    boolean isClosed() {
        return closed;
    }

    /** The group of an intent, which is opened if it is provably not there. Outer groups come first. */
    Group open(Intent intent) {
        Group group = intent.group();
        if (group == null) {
            Intent outer = intent.outer;
            Group parent = outer == null ? root : Objects.requireNonNull(outer.group());
            group = open(parent, Objects.requireNonNull(intent.element), intent.hash);
            intent.setGroup(group);
        }
        return group;
    }

    /** Opens a group that is in no other, and is provably not there. */
    Group open(Object element, int hash) {
        return open(root, element, hash);
    }

    private Group open(Group parent, Object element, int hash) {
        Group group = new Group(parent, element, hash);
        add(group);
        return group;
    }

    Group root() {
        return root;
    }

    /**
     * Makes the requests of a task for an intent; and before them those in the root, if the intent is the first of this
     * segment, so that no task is in a group here and not in the root.
     */
    void enter(GroupedTask task, Intent intent, Group group) {
        enter(task, group, intent.own, intent.below, intent.belowRoot);
    }

    private void enter(GroupedTask task, Group group, Access own, Access inGroup, Access belowRoot) {
        LockQueue below = belowRoot == Access.NONE ? null : root.queueBelow(belowRoot);
        LockQueue counting = below != null && below.mayCountOneMore() ? below : null;
        if (below != counting) {
            root.enter(task, Access.NONE, belowRoot);
        }
        group.enter(task, own, inGroup);
        LockQueue.Request first = task.firstRequest();
        if (counting != null && first != null) {
            counting.count();
            first.countedIn = counting;
        }
    }

    /**
     * As the other, for a task that wants one group and nothing else.
     *
     * @param access how it wants that group
     * @param counts whether the group has to know how many tasks wait
     */
    void enter(GroupedTask task, Group group, Access access, boolean counts) {
        task.setNumber(++clock);
        try {
            enter(task, group, access, Access.NONE, access);
        } catch (Throwable failure) {
            removeIfUnused(group);
            throw failure;
        }
        if (counts) {
            group.addQueued(1);
        }
        LockQueue.Request request = task.firstRequest();
        if (request != null) {
            request.isJoinable = access == Access.EXCLUSIVE && request.nextOfTask == null;
        }
    }

    /**
     * Links a task that wants a group exclusively, and nothing else, behind the last one that wants the same, if
     * nothing has come in between.
     *
     * @param counts whether the group has to know how many tasks wait
     * @return false if the task has to make a request of its own
     */
    boolean join(Group group, Link task, boolean counts) {
        LockQueue.Request last = group.lastOfAll();
        boolean joins = last != null
                && last.isJoinable
                && root.queueBelow(Access.EXCLUSIVE).mayCountOneMore()
                && last.task.join(task);
        if (joins && counts) {
            group.addQueued(1);
        }
        return joins;
    }

    /** A number higher than all that a task here has. */
    long nextNumber() {
        return clock + 1;
    }

    void setClock(long number) {
        clock = number;
    }

    /** Removes a request, and the group if nothing is left of it; without effect if it has left before. */
    void leave(LockQueue.Request request, Consumer<? super LockQueue.Request> granted) {
        if (request.isOut()) {
            return;
        }
        Group group = request.queue.group;
        group.leave(request, granted);
        LockQueue countedIn = request.countedIn;
        if (countedIn != null) {
            countedIn.discount(granted);
        }
        removeIfUnused(group);
    }

    /** Removes a group of which nothing is left, and the groups around it that were there for it alone. */
    void removeIfUnused(Group group) {
        Group unused = group;
        while (unused != null && !unused.isRemoved() && !unused.isInUse()) {
            unused.setRemoved();
            removeEntry(unused);
            unused = unused.parent;
        }
    }

    private void forEachRequest(Consumer<? super LockQueue.Request> visitor) {
        root.forEachRequest(visitor);
        for (Group group : collect()) {
            group.forEachRequest(visitor);
        }
    }

    /** Visits the tasks that a queue of the root only counts. */
    void forEachCounted(LockQueue queue, Consumer<? super GroupedTask> visitor) {
        if (queue.counts()) {
            forEachRequest(request -> {
                if (request.countedIn == queue) {
                    visitor.accept(request.task);
                }
            });
        }
    }

    /** Whether there is no task, and none will come. */
    boolean isEmptyForGood() {
        return closed && root.isEmpty();
    }

    // taking the lock

    /**
     * Accepts no more tasks, and lets no group be paused.
     *
     * @return whether there are no tasks
     */
    @Override
    public boolean close() {
        lock();
        try {
            closed = true;
            for (Group group : collect()) {
                group.setPaused(false);
                removeIfUnused(group);
            }
            return root.isEmpty();
        } finally {
            unlock();
        }
    }

    /** A number that grows with each task that comes, if none is here now; else -1. */
    @Override
    public long arrivalsIfEmpty() {
        lock();
        try {
            return root.isEmpty() ? clock : -1;
        } finally {
            unlock();
        }
    }

    /** The tasks that have their first request here. */
    @Override
    public List<GroupedTask> strands() {
        List<GroupedTask> tasks = new ArrayList<>();
        lock();
        try {
            forEachRequest(request -> {
                if (request.task.firstRequest() == request) {
                    tasks.add(request.task);
                }
            });
        } finally {
            unlock();
        }
        return tasks;
    }

    /** The tasks that may have no other before them, some of them more than once. */
    @Override
    public List<GroupedTask> startable() {
        List<GroupedTask> tasks = new ArrayList<>();
        lock();
        try {
            root.whole().forEachGranted(request -> addIfForGroup(request, tasks));
            for (Group group : collect()) {
                group.whole().forEachGranted(request -> addIfForGroup(request, tasks));
            }
        } finally {
            unlock();
        }
        return tasks;
    }

    private static void addIfForGroup(LockQueue.Request request, List<GroupedTask> tasks) {
        if (request.isForGroup) {
            tasks.add(request.task);
        }
    }

    /** The groups that have tasks. */
    List<Group> groups() {
        lock();
        try {
            List<Group> groups = collect();
            groups.removeIf(group -> group.isEmpty() || !group.isNamed());
            return groups;
        } finally {
            unlock();
        }
    }

    /** Ends the pause of a group; false if it was not paused. */
    boolean unpause(Group group) {
        lock();
        try {
            boolean wasPaused = group.setPaused(false);
            removeIfUnused(group);
            return wasPaused;
        } finally {
            unlock();
        }
    }

    /** What a submission is told that finds no room in a group. */
    LimitedKey asFull(Group group) {
        return new FullGroup(group, description);
    }

    /** Takes out the task that has waited longest in a group, and ends it; false if none waits. */
    static boolean dropOldest(Group group) {
        GroupedTask oldest = group.oldestWaiting();
        if (oldest == null || StrandControl.dropOldest(oldest)) {
            return oldest != null;
        }
        // another thread has taken it, or a place is reserved there
        return group.tasksThatWantIt().stream().anyMatch(StrandControl::dropOldest);
    }
}
