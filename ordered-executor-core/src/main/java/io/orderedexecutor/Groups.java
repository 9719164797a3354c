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
 * {@link #within} names a group that is part of another. {@link #all()} stands for all groups: such a task is a
 * <em>barrier</em>.
 *
 * <p>For a report that must see no change half done, let each change be one task that has its groups exclusively. Then
 * a report of all groups that changes nothing can use {@link #allShared()}. A report of {@code outer} alone can use
 * {@code exclusive(outer)} if the changes are {@link #within} {@code outer}; it holds up no tasks outside of
 * {@code outer}. A task with {@link #all()} runs alone: it also waits for tasks that only share groups, or have none,
 * and holds them up.
 *
 * <p>Instances are immutable, can be used for any number of tasks and executors, and are worth keeping, since creating
 * one is part of the cost of a submission. The groups must not change in a way that affects {@code equals} or
 * {@code hashCode}. A task whose groups equal one key, but not each other, is refused with an
 * {@link IllegalArgumentException}: a date and a timestamp, say, of which only the date equals the other.
 */
public final class Groups {
    private static final Groups ALL = new Groups(true, false, List.of(), List.of(), List.of());
    private static final Groups ALL_SHARED = new Groups(false, true, List.of(), List.of(), List.of());

    private final boolean all;
    private final boolean allShared;

    /** The groups in exclusive mode, without duplicates. */
    private final List<Object> exclusive;

    /** The groups in shared mode, without duplicates and without exclusive groups. */
    private final List<Object> shared;

    /**
     * The outer groups named in {@link #within}, which the task shares implicitly. No duplicates, and none that is also
     * exclusive or shared.
     */
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
     * @param groups at least one. Each argument is one group: a collection is a single group, whatever its elements are
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
     * task has {@code Key.of(outer, inner)} exclusively, and shares {@code outer}. So the task can run at the same time
     * as tasks within other parts of {@code outer}, but never at the same time as a task that has {@code outer}
     * exclusively.
     *
     * <p>A task with {@code shared(outer)} does not exclude tasks within {@code outer}. For a consistent view of all of
     * {@code outer}, use {@code exclusive(outer)}.
     *
     * <p>A task does not count toward the capacity of the groups around its own.
     *
     * @param outer the group around it; if that is a {@link Key}, its space is shared, too, and so on
     * @param inner distinguishes the parts of {@code outer}
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

    /** Checks and returns an object that is a group, or part of one. */
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
     * All groups, exclusively: a barrier. Such a task runs alone, after all tasks that were submitted before it, with
     * or without groups, and before all tasks that are submitted after it.
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
     * Returns these groups and others. A group that is named in both modes is exclusive.
     *
     * @param groups the further groups in exclusive mode, each as in {@link #exclusive}
     * @return all of them
     * @throws IllegalArgumentException if one of them is an instance of {@code Groups}
     * @throws NullPointerException if a group is null
     */
    public Groups andExclusive(Object... groups) {
        return with(named(groups), List.of(), List.of());
    }

    /**
     * Returns these groups and others. A group that is named in both modes is exclusive.
     *
     * @param groups the further groups in shared mode, each as in {@link #exclusive}
     * @return all of them
     * @throws IllegalArgumentException if one of them is an instance of {@code Groups}
     * @throws NullPointerException if a group is null
     */
    public Groups andShared(Object... groups) {
        return with(List.of(), named(groups), List.of());
    }

    /**
     * Returns these groups and one that is part of another, as in {@link #within}.
     *
     * @param outer the group around it
     * @param inner distinguishes the parts of {@code outer}
     * @return all of them
     * @throws IllegalArgumentException if an argument is an instance of {@code Groups}
     * @throws NullPointerException if an argument is null
     */
    public Groups andWithin(Object outer, Object inner) {
        return with(List.of(part(outer, inner)), List.of(), around(outer));
    }

    /** Exclusive mode takes precedence over shared mode, and a shared group over a group around another. */
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
     * @return the groups without duplicates, in the order in which they were named; empty if there are none;
     *     unmodifiable
     */
    public List<Object> exclusiveGroups() {
        return exclusive;
    }

    /**
     * Returns the groups in shared mode.
     *
     * @return the groups without duplicates, in the order in which they were named; empty if there are none;
     *     unmodifiable
     */
    public List<Object> sharedGroups() {
        return shared;
    }

    /**
     * Returns whether these are {@link #all()} groups exclusively, possibly with additional named groups.
     *
     * @return true for a barrier
     */
    public boolean areAll() {
        return all;
    }

    /**
     * Returns whether these are {@linkplain #allShared() all groups in shared mode}, possibly with additional named
     * groups.
     *
     * @return true if a task with these groups runs concurrently with tasks that have no group exclusively
     */
    public boolean areAllShared() {
        return allShared;
    }

    /**
     * Returns the only group, if it is exclusive: such a group is a stripe.
     *
     * @return the group; null if there are several groups, if the only one is shared, or if these are all groups
     */
    public @Nullable Object onlyKey() {
        return exclusive.size() == 1 && shared.isEmpty() && around.isEmpty() && !all && !allShared
                ? exclusive.get(0)
                : null;
    }

    /**
     * Returns the groups around the groups that are {@linkplain #within within} them. They are shared.
     *
     * @return the groups without duplicates, and without groups that are also named as exclusive or shared
     */
    public List<Object> groupsAround() {
        return around;
    }

    /**
     * Returns whether these groups include one group in any mode, also as a group around a named one.
     *
     * @param group a group, not {@code Groups}
     * @return true if these groups include {@code group}, or are all groups: then a task with them conflicts with each
     *     task that has {@code group} exclusively. If false, the tasks may still conflict in another group, such as one
     *     around {@code group}
     * @throws NullPointerException if {@code group} is null
     */
    public boolean touch(Object group) {
        Objects.requireNonNull(group, "group");
        return all || allShared || exclusive.contains(group) || shared.contains(group) || around.contains(group);
    }

    /**
     * Returns whether the other object has the same groups in the same modes, in any order.
     *
     * @param other the object to compare with
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

    /** Returns a group as text, or its class if it cannot be printed. */
    private static String toString(Object group) {
        try {
            return String.valueOf(group);
        } catch (Throwable unprintable) {
            return group.getClass().getName();
        }
    }
}
