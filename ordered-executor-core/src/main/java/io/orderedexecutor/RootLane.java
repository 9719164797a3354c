package io.orderedexecutor;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lane of a part of the root. Nearly all tasks come here on their way to a group below, and wait for nothing. They
 * need no places: it is enough to know how many there are, before all places. Those of this crowd are found in the
 * groups below.
 *
 * <p>Who comes to the root while a barrier is there has a place.
 */
final class RootLane extends Lane {
    private final Place.Kind crowdKind;

    /** How many tasks are here without a place. Guarded by the lock of the segment, as all else here. */
    private int crowd;

    /** @param crowdKind what the tasks want that only pass through here */
    RootLane(Group root, Place.Kind crowdKind) {
        super(root);
        this.crowdKind = crowdKind;
    }

    /** Whether one more needs no place: none of those that have one waits, or would have it wait. */
    boolean isOpenToCrowd() {
        Place last = last();
        return last == null || (last.open && last.kind == crowdKind);
    }

    void joinCrowd() {
        crowd++;
    }

    /** One task less without a place, which may have let the first places wait. */
    void leaveCrowd(Consumer<? super Place> opened) {
        crowd--;
        openFrom(first(), opened);
    }

    @Override
    boolean isEmpty() {
        return crowd == 0 && super.isEmpty();
    }

    @Override
    boolean mayBeFirst(Place.Kind kind) {
        return crowd == 0 || kind == crowdKind;
    }

    @Override
    void forEachAhead(Place place, Consumer<? super GroupedTask> visitor) {
        super.forEachAhead(place, visitor);
        if (!place.open) {
            forEachOfCrowd(visitor);
        }
    }

    @Override
    @Nullable
    Place forEachDirectlyAhead(Place place, Consumer<? super GroupedTask> visitor) {
        Place first = super.forEachDirectlyAhead(place, visitor);
        boolean isBehindCrowd = first == null || (first.before == null && first.kind == crowdKind);
        if (!place.open && isBehindCrowd) {
            forEachOfCrowd(visitor);
        }
        return first;
    }

    private void forEachOfCrowd(Consumer<? super GroupedTask> visitor) {
        if (crowd > 0) {
            group.segment.forEachOfCrowd(this, visitor);
        }
    }

    /** Visits the places behind the crowd that cannot be open beside it. */
    void forEachBehindCrowd(Consumer<? super GroupedTask> visitor) {
        forEach(place -> {
            if (place.kind != crowdKind) {
                visitor.accept(place.task);
            }
        });
    }
}
