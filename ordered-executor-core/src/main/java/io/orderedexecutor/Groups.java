package io.orderedexecutor;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The groups that a task touches, each in <em>exclusive</em> or <em>shared</em> mode.
 *
 * <p>Two tasks conflict if they have a group in common that at least one of them has exclusively. A task that has
 * several groups is a <em>rollup</em>. A group is any object, compared by {@code equals}; a {@link GroupPath} is a
 * group within others. {@link #all()} is above all groups: such a task is a <em>barrier</em>.
 *
 * <p>Instances are immutable, can be used for any number of tasks and executors, and are worth keeping: making one is
 * part of the cost of a submission. The groups must not change in a way that {@code equals} or {@code hashCode} can
 * tell.
 */
public final class Groups {
    private static final Groups ALL = new Groups(true, false, List.of(), List.of());
    private static final Groups ALL_SHARED = new Groups(false, true, List.of(), List.of());

    private final boolean all;
    private final boolean allShared;

    /** Each of them once. A path has at least two elements. */
    private final List<Object> exclusive;

    /** Each of them once, and none of those that are exclusive. */
    private final List<Object> shared;

    private Groups(boolean all, boolean allShared, List<Object> exclusive, List<Object> shared) {
        this.all = all;
        this.allShared = allShared;
        this.exclusive = exclusive;
        this.shared = shared;
    }

    /**
     * Groups in exclusive mode: no other task of any of them runs at the same time.
     *
     * @param groups at least one
     * @return the groups
     * @throws IllegalArgumentException if there is none
     * @throws NullPointerException if a group is null
     */
    public static Groups exclusive(Object... groups) {
        return new Groups(false, false, distinct(groups), List.of());
    }

    /**
     * Groups in shared mode: other tasks that share them may run at the same time.
     *
     * @param groups at least one
     * @return the groups
     * @throws IllegalArgumentException if there is none
     * @throws NullPointerException if a group is null
     */
    public static Groups shared(Object... groups) {
        return new Groups(false, false, List.of(), distinct(groups));
    }

    /**
     * All groups, exclusively: a barrier. Such a task runs alone, after everything that was submitted before it, with
     * groups or without, and before everything that is submitted after it.
     *
     * @return all groups
     */
    public static Groups all() {
        return ALL;
    }

    /**
     * All groups in shared mode: such a task runs concurrently with tasks that have no group exclusively.
     *
     * @return all groups
     */
    public static Groups allShared() {
        return ALL_SHARED;
    }

    /**
     * Returns these groups and others. A group that is named twice is exclusive if it is once.
     *
     * @param groups which are exclusive
     * @return all of them
     * @throws NullPointerException if a group is null
     */
    public Groups andExclusive(Object... groups) {
        Set<Object> exclusives = new LinkedHashSet<>(exclusive);
        Set<Object> others = new LinkedHashSet<>(shared);
        for (Object group : Objects.requireNonNull(groups, "groups")) {
            Object key = keyOf(group);
            exclusives.add(key);
            others.remove(key);
        }
        return new Groups(all, allShared, List.copyOf(exclusives), List.copyOf(others));
    }

    /**
     * Returns these groups and others. A group that is named twice is exclusive if it is once.
     *
     * @param groups which are shared
     * @return all of them
     * @throws NullPointerException if a group is null
     */
    public Groups andShared(Object... groups) {
        Set<Object> others = new LinkedHashSet<>(shared);
        for (Object group : Objects.requireNonNull(groups, "groups")) {
            others.add(keyOf(group));
        }
        exclusive.forEach(others::remove);
        return new Groups(all, allShared, exclusive, List.copyOf(others));
    }

    private static List<Object> distinct(Object[] groups) {
        int length = Objects.requireNonNull(groups, "groups").length;
        if (length == 0) {
            throw new IllegalArgumentException(
                    "no group is named; submit a task without groups to asExecutorService()");
        }
        Object first = keyOf(groups[0]);
        if (length == 1) {
            return List.of(first);
        }
        if (length == 2) {
            Object second = keyOf(groups[1]);
            return first.equals(second) ? List.of(first) : List.of(first, second);
        }
        Set<Object> keys = new LinkedHashSet<>();
        for (Object group : groups) {
            keys.add(keyOf(group));
        }
        return List.copyOf(keys);
    }

    private static Object keyOf(Object group) {
        Objects.requireNonNull(group, "group");
        return group instanceof GroupPath path && path.elements().size() == 1
                ? path.elements().get(0)
                : group;
    }

    /**
     * Returns the groups in exclusive mode.
     *
     * @return each once, in the order in which they were named, a path of one element as that element; empty if there
     *     are none; unmodifiable
     */
    public List<Object> exclusiveGroups() {
        return exclusive;
    }

    /**
     * Returns the groups in shared mode.
     *
     * @return each once, in the order in which they were named, a path of one element as that element; empty if there
     *     are none; unmodifiable
     */
    public List<Object> sharedGroups() {
        return shared;
    }

    /**
     * Tells whether these are {@link #all()} groups exclusively, possibly with some named besides.
     *
     * @return true for a barrier
     */
    public boolean areAll() {
        return all;
    }

    /**
     * Tells whether these are {@linkplain #allShared() all groups in shared mode}, possibly with some named besides.
     *
     * @return true if the tasks run concurrently with those that have no group exclusively
     */
    public boolean areAllShared() {
        return allShared;
    }

    /**
     * Tells whether a task with these groups could conflict with one that has {@code group} exclusively: one of these
     * groups is {@code group}, contains it or is within it, or these are all groups.
     *
     * @param group a group, or a {@link GroupPath}
     * @return false if a task that has {@code group} exclusively could not conflict with one that has these
     * @throws NullPointerException if {@code group} is null
     */
    public boolean touch(Object group) {
        GroupPath path = GroupPath.of(Objects.requireNonNull(group, "group"));
        return all
                || allShared
                || Stream.concat(exclusive.stream(), shared.stream())
                        .anyMatch(key -> GroupPath.of(key).isOnTheWayTo(path));
    }

    /**
     * Tells whether the other groups are the same in the same modes, in any order.
     *
     * @param other compared with this
     */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Groups groups
                && groups.all == all
                && groups.allShared == allShared
                && areSame(groups.exclusive, exclusive)
                && areSame(groups.shared, shared);
    }

    private static boolean areSame(List<Object> groups, List<Object> others) {
        return groups.equals(others)
                || (groups.size() == others.size() && new HashSet<>(groups).equals(new HashSet<>(others)));
    }

    /** Equal groups have equal hash codes, whatever their order. */
    @Override
    public int hashCode() {
        int hash = (all ? 1 : 0) + (allShared ? 2 : 0);
        for (Object group : exclusive) {
            hash += group.hashCode();
        }
        for (Object group : shared) {
            hash += 31 * group.hashCode();
        }
        return hash;
    }

    /** Returns the groups and their modes, for messages and logs. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ");
        if (all) {
            text.add("all groups");
        } else if (allShared) {
            text.add("shared all groups");
        }
        exclusive.forEach(group -> text.add(toString(group)));
        shared.forEach(group -> text.add("shared " + toString(group)));
        return text.toString();
    }

    /** A group as text; its class if it cannot be printed. */
    private static String toString(Object group) {
        try {
            return String.valueOf(group);
        } catch (Throwable unprintable) {
            return group.getClass().getName();
        }
    }
}
