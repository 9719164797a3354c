package io.orderedexecutor;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The places of tasks that conflict in a {@link Group}, in order of submission. A place is open if all places before it
 * may be beside it. So the open places are the first ones: a single one that wants to be alone, or several of one kind;
 * and what a place that is removed lets open comes directly behind it, whether it was open itself or, being cancelled,
 * was not.
 *
 * <p>Guarded by the lock of the group's segment.
 */
class Lane {
    final Group group;

    private @Nullable Place first;

    private @Nullable Place last;

    Lane(Group group) {
        this.group = group;
    }

    final @Nullable Place first() {
        return first;
    }

    final @Nullable Place last() {
        return last;
    }

    boolean isEmpty() {
        return first == null;
    }

    /** Whether a place of this kind may be open if there is none before it. */
    boolean mayBeFirst(Place.Kind kind) {
        return true;
    }

    /** Adds a place behind all others; it is open or not from then on. */
    final void add(Place place) {
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
    final void remove(Place place, Consumer<? super Place> opened) {
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
        openFrom(next, opened);
    }

    final void openFrom(@Nullable Place first, Consumer<? super Place> opened) {
        Place place = first;
        while (place != null && !place.open && mayOpen(place)) {
            place.open = true;
            opened.accept(place);
            place = place.next;
        }
    }

    private boolean mayOpen(Place place) {
        Place before = place.before;
        return before == null ? mayBeFirst(place.kind) : before.open && place.mayBeBeside(before);
    }

    /** Visits the places that are open. */
    final void forEachOpen(Consumer<? super Place> visitor) {
        for (Place place = first; place != null && place.open; place = place.next) {
            visitor.accept(place);
        }
    }

    final void forEach(Consumer<? super Place> visitor) {
        for (Place place = first; place != null; place = place.next) {
            visitor.accept(place);
        }
    }

    /** Visits the tasks that have to leave before a place that is not open can be. */
    void forEachAhead(Place place, Consumer<? super GroupedTask> visitor) {
        for (Place ahead = lastAhead(place); ahead != null; ahead = ahead.before) {
            visitor.accept(ahead.task);
        }
    }

    /**
     * As {@link #forEachAhead}, but only those for which no other one of them waits.
     *
     * @return the first of their places; null if there is none
     */
    @Nullable
    Place forEachDirectlyAhead(Place place, Consumer<? super GroupedTask> visitor) {
        Place behind = null;
        Place ahead = lastAhead(place);
        while (ahead != null && (behind == null || ahead.mayBeBeside(behind))) {
            visitor.accept(ahead.task);
            behind = ahead;
            ahead = ahead.before;
        }
        return behind;
    }

    private static @Nullable Place lastAhead(Place place) {
        Place ahead = place.before;
        while (ahead != null && place.mayBeBeside(ahead)) {
            ahead = ahead.before;
        }
        return place.open ? null : ahead;
    }
}
