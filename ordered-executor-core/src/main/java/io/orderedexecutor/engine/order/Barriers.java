package io.orderedexecutor.engine.order;

import io.orderedexecutor.engine.order.Order.Step;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The barriers of one bin, and the stretches of steps between them. A step that enters the bin stands behind all
 * barriers that are there, and before all later barriers:
 *
 * <pre>
 *   first stretch │ barrier │ stretch │ barrier │ last stretch, which steps enter
 * </pre>
 *
 * <p>A barrier that leaves, in its turn or taken back, joins the stretches before and behind it. The rest follows:
 *
 * <ul>
 *   <li>a place with an exclusive step waits while its stretch is not the first one; a place with shared steps alone
 *       waits while an exclusive barrier stands before its stretch;
 *   <li>a barrier waits while a step that conflicts with it stands in a stretch before it. Two cursors mark up to where
 *       there is no such step: one for exclusive barriers, and one for shared barriers, which do not conflict with
 *       shared steps.
 * </ul>
 *
 * <p>So the cost of a step or a barrier depends only on the number of places that can go on when it leaves. These are
 * granted at once, under the bin: 100,000 of them take some 40 ms. A barrier that leaves while an earlier one stands
 * also adds the smaller of two sets of waiting places to the larger one. A place takes some 16 bytes here, and an entry
 * in a set if it is to be notified when the barriers before it have left. Stretches that were joined are found as in a
 * union-find structure.
 *
 * <p>All of it is guarded by the bin.
 */
final class Barriers {

    /** The steps behind one barrier and before the next. */
    static final class Stretch {
        /** The stretches of later barriers have higher numbers. */
        private final long number;

        /** The barrier before this stretch; null for the first stretch, and when the barrier has left. */
        private Barrier.@Nullable Part part;

        private @Nullable Stretch previous;
        private @Nullable Stretch next;

        /** The stretch that this one was joined to; null while its barrier stands. */
        private @Nullable Stretch joinedTo;

        /**
         * The last stretch up to this one whose barrier is exclusive, or one whose exclusive barrier has left since:
         * {@link #exclusiveFound} skips those. Null if there is none.
         */
        private @Nullable Stretch exclusive;

        /** If the barrier of this stretch is exclusive: the stretch of the previous exclusive barrier. */
        private @Nullable Stretch exclusiveBefore;

        /** If the barrier of this stretch is exclusive: the stretch of the next exclusive barrier. */
        private @Nullable Stretch exclusiveAfter;

        /** How many exclusive and shared steps stand in it. */
        private int exclusives;

        private int shareds;

        /**
         * Places to notify when no barrier is before this stretch: those with exclusive steps in it, and the barrier
         * behind it, if that holds keys of its own.
         */
        private @Nullable Set<Place> waiting;

        /**
         * Places with shared steps, here or later, that are to be notified when no exclusive barrier is before them.
         */
        private @Nullable Set<Place> sharedWaiting;

        private Stretch(long number, Barrier.@Nullable Part part) {
            this.number = number;
            this.part = part;
        }

        private void count(boolean isShared, int more) {
            if (isShared) {
                shareds += more;
            } else {
                exclusives += more;
            }
        }

        private Stretch found() {
            Stretch found = this;
            while (found.joinedTo != null) {
                found = found.joinedTo;
            }
            if (found != this) {
                joinedTo = found;
            }
            return found;
        }

        private @Nullable Stretch exclusiveFound() {
            Stretch found = exclusive;
            while (found != null && found.joinedTo != null) {
                found = found.exclusiveBefore;
            }
            exclusive = found;
            return found;
        }
    }

    private final Bin bin;
    private final Stretch first;
    private Stretch last;

    /** The stretches behind the first and the last exclusive barrier; null if there is none. */
    private @Nullable Stretch firstExclusive;

    private @Nullable Stretch lastExclusive;

    /** There are no steps before this stretch, and the exclusive barriers up to it have been notified. */
    private Stretch busy;

    /** There are no exclusive steps before this stretch, and the shared barriers up to it have been notified. */
    private Stretch busyExclusive;

    /** The stretch of each place; a place that is not in this map stands in the first stretch. */
    private final IdentityHashMap<Place, Stretch> stretches = new IdentityHashMap<>();

    /**
     * Made for the first barrier of a bin; {@code exclusives} and {@code shareds} are the steps that stand there
     * already.
     */
    Barriers(Bin bin, int exclusives, int shareds) {
        this.bin = bin;
        first = new Stretch(0, null);
        first.exclusives = exclusives;
        first.shareds = shareds;
        last = first;
        busy = first;
        busyExclusive = first;
    }

