package io.orderedexecutor.engine.grouped;

import io.orderedexecutor.GroupPath;
import io.orderedexecutor.Groups;
import io.orderedexecutor.engine.executor.Bins;
import io.orderedexecutor.engine.executor.SegmentedTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a task wants of one group: to have it, or to have something below it. These are the intention modes of databases
 * that lock on several levels (Gray et al., "Granularity of Locks in a Large Shared Data Base", 1975).
 *
 * <p>Every group is below the root. So a task with intents in a segment has one on its part of the root, too: the first
 * of them says so.
 *
 * <p>Used by one thread, for one admission to the {@link GroupTable}.
 */
final class Intent {
    private static final int SEGMENT_SHIFT = 26;

    /** So many groups are put in order one by one. */
    private static final int FEW = 8;

    /** What tells the group from the others within the outer one; null for a root. */
    final @Nullable Object element;

    /** The spread hash. Its highest bits say in which segment the group is kept: that of the outermost group. */
    final int hash;

    /** The intent on the group around this one; null if there is only the root around it. */
    final @Nullable Intent outer;

    /** How the group is wanted as a whole. */
    Access own = Access.NONE;

    /** How groups below it are wanted. */
    Access below = Access.NONE;

    /** What all intents of this segment want below the root; {@link Access#NONE} if another one says it. */
    Access belowRoot = Access.NONE;

    /** The task's next intent, in the same segment or a later one; outer groups come before inner ones. */
    @Nullable
    Intent next;

    /** Where the search for the group has looked in vain; null if it was found. */
    private Bins.@Nullable Entry<?> @Nullable [] searched;

    /** The group, or the head of the bin in which it was not found. */
    private @Nullable Group found;

    private Intent(@Nullable Object element, int hash, @Nullable Intent outer) {
        this.element = element;
        this.hash = hash;
        this.outer = outer;
    }

    /** The intent on a group that the executor itself keeps, shared with all others who have it. */
    static Intent of(Group.Unnamed unnamed) {
        return only(unnamed, unnamed.hash, Access.SHARED);
    }

    private static Intent only(Object element, Access own) {
        return only(element, hashOf(element), own);
    }

    private static Intent only(Object element, int hash, Access own) {
        Intent intent = new Intent(element, hash, null);
        intent.own = own;
        intent.belowRoot = own;
        return intent;
    }

    /** The first of the intents of a task that has some groups. */
    static Intent of(Groups groups) {
        List<Object> exclusive = groups.exclusiveGroups();
        List<Object> shared = groups.sharedGroups();
        boolean areFew = exclusive.size() + shared.size() <= FEW;
        if (!areFew || groups.areAll() || groups.areAllShared() || hasPath(exclusive) || hasPath(shared)) {
            return new Tree(groups).first();
        }
        Intent first = null;
        for (int i = 0; i < exclusive.size(); i++) {
            first = only(exclusive.get(i), Access.EXCLUSIVE).insertInto(first);
        }
        for (int i = 0; i < shared.size(); i++) {
            first = only(shared.get(i), Access.SHARED).insertInto(first);
        }
        return Objects.requireNonNull(first);
    }

    /** Inserts an intent, that is none yet of a task, among those of a task; returns the first of them. */
    private Intent insertInto(@Nullable Intent first) {
        Intent before = null;
        Intent after = first;
        while (after != null && after.segment() < segment()) {
            before = after;
            after = after.next;
        }
        if (after != null && after.segment() == segment()) {
            after.belowRoot = after.belowRoot.and(own);
            belowRoot = Access.NONE;
            before = after;
            after = after.next;
        }
        next = after;
        if (before == null) {
            return this;
        }
        before.next = this;
        return Objects.requireNonNull(first);
    }

    private static boolean hasPath(List<Object> groups) {
        for (int i = 0; i < groups.size(); i++) {
            if (groups.get(i) instanceof GroupPath) {
                return true;
            }
        }
        return false;
    }

    /** The intents on one group and the groups around it. */
    static Intent of(Object group) {
        return of(Groups.exclusive(group));
    }

    /** The group that a task has, if that is all it has, and in no other group; null if not. */
    static @Nullable Object onlyGroup(Groups groups) {
        List<Object> exclusive = groups.exclusiveGroups();
        List<Object> shared = groups.sharedGroups();
        if (exclusive.size() + shared.size() != 1 || groups.areAll() || groups.areAllShared()) {
            return null;
        }
        Object only = exclusive.isEmpty() ? shared.get(0) : exclusive.get(0);
        return only instanceof GroupPath ? null : only;
    }

    /** The hashes of the groups that a task has named. */
    static Set<Integer> namedHashes(Groups groups) {
        Set<Integer> hashes = new HashSet<>();
        for (Intent intent = of(groups); intent != null; intent = intent.next) {
            if (intent.own != Access.NONE && !intent.isOnRoot()) {
                hashes.add(intent.hash);
            }
        }
        return hashes;
    }

