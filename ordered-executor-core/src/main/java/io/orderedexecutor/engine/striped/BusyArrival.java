package io.orderedexecutor.engine.striped;

import io.orderedexecutor.WhenBusy;
import io.orderedexecutor.engine.strand.ArrivalLink;
import io.orderedexecutor.engine.strand.IdleLink;
import io.orderedexecutor.engine.strand.Link;
import io.orderedexecutor.engine.strand.SlotLink;
import io.orderedexecutor.engine.strand.TaskFuture;
import org.jspecify.annotations.Nullable;

/** A submission that does more than queue if its stripe is busy. */
final class BusyArrival extends Arrival {
    private final WhenBusy whenBusy;

    /** A new one for each try to place the task. */
    private @Nullable ArrivalLink link;

    BusyArrival(Object stripe, WhenBusy whenBusy) {
        super(stripe);
        this.whenBusy = whenBusy;
    }

    /** Whether tasks of this mode have to be a {@link TaskFuture}, since a later one may cancel them. */
    static boolean hasSlot(WhenBusy whenBusy) {
        return whenBusy instanceof WhenBusy.Latest || whenBusy instanceof WhenBusy.Interrupt;
    }

    boolean hasSlot() {
        return hasSlot(whenBusy);
    }

    /**
     * A link for one try.
     *
     * @param now see {@link Link#queuedAt}
     */
    ArrivalLink newLink(Runnable task, long now) {
        ArrivalLink next;
        if (whenBusy instanceof WhenBusy.Latest latest) {
            next = new SlotLink((TaskFuture<?>) task, latest.slot(), now, false);
        } else if (whenBusy instanceof WhenBusy.Interrupt interrupt) {
            next = new SlotLink((TaskFuture<?>) task, interrupt.slot(), now, true);
        } else {
            next = new IdleLink(task, now);
        }
        link = next;
        return next;
    }

    /** Whether the task has taken the place of another one, and its permit. */
    boolean hasJoined() {
        return link instanceof SlotLink slot && slot.hasJoined();
    }

    /** Whether the task was not placed because its stripe was busy. */
    boolean isSkipped() {
        return link instanceof IdleLink idle && idle.isSkipped();
    }
}
