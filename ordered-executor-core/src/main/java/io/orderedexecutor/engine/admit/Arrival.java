package io.orderedexecutor.engine.admit;

import io.orderedexecutor.WhenBusy;
import io.orderedexecutor.engine.order.Bin;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.run.Batch;
import io.orderedexecutor.engine.run.BatchItem;
import io.orderedexecutor.engine.run.Dispatcher;
import io.orderedexecutor.engine.run.Service;
import io.orderedexecutor.engine.run.Slotted;
import io.orderedexecutor.engine.run.States;
import io.orderedexecutor.engine.task.TaskFuture;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A submission whose fate depends on the places in the order of its key: it may replace the task that was submitted
 * last, join the last batch, or be refused; it may also interrupt the task that holds the order. The decision is made
 * under the bin. Slots and batch keys are compared before, without the bin, since their {@code equals} is code of the
 * application. If the last place or the holder of the order has changed when the bin is taken, they are compared again;
 * after some comparisons, the submission takes a place of its own.
 *
 * <p>Used by the submitter.
 */
abstract class Arrival {

    /** A limit on repeated comparisons, since other submissions may change the last place again and again. */
    private static final int MOST_COMPARISONS = 10;

    /** The outcome of a submission. */
    enum Answer {
        /** The submission takes a place of its own. */
        ENTERS,
        /** The submission has replaced a waiting task, or joined a batch. */
        JOINED,
        /** The submission is not accepted, since its key is busy. */
        REFUSED,
        /** Unknown until slots or batch keys are compared, or the order is searched for again. */
        UNKNOWN,
        /** The executor is shut down. */
        CLOSED
    }

    /** What the submission has seen and done under the bin. */
    private static final class Visit {
        private @Nullable Place last;
        private @Nullable Place holder;
        private boolean isSearchValid;

        private @Nullable Place entered;

        /** The state of the place when it entered; another submitter may replace the task at once. */
        private @Nullable Object own;

        private boolean granted;
    }

    /**
     * Decides on the submission, and takes a place for it if it needs one.
     *
     * @param kept the orders that the submission keeps open until it takes a place; null if it keeps none
     * @param mayEnter whether it may take a place; if not, the submission takes no place when the answer is
     *     {@link Answer#ENTERS}
     */
    final Answer arriveAt(Orders orders, Object key, Orders.@Nullable Guests kept, boolean mayEnter) {
        Orders.Search keptSearch = kept == null ? null : kept.first();
        Orders.Search search = keptSearch == null ? orders.new Search(key) : keptSearch;
        Visit visit = new Visit();
        Answer answer = Answer.UNKNOWN;
        int comparisons = 0;
        while (answer == Answer.UNKNOWN) {
            if (keptSearch == null) {
                search.search();
            }
            boolean mayCompare = comparisons < MOST_COMPARISONS;
            answer = orders.under(
                    search.bin(), () -> decideHere(orders, search, keptSearch != null, mayCompare, mayEnter, visit));
            if (answer == Answer.UNKNOWN && visit.isSearchValid) {
                comparisons++;
                compare(visit.last, visit.holder);
            }
        }
        if (visit.entered != null && visit.own != null) {
            try {
                orders.afterEntry(visit.entered, visit.own, visit.granted);
            } finally {
                onEntered();
            }
        }
        if (visit.entered != null || answer == Answer.JOINED) {
            onDecided();
        }
        return answer;
    }

    /** Called under the bin. */
    private Answer decideHere(
            Orders orders, Orders.Search search, boolean isKept, boolean mayCompare, boolean mayEnter, Visit visit) {
        Bin bin = search.bin();
        visit.isSearchValid = isKept || search.holds();
        if (bin.isClosed()) {
            return Answer.CLOSED;
        }
        if (!visit.isSearchValid) {
            return Answer.UNKNOWN;
        }
        Order order = search.found();
        Place last = order == null ? null : order.lastPlace();
        visit.last = last == null || bin.isBehindBarriers(last) ? last : null;
        visit.holder = order == null ? null : order.holder();
        boolean isBusy = Dispatcher.dispatcherOf(orders).isPaused()
                || bin.hasBarrier(States::isBusy)
                || (order != null && order.isBusy(States::isBusy));
        Answer answer = decide(visit.last, visit.holder, isBusy);
        if (answer == Answer.UNKNOWN && !mayCompare) {
            // give up comparing, and take a place of its own: other submissions keep changing the last place
            answer = Answer.ENTERS;
        }
        if (answer == Answer.ENTERS && mayEnter) {
            Place place = place();
            visit.entered = place;
            visit.own = place.state();
            visit.granted = bin.enter(search.orOpen(), place);
            if (isKept) {
                search.orOpen().removeGuest();
            }
        }
        return answer;
    }

    /**
     * Compares the slot or batch key of this submission with that of the last place of the order, and its slot with
     * that of the place that holds the order; {@link #decide} uses the result. Called without the bin.
     */
    void compare(@Nullable Place last, @Nullable Place holder) {}

    /**
     * Decides on the submission. Called under the bin.
     *
     * @param last the last place of the order; null if there is none, if a later one was taken back, or if a barrier
     *     stands behind it
     * @param holder the place that holds the order, or one of several; null if there is none
     * @param isBusy whether the key is busy, or the executor is paused
     */
    abstract Answer decide(@Nullable Place last, @Nullable Place holder, boolean isBusy);

    /** The place for {@link Answer#ENTERS}. */
    abstract Place place();

