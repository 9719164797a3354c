package io.orderedexecutor;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The attempt to give a task its places in all its groups at once: a search without a lock, and then, under the locks of all
 * segments, whether what was found is still so, and the places.
 *
 * <p>Used by one thread.
 */
final class Admission {
    private final GroupSegment[] segments;
    private final GroupSegment.Spot[] spots;
    private boolean entered;

    private Admission(GroupSegment[] segments, GroupSegment.Spot[] spots) {
        this.segments = segments;
        this.spots = spots;
    }

    /** Calls the keys' {@code equals}. */
    static Admission search(GroupTable table, List<Claim> claims) {
        GroupSegment[] segments = new GroupSegment[claims.size()];
        GroupSegment.Spot[] spots = new GroupSegment.Spot[claims.size()];
        for (int i = 0; i < spots.length; i++) {
            Claim claim = claims.get(i);
            segments[i] = table.segmentFor(claim.rootHash());
            spots[i] = segments[i].find(claim);
        }
        return new Admission(segments, spots);
    }

    /** Takes the locks in the order of the segments, which is that of the claims. */
    void lock() {
        for (int i = 0; i < segments.length; i++) {
            if (isFirstOfSegment(i)) {
                segments[i].lock();
            }
        }
    }

    void unlock() {
        for (int i = 0; i < segments.length; i++) {
            if (isFirstOfSegment(i)) {
                segments[i].unlock();
            }
        }
    }

    private boolean isFirstOfSegment(int i) {
        return i == 0 || segments[i] != segments[i - 1];
    }

    // under the locks

    boolean isClosed() {
        for (GroupSegment segment : segments) {
            if (segment.isClosed()) {
                return true;
            }
        }
        return false;
    }

    /** Whether what the search has found is still so. */
    boolean isStillSo() {
        for (int i = 0; i < spots.length; i++) {
            if (!segments[i].isStillSo(spots[i])) {
                return false;
            }
        }
        return true;
    }

    /** A group in which as many tasks wait as may; null if there is none. */
    @Nullable
    Group findFull(int capacity) {
        for (GroupSegment.Spot spot : spots) {
            Group group = spot.group();
            if (group != null && spot.claim().isForNamedGroup() && group.queued() >= capacity) {
                return group;
            }
        }
        return null;
    }

    /**
     * Gives a task its places.
     *
     * @param counts whether the groups have to know how many tasks wait
     * @return the group of the last claim
     */
    Group enter(GroupedTask task, boolean counts) {
        long number = 0;
        for (GroupSegment segment : segments) {
            number = Math.max(number, segment.nextNumber());
        }
        Place places = null;
        Group last = null;
        // from behind, so that the first of the places is one in the root
        for (int i = spots.length - 1; i >= 0; i--) {
            GroupSegment.Spot spot = spots[i];
            Group group = spot.group() == null ? segments[i].open(spot.claim()) : spot.group();
            places = group.enter(task, spot.claim(), places);
            if (counts && spot.claim().own() != Claim.Access.NONE) {
                group.addQueued(1);
            }
            segments[i].setClock(number);
            last = last == null ? group : last;
        }
        if (places == null || last == null) {
            throw new AssertionError("a task without a claim");
        }
        task.setPlaces(places, number);
        entered = true;
        return last;
    }

    /** Pauses the only group; true. */
    boolean pause() {
        Group group = spots[0].group() == null ? segments[0].open(spots[0].claim()) : spots[0].group();
        group.setPaused(true);
        return true;
    }

    boolean hasEntered() {
        return entered;
    }
}