    boolean isEmpty() {
        return first.next == null;
    }

    // barriers

    /** A barrier enters. It is notified, perhaps at once, when no step that conflicts with it is before it. */
    void enter(Barrier.Part part) {
        Stretch stretch = new Stretch(part.barrier().number(), part);
        part.setBehind(stretch);
        stretch.previous = last;
        last.next = stretch;
        last = stretch;
        if (part.barrier().isOfShared()) {
            stretch.exclusive = lastExclusive;
        } else {
            stretch.exclusive = stretch;
            stretch.exclusiveBefore = lastExclusive;
            if (lastExclusive == null) {
                firstExclusive = stretch;
            } else {
                lastExclusive.exclusiveAfter = stretch;
            }
            lastExclusive = stretch;
        }
        advance();
    }

    /** A barrier leaves: the places behind it may go on. */
    void leave(Barrier.Part part) {
        Stretch gone = part.behind();
        if (gone == null || gone.joinedTo != null) {
            return;
        }
        Stretch before = Objects.requireNonNull(gone.previous);
        Stretch after = gone.next;
        before.next = after;
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        before.exclusives += gone.exclusives;
        before.shareds += gone.shareds;
        busy = busy == gone ? before : busy;
        busyExclusive = busyExclusive == gone ? before : busyExclusive;
        if (before == first) {
            tell(gone.waiting);
        } else {
            before.waiting = union(before.waiting, gone.waiting);
        }
        if (!part.barrier().isOfShared()) {
            leaveExclusive(gone);
        }
        gone.joinedTo = before;
        gone.part = null;
        gone.previous = null;
        gone.next = null;
        gone.waiting = null;
    }

    private void leaveExclusive(Stretch gone) {
        Stretch before = gone.exclusiveBefore;
        Stretch after = gone.exclusiveAfter;
        if (before == null) {
            firstExclusive = after;
            tell(gone.sharedWaiting);
        } else {
            before.exclusiveAfter = after;
            before.sharedWaiting = union(before.sharedWaiting, gone.sharedWaiting);
        }
        if (after == null) {
            lastExclusive = before;
        } else {
            after.exclusiveBefore = before;
        }
        gone.exclusiveAfter = null;
        gone.sharedWaiting = null;
    }

    private static @Nullable Set<Place> union(@Nullable Set<Place> some, @Nullable Set<Place> more) {
        if (some == null || more == null) {
            return some == null ? more : some;
        }
        Set<Place> larger = some.size() < more.size() ? more : some;
        larger.addAll(larger == some ? more : some);
        return larger;
    }

    private void tell(@Nullable Set<Place> waiting) {
        if (waiting != null) {
            for (Place place : waiting) {
                if (place.isGrantedAfterBarriers()) {
                    bin.grant(place);
                }
            }
        }
    }

    /** Notifies the barriers that no longer have a conflicting step before them. */
    private void advance() {
        while (busy.next != null && busy.exclusives == 0 && busy.shareds == 0) {
            busy = busy.next;
            tellIf(busy, false);
        }
        while (busyExclusive.next != null && busyExclusive.exclusives == 0) {
            busyExclusive = busyExclusive.next;
            tellIf(busyExclusive, true);
        }
    }

    private void tellIf(Stretch behind, boolean isOfShared) {
        Barrier barrier = Objects.requireNonNull(behind.part).barrier();
        if (barrier.isOfShared() == isOfShared && barrier.countDown()) {
            bin.grant(barrier);
        }
    }

    // steps

    /** A step enters. A place of several keys is made to wait for the barriers before it that conflict with it. */
    void enter(Step step) {
        Place place = step.place();
        boolean isFirstHere = stretches.putIfAbsent(place, last) == null;
        last.count(step.isShared(), 1);
        // in one bin, the exclusive steps of a place enter before its shared ones: so the first one here tells whether
        // the place has an exclusive step here
        if (isFirstHere && place instanceof Many many && waits(place, step.isShared())) {
            many.waitForMore(1);
            addWaiting(place, step.isShared());
        }
    }

    /** A step leaves its order, or is taken back there. */
    void leave(Step step) {
        stretchOf(step.place()).count(step.isShared(), -1);
        advance();
    }

    /** Called after a place that may have waited has left. */
    void forget(Place place) {
        Stretch stretch = stretches.get(place);
        if (stretch != null) {
            Stretch exclusive = stretch.exclusiveFound();
            if (exclusive != null && exclusive.sharedWaiting != null) {
                exclusive.sharedWaiting.remove(place);
            }
            Stretch behind = behind(place);
            if (behind.waiting != null) {
                behind.waiting.remove(place);
            }
            stretches.remove(place);
        }
    }

