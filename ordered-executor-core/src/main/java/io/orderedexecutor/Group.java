package io.orderedexecutor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A group that has tasks, or is paused: an entry of its segment's table, and no longer.
 *
 * <p>Most claims meet in one lane, the group as a {@code whole}. Those that only read something below the group
 * conflict with nobody but those that want all of it for themselves; these two kinds meet in a second lane, so that
 * readers and writers of different groups below do not hold each other up. That lane is made when the first such reader
 * comes: a group with nothing below it never has one.
 */
final class Group implements Bins.Entry<Group>, KeyQueue {
    private static final VarHandle NEXT_IN_BIN;
    private static final VarHandle QUEUED;

    static {
        try {
            var lookup = MethodHandles.lookup();
            NEXT_IN_BIN = lookup.findVarHandle(Group.class, "nextInBin", Group.class);
            QUEUED = lookup.findVarHandle(Group.class, "queued", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final GroupSegment segment;

    final Object key;

    private final int hash;

    /** Guarded by the segment's lock, as is what is in it. */
    private final Lane whole;

    /** Guarded by the segment's lock, as is what is in it. */
    private @Nullable Lane readersBelow;

    /** Guarded by the segment's lock: whether this group has left the table. */
    private boolean removed;

    /** Written under the segment's lock, read by servers before each task. */
    private volatile boolean paused;

    /** How many tasks that want this group itself wait, if that is bounded. Changed by atomic addition. */
    private volatile int queued;

    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private @Nullable Group nextInBin;

    Group(GroupSegment segment, Object key, int hash) {
        this.segment = segment;
        this.key = key;
        this.hash = hash;
        this.whole = lane(Place.Kind.CHANGING_BELOW);
    }

    private Lane lane(Place.Kind crowdKind) {
        return key == Claim.ROOT ? new RootLane(this, crowdKind) : new Lane(this);
    }

    @Override
    public int hash() {
        return hash;
    }

    @Override
    public @Nullable Group nextInBinAcquire() {
        return (Group) NEXT_IN_BIN.getAcquire(this);
    }

    @Override
    public void setNextInBinRelease(@Nullable Group next) {
        NEXT_IN_BIN.setRelease(this, next);
    }

    /** Whether this is a group that the application has named. */
    boolean isNamed() {
        return isNamed(key);
    }

    static boolean isNamed(Object key) {
        return key != Claim.ROOT && !(key instanceof Unnamed);
    }

    /**
     * The key of a group that the executor itself keeps, to find tasks by. No interface: each search asks whether a key
     * is one, and a class is faster to ask for.
     */
    abstract static class Unnamed {}

    // places, under the segment's lock

    /**
     * Gives a task its place.
     *
     * @param rest the task's places so far
     * @return the task's places, the new ones first
     */
    Place enter(GroupedTask task, Claim claim, @Nullable Place rest) {
        Place places = rest;
        Place.Kind kind = claim.kindInWhole();
        if (kind != null) {
            places = add(new Place(task, whole, kind, claim), places);
        }
        Place.Kind amongReaders = claim.kindAmongReadersBelow();
        Lane readers = amongReaders == Place.Kind.READING ? readersBelow() : readersBelow;
        if (amongReaders != null && readers != null) {
            places = add(new Place(task, readers, amongReaders, claim), places);
        }
        if (places == rest || places == null) {
            throw new AssertionError("a claim on nothing: " + claim);
        }
        return places;
    }

    /**
     * The place behind all others; null if there is none, or if something below this group is read, or was, and may
     * have come later.
     */
    @Nullable
    Place lastOfAll() {
        return readersBelow == null ? whole.last() : null;
    }

    private static Place add(Place place, @Nullable Place rest) {
        place.nextOfTask = rest;
        place.lane.add(place);
        if (!place.open) {
            place.task.waitForOneMore();
        }
        return place;
    }

    /** Of the root: the lane of those who want something below it. */
    RootLane laneBelow(Claim.Access access) {
        return (RootLane) (access == Claim.Access.EXCLUSIVE ? whole : readersBelow());
    }

    private Lane readersBelow() {
        if (readersBelow == null) {
            readersBelow = makeReadersBelow();
        }
        return readersBelow;
    }

    /** Makes the second lane with those who would be in it already. */
    private Lane makeReadersBelow() {
        Lane lane = lane(Place.Kind.READING);
        whole.forEach(place -> {
            if (place.claim.own() == Claim.Access.EXCLUSIVE) {
                Place twin = new Place(place.task, lane, Place.Kind.ALONE, place.claim);
                place.twin = twin;
                lane.add(twin);
                if (!twin.open) {
                    // it waits in the first lane too, so nobody can start it meanwhile
                    twin.task.waitForOneMore();
                }
            }
        });
        return lane;
    }

    void leave(Place place, Consumer<? super Place> opened) {
        Place twin = place.twin;
        place.lane.remove(place, opened);
        if (twin != null) {
            twin.lane.remove(twin, opened);
        }
    }

    boolean isEmpty() {
        return whole.isEmpty() && (readersBelow == null || readersBelow.isEmpty());
    }

    Lane whole() {
        return whole;
    }

    void forEachPlace(Consumer<? super Place> visitor) {
        whole.forEach(visitor);
        if (readersBelow != null) {
            readersBelow.forEach(visitor);
        }
    }

    boolean isRemoved() {
        return removed;
    }

    void setRemoved() {
        removed = true;
    }

    // live control

    boolean isPaused() {
        return paused;
    }

    void setPaused(boolean paused) {
        this.paused = paused;
    }

    // bounds

    /** How many tasks that want this group itself wait; it may seem to be fewer for a moment, and never more. */
    int queued() {
        return queued;
    }

    void addQueued(int more) {
        QUEUED.getAndAdd(this, more);
    }

    @Override
    public boolean dropOldest() {
        GroupedTask oldest = segment.oldestWaiting(this);
        while (oldest != null && !oldest.dropOldestTask()) {
            oldest = segment.oldestWaiting(this);
        }
        return oldest != null;
    }

    @Override
    public String describe() {
        return "group " + TaskReporter.toString(key) + " of " + segment.describe();
    }
}
