package io.orderedexecutor;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The groups that a task touches, each in <em>exclusive</em> or <em>shared</em> mode.
 *
 * <p>Two tasks conflict if they have a group in common that at least one of them has exclusively. A task that has
 * several groups is a <em>rollup</em>. A group is any object, compared by {@code equals}; a {@link GroupPath} is a
 * group within others. {@link #all()} is above all groups: such a task is a <em>barrier</em>.
 *
 * <p>Instances are immutable, can be used for any number of tasks and executors, and are worth keeping: making one is
 * part of the cost of a submission. They keep the hash codes that the groups have when the instance is made.
 */
public final class Groups {
    private static final Claim.Access SHARED = Claim.Access.SHARED;
    private static final Claim.Access EXCLUSIVE = Claim.Access.EXCLUSIVE;

    private static final Groups ALL = new Groups(Map.of(Claim.ROOT, EXCLUSIVE));
    private static final Groups ALL_SHARED = new Groups(Map.of(Claim.ROOT, SHARED));

    /**
     * What was asked for: groups, paths of at least two of them or {@link Claim#ROOT}, and how each is wanted. Null if
     * it is just one group, not in another: the claim says as much.
     */
    private final @Nullable Map<Object, Claim.Access> wanted;

    /** The first of what has to be claimed for that; see {@link ClaimTree}. */
    private final Claim claims;

    private Groups(Map<Object, Claim.Access> wanted) {
        this.wanted = wanted;
        this.claims = ClaimTree.claims(wanted);
    }

    private Groups(Claim only) {
        this.wanted = null;
        this.claims = only;
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
        return of(groups, EXCLUSIVE);
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
        return of(groups, SHARED);
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
        return new Groups(merge(wanted(), groups, EXCLUSIVE));
    }

    /**
     * Returns these groups and others. A group that is named twice is exclusive if it is once.
     *
     * @param groups which are shared
     * @return all of them
     * @throws NullPointerException if a group is null
     */
    public Groups andShared(Object... groups) {
        return new Groups(merge(wanted(), groups, SHARED));
    }

    private static Groups of(Object[] groups, Claim.Access access) {
        if (Objects.requireNonNull(groups, "groups").length == 0) {
            throw new IllegalArgumentException(
                    "no group is named; submit a task without groups to asExecutorService()");
        }
        if (groups.length == 1) {
            Object key = keyOf(groups[0]);
            return key instanceof GroupPath
                    ? new Groups(Map.of(key, access))
                    : new Groups(ClaimTree.claim(key, access));
        }
        return new Groups(merge(Map.of(), groups, access));
    }

    private static Map<Object, Claim.Access> merge(
            Map<Object, Claim.Access> wanted, Object[] groups, Claim.Access access) {
        Map<Object, Claim.Access> merged = new LinkedHashMap<>(wanted);
        for (Object group : Objects.requireNonNull(groups, "groups")) {
            merged.merge(keyOf(group), access, Claim.Access::and);
        }
        return merged;
    }

    private static Object keyOf(Object group) {
        Objects.requireNonNull(group, "group");
        return group instanceof GroupPath path ? path.prefix(path.elements().size()) : group;
    }

    /**
     * Tells whether these groups touch a group: whether they contain it in either mode, or a group within it, or one
     * that it is within, or are all groups.
     *
     * @param group a group, or a {@link GroupPath}
     * @return false if a task that has {@code group} exclusively could not conflict with one that has these
     * @throws NullPointerException if {@code group} is null
     */
    public boolean touch(Object group) {
        GroupPath path = GroupPath.of(Objects.requireNonNull(group, "group"));
        return wanted().keySet().stream()
                .anyMatch(key -> key == Claim.ROOT || GroupPath.of(key).isOnTheWayTo(path));
    }

    private Map<Object, Claim.Access> wanted() {
        return wanted == null ? Map.of(claims.key(), claims.own()) : wanted;
    }

    Claim claims() {
        return claims;
    }

    /** Whether a task with these groups can be named by one of them. */
    boolean isNamed() {
        return wanted == null || wanted.size() > 1 || !wanted.containsKey(Claim.ROOT);
    }

    /**
     * Tells whether the other groups are the same in the same modes, in any order.
     *
     * @param other compared with this
     */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Groups groups && groups.wanted().equals(wanted());
    }

    @Override
    public int hashCode() {
        return wanted().hashCode();
    }

    /** Returns the groups and their modes, for messages and logs. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ");
        wanted().forEach((group, access) ->
                text.add((access == SHARED ? "shared " : "") + TaskReporter.toString(group)));
        return text.toString();
    }
}
