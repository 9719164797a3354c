package io.orderedexecutor;

import org.jspecify.annotations.Nullable;

/**
 * The attempt to give a task its places in all its groups at once: a search without a lock, and then, under the locks
 * of all segments, whether what was found is still so, and the places.
 *
 * <p>This is the part of one claim; the others follow, in the order of the claims, which is that of the segments.
 *
 * <p>Used by one thread.
 */
final class Admission {
    private final GroupSegment segment;
    private final Claim claim;

    /** Null if it was not found. */
    private final @Nullable Group group;

    /** Where the search has looked. */
    private final Bins.@Nullable Entry<?>[] bins;

    private final @Nullable Group head;

    private @Nullable Admission next;

    Admission(
            GroupSegment segment,
            Claim claim,
            @Nullable Group group,
            Bins.@Nullable Entry<?>[] bins,
            @Nullable Group head) {
        this.segment = segment;
        this.claim = claim;
        this.group = group;
        this.bins = bins;
        this.head = head;
    }

    /** Searches for the groups of a claim and of those behind it. Calls the keys' {@code equals}. */
    static Admission search(GroupTable table, Claim claims) {
        Admission first = table.segmentFor(claims.rootHash()).search(claims);
        Admission last = first;
        for (Claim claim = claims.next(); claim != null; claim = claim.next()) {
            last.next = table.segmentFor(claim.rootHash()).search(claim);
            last = last.next;
        }
        return first;
    }

    /** The group of this part, if it was found. */
    @Nullable
    Group group() {
        return group;
    }

    void lock() {
        GroupSegment locked = null;
        for (Admission part = this; part != null; part = part.next) {
            if (part.segment != locked) {
                part.segment.lock();
                locked = part.segment;
            }
        }
    }

    void unlock() {
        GroupSegment unlocked = null;
        for (Admission part = this; part != null; part = part.next) {
            if (part.segment != unlocked) {
                part.segment.unlock();
                unlocked = part.segment;
            }
        }
    }

    // under the locks

    boolean isClosed() {
        for (Admission part = this; part != null; part = part.next) {
            if (part.segment.isClosed()) {
                return true;
            }
        }
        return false;
    }

    /** Whether what the search has found is still so. */
    boolean isStillSo() {
        for (Admission part = this; part != null; part = part.next) {
            boolean isSo = part.group == null
                    ? part.segment.isUnchanged(part.claim.hash(), part.bins, part.head)
                    : !part.group.isRemoved();
            if (!isSo) {
                return false;
            }
        }
        return true;
    }

    /** A group in which as many tasks wait as may; null if there is none. */
    @Nullable
    Group findFull(int capacity) {
        for (Admission part = this; part != null; part = part.next) {
            if (part.group != null && part.claim.isForNamedGroup() && part.group.queued() >= capacity) {
                return part.group;
            }
        }
        return null;
    }

    /**
     * Links a task behind the last one of its only group, if that has no other either and nothing has come in between:
     * then it needs no places.
     *
     * @param counts whether the groups have to know how many tasks wait
     */
    boolean join(Link task, boolean counts) {
        if (group == null || !claim.isForOneExclusively()) {
            return false;
        }
        GroupedTask last = segment.lastToJoin(group);
        boolean joins = last != null && last.join(task);
        if (joins && counts) {
            group.addQueued(1);
        }
        return joins;
    }

    /**
     * Gives a task its places.
     *
     * @param counts whether the groups have to know how many tasks wait
     * @return the group of the last claim
     */
    Group enter(GroupedTask task, boolean counts) {
        long number = 0;
        for (Admission part = this; part != null; part = part.next) {
            number = Math.max(number, part.segment.nextNumber());
        }
        Place places = null;
        Group last = null;
        for (Admission part = this; part != null; part = part.next) {
            last = part.openGroup();
            places = part.segment.enter(task, part.claim, last, places);
            if (counts && part.claim.own() != Claim.Access.NONE) {
                last.addQueued(1);
            }
            part.segment.setClock(number);
        }
        if (places == null || last == null) {
            throw new AssertionError("a task without a claim");
        }
        task.setPlaces(places, number);
        return last;
    }

    /** Pauses the only group; true. */
    boolean pause() {
        openGroup().setPaused(true);
        return true;
    }

    private Group openGroup() {
        return group == null ? segment.open(claim) : group;
    }
}
