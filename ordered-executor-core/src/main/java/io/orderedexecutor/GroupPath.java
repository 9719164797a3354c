package io.orderedexecutor;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A group within a group: the accounts of a tenant, the files of a folder. A task that has a path exclusively excludes
 * all tasks of that path and of the paths within it, and no tasks of its sibling paths.
 *
 * <pre>{@code
 * GroupPath acme = GroupPath.of("acme");
 * executor.execute(Groups.exclusive(acme.child("account-1")), deposit);
 * executor.execute(Groups.exclusive(acme.child("account-2")), withdrawal); // concurrently with the deposit
 * executor.execute(Groups.exclusive(acme), closeTheBooks); // after both
 * }</pre>
 *
 * <p>A path of one element is the same group as that element. Instances are immutable if their elements are. Paths are
 * equal if their elements are, in order.
 */
public final class GroupPath {
    private final List<Object> elements;

    private GroupPath(List<Object> elements) {
        this.elements = elements;
    }

    /**
     * Returns a path.
     *
     * @param first the outermost group
     * @param further the groups within, from the outside to the inside
     * @return the path; an element that is a path itself stands for its elements
     * @throws NullPointerException if an element is null
     */
    public static GroupPath of(Object first, Object... further) {
        List<Object> elements = new ArrayList<>();
        append(elements, Objects.requireNonNull(first, "first"));
        for (Object element : Objects.requireNonNull(further, "further")) {
            append(elements, Objects.requireNonNull(element, "an element of further"));
        }
        return new GroupPath(List.copyOf(elements));
    }

    private static void append(List<Object> elements, Object element) {
        if (element instanceof GroupPath path) {
            elements.addAll(path.elements);
        } else {
            elements.add(element);
        }
    }

    /**
     * Returns a group within this one.
     *
     * @param element the group
     * @return the path that leads to it
     * @throws NullPointerException if {@code element} is null
     */
    public GroupPath child(Object element) {
        return of(this, Objects.requireNonNull(element, "element"));
    }

    /**
     * Returns the groups from the outside to the inside.
     *
     * @return at least one, unmodifiable
     */
    public List<Object> elements() {
        return elements;
    }

    private boolean startsWith(GroupPath outer) {
        return elements.size() >= outer.elements.size()
                && elements.subList(0, outer.elements.size()).equals(outer.elements);
    }

    /** Whether one of the two is the other one, or below it. */
    boolean isOnTheWayTo(GroupPath other) {
        return startsWith(other) || other.startsWith(this);
    }

    /** Tells whether the other one is a path with equal elements in the same order. */
    @Override
    public boolean equals(Object other) {
        return other instanceof GroupPath path && path.elements.equals(elements);
    }

    /** Equal paths have equal hash codes. */
    @Override
    public int hashCode() {
        return elements.hashCode();
    }

    /** Returns the elements, separated by slashes. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        elements.forEach(element -> text.append(text.length() == 0 ? "" : "/").append(element));
        return text.toString();
    }
}