    boolean isOnRoot() {
        return element == null;
    }

    // the search for the group

    /** The group, if it was found or is open now. */
    @Nullable
    Group group() {
        return searched == null ? found : null;
    }

    void setGroup(Group group) {
        searched = null;
        found = group;
    }

    /** The group was not found in a bin, or is not there since the group around it is not: then the bins are empty. */
    void setMissing(Bins.@Nullable Entry<?>[] searched, @Nullable Group head) {
        this.searched = searched;
        this.found = head;
    }

    /** Whether what the search has found is still so. Under the lock of the segment. */
    boolean isStillSo(GroupSegment segment) {
        if (searched == null) {
            return found != null && !found.isRemoved();
        }
        return searched.length == 0 || segment.isUnchanged(hash, searched, found);
    }

    /** The innermost of several intents on one group and those around it. */
    Intent last() {
        Intent last = this;
        for (Intent intent = next; intent != null; intent = intent.next) {
            last = intent;
        }
        return last;
    }

    private int segment() {
        return SegmentedTable.segmentOf(hash);
    }

    /** A hash of what is kept in a segment. */
    static int hashOfSegment(int index) {
        return index << SEGMENT_SHIFT;
    }

    static int hashOf(Object outermost) {
        return SegmentedTable.spread(outermost.hashCode());
    }

    /** A hash that keeps a group in the segment of the group around it. */
    private static int hashWithin(int outer, Object element) {
        int hash = SegmentedTable.spread(31 * outer + element.hashCode());
        return (outer & (-1 << SEGMENT_SHIFT)) | (hash >>> (Integer.SIZE - SEGMENT_SHIFT));
    }

    /** Works out the intents of a task that has several groups, or groups within others, or all. */
    private static final class Tree {

        private record Position(@Nullable Intent outer, Object element) {}

        private static final Comparator<Intent> BY_SEGMENT = Comparator.comparingInt(Intent::segment);

        private final List<Intent> intents;

        /** Groups that may be named more than once, as they are around others; null if none of them are. */
        private final @Nullable Map<Position, Intent> known;

        Tree(Groups groups) {
            this.intents = new ArrayList<>(
                    groups.exclusiveGroups().size() + groups.sharedGroups().size());
            this.known = hasPath(groups.exclusiveGroups()) || hasPath(groups.sharedGroups()) ? new HashMap<>() : null;
            if (groups.areAll()) {
                wantAll(Access.EXCLUSIVE);
            } else if (groups.areAllShared()) {
                wantAll(Access.SHARED);
            }
            want(groups.exclusiveGroups(), Access.EXCLUSIVE);
            want(groups.sharedGroups(), Access.SHARED);
        }

        private void want(List<Object> groups, Access access) {
            for (int i = 0; i < groups.size(); i++) {
                want(groups.get(i), access);
            }
        }

        private void wantAll(Access access) {
            for (int segment = 0; segment < SegmentedTable.SEGMENTS; segment++) {
                Intent intent = new Intent(null, hashOfSegment(segment), null);
                intent.own = access;
                intents.add(intent);
            }
        }

        private void want(Object group, Access access) {
            if (group instanceof GroupPath path) {
                Intent intent = null;
                for (Object element : path.elements()) {
                    if (intent != null) {
                        intent.below = intent.below.and(access);
                    }
                    intent = intentOn(intent, element);
                }
                if (intent != null) {
                    intent.own = intent.own.and(access);
                }
            } else {
                Intent intent = intentOn(null, group);
                intent.own = intent.own.and(access);
            }
        }

        private Intent intentOn(@Nullable Intent outer, Object element) {
            if (known == null) {
                return add(outer, element);
            }
            return known.computeIfAbsent(new Position(outer, element), position -> add(outer, element));
        }

        private Intent add(@Nullable Intent outer, Object element) {
            int hash = outer == null ? hashOf(element) : hashWithin(outer.hash, element);
            Intent intent = new Intent(element, hash, outer);
            intents.add(intent);
            return intent;
        }

        /** In the order of their segments, each behind those on the groups around it. */
        Intent first() {
            intents.sort(BY_SEGMENT);
            Intent following = null;
            Access belowRoot = Access.NONE;
            for (int i = intents.size() - 1; i >= 0; i--) {
                Intent intent = intents.get(i);
                intent.next = following;
                following = intent;
                boolean isFirst = i == 0 || intents.get(i - 1).segment() != intent.segment();
                if (intent.isOnRoot()) {
                    intent.below = belowRoot;
                } else {
                    belowRoot = belowRoot.and(intent.own).and(intent.below);
                    intent.belowRoot = isFirst ? belowRoot : Access.NONE;
                }
                belowRoot = isFirst ? Access.NONE : belowRoot;
            }
            if (following == null) {
                throw new AssertionError("a task without a group");
            }
            return following;
        }
    }
}