    /** The place if it was already made, although it may not enter; null if it was not. */
    @Nullable
    Place placeOrNull() {
        return null;
    }

    /** Called when the place has entered, and the submitter does nothing more to find a thread for it. */
    void onEntered() {}

    /** Called without the bin, when the submission has joined, or has entered and was not refused by the workers. */
    void onDecided() {}

    /** A task that is refused if its key is busy. */
    static final class IfIdle extends Arrival {
        private final Place place;

        IfIdle(Place place) {
            this.place = place;
        }

        @Override
        Answer decide(@Nullable Place last, @Nullable Place holder, boolean isBusy) {
            return isBusy ? Answer.REFUSED : Answer.ENTERS;
        }

        @Override
        Place place() {
            return place;
        }

        @Override
        Place placeOrNull() {
            return place;
        }
    }

    /**
     * A task that replaces the last task of its key if that has the same slot and has not started; otherwise it takes a
     * place of its own. It may also interrupt the task that holds the order, or cancel its retry, if the slot is the
     * same.
     */
    static final class ForSlot extends Arrival {
        private final Service service;
        private final TaskFuture<?> task;
        private final Object slot;
        private final boolean interrupts;
        private final long now;
        private final Slotted place;

        /** The last place of the order when the slots were compared; null if it has no slot. */
        private @Nullable Slotted last;

        private boolean isLastEqual;
        private @Nullable Slotted holder;
        private boolean isHolderEqual;

        private @Nullable Slotted joined;
        private @Nullable TaskFuture<?> replaced;
        private @Nullable Slotted interrupted;

        ForSlot(Service service, TaskFuture<?> task, Object target, WhenBusy whenBusy, long now) {
            this.service = service;
            this.task = task;
            this.interrupts = whenBusy instanceof WhenBusy.Interrupt;
            this.slot = whenBusy instanceof WhenBusy.Interrupt interrupt
                    ? interrupt.slot()
                    : ((WhenBusy.Latest) whenBusy).slot();
            this.now = now;
            this.place = new Slotted(task, service.orders(), target, slot, now);
        }

        @Override
        void compare(@Nullable Place newLast, @Nullable Place newHolder) {
            last = newLast instanceof Slotted slotted ? slotted : null;
            isLastEqual = last != null && slot.equals(last.slot());
            holder = newHolder instanceof Slotted slotted ? slotted : null;
            isHolderEqual = holder != null && (holder == last ? isLastEqual : slot.equals(holder.slot()));
        }

        @Override
        Answer decide(@Nullable Place newLast, @Nullable Place newHolder, boolean isBusy) {
            // interrupt the holder, an earlier task; not if this task replaces it below
            interrupted = interrupts && newHolder == holder && isHolderEqual ? holder : null;
            if (isUnknown(newLast, last) || (interrupts && isUnknown(newHolder, holder))) {
                return Answer.UNKNOWN;
            }
            Slotted sameSlot = newLast == last && isLastEqual ? last : null;
            replaced = sameSlot == null ? null : sameSlot.replace(task, now);
            joined = replaced == null ? null : sameSlot;
            interrupted = interrupted == joined ? null : interrupted;
            return replaced == null ? Answer.ENTERS : Answer.JOINED;
        }

        private static boolean isUnknown(@Nullable Place seen, @Nullable Slotted compared) {
            return seen instanceof Slotted && seen != compared;
        }

        @Override
        Place place() {
            return place;
        }

        @Override
        Place placeOrNull() {
            return place;
        }

        @Override
        void onDecided() {
            if (joined != null && replaced != null) {
                service.takingBack().onReplaced(joined, replaced);
            }
            if (interrupted != null) {
                service.supersede(interrupted);
            }
        }
    }

    /** An item that joins the batch at the end of the order, or founds a new one. */
    static final class OfItem extends Arrival {
        private final Orders orders;
        private final BatchItem item;
        private final @Nullable Object batchKey;
        private @Nullable Batch compared;
        private boolean isEqual;
        private @Nullable Batch joined;
        private @Nullable Batch founded;

        OfItem(Orders orders, BatchItem item, @Nullable Object batchKey) {
            this.orders = orders;
            this.item = item;
            this.batchKey = batchKey;
        }

        @Override
        void compare(@Nullable Place last, @Nullable Place holder) {
            compared = last instanceof Batch batch ? batch : null;
            isEqual = compared != null && Objects.equals(batchKey, compared.batchKey());
        }

        @Override
        Answer decide(@Nullable Place last, @Nullable Place holder, boolean isBusy) {
            if (last instanceof Batch batch && batch.batching() == item.batching()) {
                boolean needsNone = batchKey == null || batch.batchKey() == null;
                if (!needsNone && batch != compared) {
                    return Answer.UNKNOWN;
                }
                if (needsNone ? batchKey == batch.batchKey() : isEqual) {
                    joined = batch;
                    if (batch.join(item)) {
                        return Answer.JOINED;
                    }
                }
            }
            return Answer.ENTERS;
        }

        @Override
        Place place() {
            Batch mine = founded;
            if (mine == null) {
                mine = new Batch(orders, item, batchKey);
                founded = mine;
            }
            return mine;
        }

        @Override
        @Nullable
        Place placeOrNull() {
            return founded;
        }

        @Override
        void onEntered() {
            if (founded != null) {
                founded.forgetFounder();
            }
        }

        @Override
        void onDecided() {
            if (joined != null) {
                joined.startIfComplete();
            }
        }
    }
}
