package io.orderedexecutor;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The places of tasks that conflict in a {@link Group}, in order of submission. A place is open if all places before it may be
 * beside it. So the open places are the first ones: a single one that wants to be alone, or several of one kind; and what a
 * place that is removed lets open comes directly behind it, whether it was open itself or, being cancelled, was not.
 *
 * <p>Guarded by the lock of the group's segment.
 */
final class Lane {
    final Group group;

    private @Nullable Place first;

    private @Nullable Place last;

    Lane(Group group) {
        this.group = group;
    }

    @Nullable
    Place first() {
        return first;
    }

    boolean isEmpty() {
        return first == null;
    }

    /** Adds a place behind all others; it is open or not from then on. */
    void add(Place place) {
        Place before = last;
        place.before = before;
        if (before == null) {
            first = place;
        } else {
            before.next = place;
        }
        last = place;
        place.open = mayOpen(place);
    }

    /** Removes a place, and tells which ones are open now. */
    void remove(Place place, Consumer<? super Place> opened) {
        Place before = place.before;
        Place next = place.next;
        if (before == null) {
            first = next;
        } else {
            before.next = next;
        }
        if (next == null) {
            last = before;
        } else {
            next.before = before;
        }
        // what is gone must not keep what it stood between
        place.before = null;
        place.next = null;
        while (next != null && !next.open && mayOpen(next)) {
            next.open = true;
            opened.accept(next);
            next = next.next;
        }
    }

    private static boolean mayOpen(Place place) {
        Place before = place.before;
        return before == null || (before.open && place.mayBeBeside(before));
    }

    /** Visits the places that are open. */
    void forEachOpen(Consumer<? super Place> visitor) {
        for (Place place = first; place != null && place.open; place = place.next) {
            visitor.accept(place);
        }
    }

    void forEach(Consumer<? super Place> visitor) {
        for (Place place = first; place != null; place = place.next) {
            visitor.accept(place);
        }
    }

    /** Visits the places that have to go before one that is not open can be. */
    static void forEachAhead(Place place, Consumer<? super Place> visitor) {
        for (Place ahead = lastAhead(place); ahead != null; ahead = ahead.before) {
            visitor.accept(ahead);
        }
    }

    /** As {@link #forEachAhead}, but only those for which no other one of them waits. */
    static void forEachDirectlyAhead(Place place, Consumer<? super Place> visitor) {
        Place behind = null;
        for (Place ahead = lastAhead(place); ahead != null; ahead = ahead.before) {
            if (behind != null && !ahead.mayBeBeside(behind)) {
                return;
            }
            visitor.accept(ahead);
            behind = ahead;
        }
    }

    private static @Nullable Place lastAhead(Place place) {
        Place ahead = place.before;
        while (ahead != null && place.mayBeBeside(ahead)) {
            ahead = ahead.before;
        }
        return place.open ? null : ahead;
    }
}
