package io.orderedexecutor;

import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A part of a {@link GroupTable}: the {@link Bins} of its groups, and its part of the root, the group that all groups
 * are below. Every task with a place in this segment is in this part of the root, with a place or without.
 */
final class GroupSegment extends Bins<Group> implements SegmentedTable.Segment {
    /** Names the executor, for people. */
    private final String description;

    /** Held for a few pointer writes for each group of a task, and never while foreign code runs. */
    private final ReentrantLock lock = new ReentrantLock();

    /** What is in it is guarded by {@link #lock}. */
    private final Group root = new Group(this, Claim.ROOT, 0);

    /** Guarded by {@link #lock}: the highest number that a task here has. */
    private long clock;

    /** Guarded by {@link #lock}: no more tasks are accepted. */
    private boolean closed;

    GroupSegment(String description) {
        this.description = description;
    }

    String describe() {
        return description;
    }

    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    // searches, without the lock

    /** Looks for the group of a claim. Calls the keys' {@code equals}. */
    Admission search(Claim claim) {
        @Nullable Entry<?>[] searched = bins();
        if (claim.key() == Claim.ROOT) {
            return new Admission(this, claim, root, searched, null);
        }
        Group head = head(searched, claim.hash());
        Group group = head;
        while (group != null && !(group.hash() == claim.hash() && isOf(claim, group))) {
            group = group.nextInBinAcquire();
        }
        return new Admission(this, claim, group, searched, head);
    }

    /** The group of a claim, if there is one. A search that was in vain is repeated if it may have missed something. */
    @Nullable
    Group existing(Claim claim) {
        Admission found = search(claim);
        while (found.group() == null && !isKnownToBeMissing(found)) {
            found = search(claim);
        }
        return found.group();
    }

    private boolean isKnownToBeMissing(Admission search) {
        lock();
        try {
            return search.isStillSo();
        } finally {
            unlock();
        }
    }

    /** An application's key is not compared with one of ours, which its {@code equals} need not expect. */
    private static boolean isOf(Claim claim, Group group) {
        return claim.key() instanceof Group.Unnamed != group.isNamed()
                && claim.key().equals(group.key);
    }

    // under the lock

    boolean isClosed() {
        return closed;
    }

    /** Opens a group that is provably not there. */
    Group open(Claim claim) {
        Group opened = new Group(this, claim.key(), claim.hash());
        add(opened);
        return opened;
    }

    Group root() {
        return root;
    }

    /**
     * Gives a task its places for a claim, and if that is the first of this segment, lets it into the root.
     *
     * @param rest the task's places so far
     * @return the task's places, the new ones first
     */
    Place enter(GroupedTask task, Claim claim, Group group, @Nullable Place rest) {
        Place places = group.enter(task, claim, rest);
        Claim.Access belowRoot = claim.belowRoot();
        if (belowRoot != Claim.Access.NONE) {
            RootLane lane = root.laneBelow(belowRoot);
            if (lane.isOpenToCrowd()) {
                lane.joinCrowd();
                places.ofCrowd = true;
            } else {
                boolean changes = belowRoot == Claim.Access.EXCLUSIVE;
                places = root.enter(task, changes ? Claim.CHANGING_BELOW_ROOT : Claim.READING_BELOW_ROOT, places);
            }
        }
        return places;
    }

    /**
     * The last chain of a group, if a task that wants the group exclusively, and nothing else, may be linked behind it.
     */
    @Nullable
    GroupedTask lastToJoin(Group group) {
        Place last = group.lastOfAll();
        return last != null
                        && last.joinable
                        && root.laneBelow(Claim.Access.EXCLUSIVE).isOpenToCrowd()
                ? last.task
                : null;
    }

    /** A number higher than all that a task here has. */
    long nextNumber() {
        return clock + 1;
    }

    void setClock(long number) {
        clock = number;
    }

    /** Removes a place, and the group if nothing is left of it. */
    void leave(Place place, Consumer<? super Place> opened) {
        Group group = place.lane.group;
        group.leave(place, opened);
        RootLane crowd = place.crowd();
        if (crowd != null) {
            crowd.leaveCrowd(opened);
        }
        removeIfIdle(group);
    }

    private void removeIfIdle(Group group) {
        if (group != root && group.isEmpty() && !group.isPaused() && !group.isRemoved()) {
            group.setRemoved();
            removeEntry(group);
        }
    }

    private void forEachPlace(Consumer<? super Place> visitor) {
        root.forEachPlace(visitor);
        for (Group group : collect()) {
            group.forEachPlace(visitor);
        }
    }

    /** Visits the tasks that are in a lane of the root without a place. */
    void forEachOfCrowd(RootLane lane, Consumer<? super GroupedTask> visitor) {
        forEachPlace(place -> {
            if (place.crowd() == lane) {
                visitor.accept(place.task);
            }
        });
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
                removeIfIdle(group);
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

    /** Looks at each task that has its first place here. */
    void forEachTask(Consumer<? super GroupedTask> visitor) {
        lock();
        try {
            forEachPlace(place -> {
                if (place.task.firstPlace() == place) {
                    visitor.accept(place.task);
                }
            });
        } finally {
            unlock();
        }
    }

    /** Looks at each task that may have no other before it, some of them more than once. */
    void forEachOpenTask(Consumer<? super GroupedTask> visitor) {
        lock();
        try {
            root.whole().forEachOpen(place -> visitIfForGroup(place, visitor));
            for (Group group : collect()) {
                group.whole().forEachOpen(place -> visitIfForGroup(place, visitor));
            }
        } finally {
            unlock();
        }
    }

    private static void visitIfForGroup(Place place, Consumer<? super GroupedTask> visitor) {
        if (place.isForGroup()) {
            visitor.accept(place.task);
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

    /** The task that has waited longest of those that want a group itself; null if none waits. */
    @Nullable
    GroupedTask oldestWaiting(Group group) {
        lock();
        try {
            for (Place place = group.whole().first(); place != null; place = place.next) {
                if (place.isForGroup() && place.task.queued() > 0) {
                    return place.task;
                }
            }
            return null;
        } finally {
            unlock();
        }
    }

    /** Ends the pause of a group; false if it was not paused. */
    boolean unpause(Group group) {
        lock();
        try {
            boolean wasPaused = group.isPaused();
            group.setPaused(false);
            removeIfIdle(group);
            return wasPaused;
        } finally {
            unlock();
        }
    }
}
