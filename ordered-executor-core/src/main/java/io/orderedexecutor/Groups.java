package io.orderedexecutor;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The groups that a task touches, each in <em>exclusive</em> or <em>shared</em> mode.
 *
 * <p>Two tasks conflict if they have a group in common that at least one of them has exclusively. A task that has
 * several groups is a <em>rollup</em>. A group is any object but an instance of this class, compared by {@code equals};
 * {@link #within} names one that is part of another. {@link #all()} stands for all groups: such a task is a
 * <em>barrier</em>.
 *
 * <p>Instances are immutable, can be used for any number of tasks and executors, and are worth keeping: making one is
 * part of the cost of a submission. The groups must not change in a way that {@code equals} or {@code hashCode} can
 * tell.
 */
public final class Groups {
    private static final Groups ALL = new Groups(true, false, List.of(), List.of(), List.of());
    private static final Groups ALL_SHARED = new Groups(false, true, List.of(), List.of(), List.of());

    private final boolean all;
    private final boolean allShared;

    /** Each of them once. */
    private final List<Object> exclusive;

    /** Each of them once, and none of those that are exclusive. */
    private final List<Object> shared;

    /** Those around what is {@linkplain #within within} them, which are shared; each once, and none of the others. */
    private final List<Object> around;

    private Groups(boolean all, boolean allShared, List<Object> exclusive, List<Object> shared, List<Object> around) {
        this.all = all;
        this.allShared = allShared;
        this.exclusive = exclusive;
        this.shared = shared;
        this.around = around;
    }

    /**
     * Groups in exclusive mode: no other task of any of them runs at the same time.
     *
     * @param groups at least one. Each argument is one group: a collection is one, not as many as it has elements
     * @return the groups
     * @throws IllegalArgumentException if there is none, or one of them is an instance of {@code Groups}
     * @throws NullPointerException if a group is null
     */
    public static Groups exclusive(Object... groups) {
        return new Groups(false, false, distinct(groups), List.of(), List.of());
    }

    /**
     * Groups in shared mode: other tasks that share them may run at the same time.
     *
     * @param groups at least one, each as in {@link #exclusive}
     * @return the groups
     * @throws IllegalArgumentException if there is none, or one of them is an instance of {@code Groups}
     * @throws NullPointerException if a group is null
     */
    public static Groups shared(Object... groups) {
        return new Groups(false, false, List.of(), distinct(groups), List.of());
    }

    /**
     * A group that is part of another one, in exclusive mode: the account {@code alice} of the bank {@code bank}. The
     * task has {@code Key.of(outer, inner)} exclusively, and shares {@code outer}. So it runs beside tasks within other
     * parts of {@code outer}, and never beside one that has all of {@code outer} exclusively.
     *
     * <p>A task with {@code shared(outer)} does not exclude tasks within it; to read all of {@code outer} in one state,
     * take {@code exclusive(outer)}.
     *
     * <p>A task does not count in the capacity of the groups around its own.
     *
     * @param outer the group around it; if that is a {@link Key}, its space is shared, too, and so on
     * @param inner what tells the parts of {@code outer} apart
     * @return the groups
     * @throws IllegalArgumentException if an argument is an instance of {@code Groups}
     * @throws NullPointerException if an argument is null
     */
    public static Groups within(Object outer, Object inner) {
        return new Groups(false, false, List.of(part(outer, inner)), List.of(), around(outer));
    }

    private static Key part(Object outer, Object inner) {
        return Key.of(checked(outer, "outer"), checked(inner, "inner"));
    }

    /** What is a group, or may be part of one. */
    private static Object checked(Object group, String name) {
        if (Objects.requireNonNull(group, name) instanceof Groups) {
            throw new IllegalArgumentException("Groups [" + group + "] are not a group; name each of them");
        }
        return group;
    }

    private static List<Object> around(Object outer) {
        List<Object> groups = new ArrayList<>();
        for (Object group = outer; group != null; group = group instanceof Key key ? key.space() : null) {
            groups.add(group);
        }
        return groups;
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
     * @param groups which are exclusive, each as in {@link #exclusive}
     * @return all of them
     * @throws IllegalArgumentException if one of them is an instance of {@code Groups}
     * @throws NullPointerException if a group is null
     */
    public Groups andExclusive(Object... groups) {
        return with(named(groups), List.of(), List.of());
    }

    /**
     * Returns these groups and others. A group that is named twice is exclusive if it is once.
     *
     * @param groups which are shared, each as in {@link #exclusive}
     * @return all of them
     * @throws IllegalArgumentException if one of them is an instance of {@code Groups}
     * @throws NullPointerException if a group is null
     */
    public Groups andShared(Object... groups) {
        return with(List.of(), named(groups), List.of());
    }

    /**
     * Adds a group that is part of another one, as {@link #within} has it.
     *
     * @param outer the group around it
     * @param inner what tells the parts of {@code outer} apart
     * @return all these groups
     * @throws IllegalArgumentException if an argument is an instance of {@code Groups}
     * @throws NullPointerException if an argument is null
     */
    public Groups andWithin(Object outer, Object inner) {
        return with(List.of(part(outer, inner)), List.of(), around(outer));
    }

    /** Exclusive wins over shared, and shared by name over shared since it is around. */
    private Groups with(List<Object> moreExclusive, List<Object> moreShared, List<Object> moreAround) {
        Set<Object> exclusives = union(exclusive, moreExclusive);
        Set<Object> others = union(shared, moreShared);
        others.removeAll(exclusives);
        Set<Object> outer = union(around, moreAround);
        outer.removeAll(exclusives);
        outer.removeAll(others);
        return new Groups(all, allShared, List.copyOf(exclusives), List.copyOf(others), List.copyOf(outer));
    }

    private static List<Object> named(Object[] groups) {
        for (Object group : Objects.requireNonNull(groups, "groups")) {
            checked(group, "group");
        }
        return List.of(groups);
    }

    private static Set<Object> union(List<Object> groups, List<Object> more) {
        Set<Object> union = new LinkedHashSet<>(groups);
        union.addAll(more);
        return union;
    }

    private static List<Object> distinct(Object[] groups) {
        int length = Objects.requireNonNull(groups, "groups").length;
        if (length == 0) {
            throw new IllegalArgumentException(
                    "no group is named; submit a task without groups to asExecutorService()");
        }
        Object first = checked(groups[0], "group");
        if (length == 1) {
            return List.of(first);
        }
        if (length == 2) {
            Object second = checked(groups[1], "group");
            return first.equals(second) ? List.of(first) : List.of(first, second);
        }
        Set<Object> keys = new LinkedHashSet<>();
        for (Object group : groups) {
            keys.add(checked(group, "group"));
        }
        return List.copyOf(keys);
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
     * Returns the group if it is a single one, had exclusively: that is what a stripe is.
     *
     * @return the group; null if there are more, or it is shared
     */
    public @Nullable Object onlyKey() {
        return exclusive.size() == 1 && shared.isEmpty() && around.isEmpty() && !all && !allShared
                ? exclusive.get(0)
                : null;
    }

    /**
     * Returns the groups around those that are {@linkplain #within within} them, and which are shared for that.
     *
     * @return each of them once, and none that was named as exclusive or shared
     */
    public List<Object> groupsAround() {
        return around;
    }

    /**
     * Tells whether a task with these groups conflicts with one that has {@code group} exclusively.
     *
     * @param group a group
     * @return true if these have it in any mode, or are all groups
     * @throws NullPointerException if {@code group} is null
     */
    public boolean touch(Object group) {
        Objects.requireNonNull(group, "group");
        return all || allShared || exclusive.contains(group) || shared.contains(group) || around.contains(group);
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
                && areSame(groups.shared, shared)
                && areSame(groups.around, around);
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