    /**
     * Called when an order has granted a place of one key. Returns whether the place waits for barriers; if so, it is
     * notified when they have left.
     */
    boolean waitsToBeTold(Place place) {
        boolean waits = waits(place, place.isShared());
        if (waits) {
            addWaiting(place, place.isShared());
        }
        return waits;
    }

    /** Whether a place waits for barriers here. */
    boolean waits(Place place, boolean isShared) {
        Stretch behind = behind(place);
        return isShared ? behind.exclusiveFound() != null : behind != first;
    }

    private void addWaiting(Place place, boolean isShared) {
        Stretch behind = behind(place);
        if (isShared) {
            Stretch exclusive = Objects.requireNonNull(behind.exclusiveFound());
            exclusive.sharedWaiting = exclusive.sharedWaiting == null ? new LinkedHashSet<>() : exclusive.sharedWaiting;
            exclusive.sharedWaiting.add(place);
        } else {
            behind.waiting = behind.waiting == null ? new LinkedHashSet<>() : behind.waiting;
            behind.waiting.add(place);
        }
    }

    private Stretch stretchOf(Place place) {
        Stretch stretch = stretches.get(place);
        return stretch == null ? first : stretch.found();
    }

    /**
     * The stretch of the last barrier that a place stands behind; a barrier with keys of its own stands before itself.
     */
    private Stretch behind(Place place) {
        Stretch stretch = stretchOf(place);
        Barrier.Part part = stretch.part;
        return part != null && part.barrier() == place ? Objects.requireNonNull(stretch.previous) : stretch;
    }

    // looks

    /** Whether a place stands behind all barriers. */
    boolean isBehindAll(Place place) {
        return stretchOf(place) == last;
    }

    /** Whether a place stands before a barrier that has not left. */
    boolean isBefore(Place place, Barrier.Part part) {
        Stretch ofBarrier = part.behind();
        return ofBarrier != null && ofBarrier.joinedTo == null && stretchOf(place).number < ofBarrier.number;
    }

    boolean any(Predicate<? super Barrier> condition) {
        for (Stretch stretch = first.next; stretch != null; stretch = stretch.next) {
            if (condition.test(Objects.requireNonNull(stretch.part).barrier())) {
                return true;
            }
        }
        return false;
    }

    void forEach(Consumer<? super Barrier> visitor) {
        for (Stretch stretch = first.next; stretch != null; stretch = stretch.next) {
            visitor.accept(Objects.requireNonNull(stretch.part).barrier());
        }
    }

    /** Visits the barriers that a place waits for, the last one first. A shared place waits for no shared barrier. */
    void forEachBefore(Place place, boolean isShared, Consumer<? super Barrier> visitor) {
        for (Stretch stretch = behind(place);
                stretch.part != null;
                stretch = Objects.requireNonNull(stretch.previous)) {
            Barrier barrier = stretch.part.barrier();
            if (!isShared || !barrier.isOfShared()) {
                visitor.accept(barrier);
            }
        }
    }

    /** The last barrier that a place waits for; null if there is none. */
    @Nullable
    Barrier lastBefore(Place place, boolean isShared) {
        Stretch behind = behind(place);
        Stretch last = isShared ? behind.exclusiveFound() : behind;
        return last == null || last.part == null ? null : last.part.barrier();
    }

    /** Visits the barriers that a place waits for, except those that another one of these barriers waits for. */
    void forEachNearest(Place place, boolean isShared, Consumer<? super Barrier> visitor) {
        Barrier last = lastBefore(place, isShared);
        if (last != null && !last.isOfShared()) {
            visitor.accept(last);
        } else {
            for (Stretch stretch = behind(place);
                    stretch.part != null && stretch.part.barrier().isOfShared() && !isShared;
                    stretch = Objects.requireNonNull(stretch.previous)) {
                visitor.accept(stretch.part.barrier());
            }
        }
    }

    /** The first barrier that waits for a step; null if there is none. */
    @Nullable
    Barrier firstAfter(Place place, boolean isShared) {
        Stretch stretch = stretchOf(place);
        Stretch exclusive = stretch.exclusiveFound();
        Stretch after = !isShared ? stretch.next : exclusive == null ? firstExclusive : exclusive.exclusiveAfter;
        return after == null ? null : Objects.requireNonNull(after.part).barrier();
    }
}
