package io.orderedexecutor;

import org.jspecify.annotations.Nullable;

/**
 * The place of a task in a {@link Lane}. Guarded by the lock of the lane's segment, but for what is final and
 * {@code nextOfTask}.
 */
final class Place {

    /** What may be beside what: equals beside each other, unless {@link #ALONE}. */
    enum Kind {
        ALONE,
        READING,
        CHANGING_BELOW
    }

    final GroupedTask task;
    final Lane lane;
    final Kind kind;

    final Claim claim;

    /** The task's next place. Written before the task can be found. */
    @Nullable
    Place nextOfTask;

    /** The place in the same group's other lane, if that was made later. */
    @Nullable
    Place twin;

    @Nullable
    Place before;

    @Nullable
    Place next;

    /** Whether there is nothing before it that conflicts with it. */
    boolean open;

    /** Whether the task has no place in the root, but is one of the crowd there. */
    boolean ofCrowd;

    /**
     * Whether this is the only place of a task that wants one group exclusively, and others like it may be linked
     * behind that task.
     */
    boolean joinable;

    Place(GroupedTask task, Lane lane, Kind kind, Claim claim) {
        this.task = task;
        this.lane = lane;
        this.kind = kind;
        this.claim = claim;
    }

    /**
     * Whether the task wants the group itself, and not only something below it; true for one of its places in a group.
     */
    boolean isForGroup() {
        return claim.own() != Claim.Access.NONE && lane == lane.group.whole();
    }

    /** The lane of the root in which the task is without a place, if this one knows of it. */
    @Nullable
    RootLane crowd() {
        return ofCrowd ? lane.group.segment.root().laneBelow(claim.belowRoot()) : null;
    }

    boolean mayBeBeside(Place other) {
        return kind == other.kind && kind != Kind.ALONE;
    }
}
