package io.orderedexecutor.engine.order;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The order of one key: the steps that hold it, one exclusive or some shared, and the waiting steps, first come, first
 * served. An order is in the table while there is a reason to keep it: a step, a pause, or a submission that takes room
 * before its place enters.
 *
 * <p>A step that is taken back no longer holds up the steps behind it. To save memory, the exclusive step of a place of
 * one key does not refer to the step before it: if it is taken back and is not the first one that waits, it stays in
 * the list without its work. These steps are swept when there are more than a few of them, and more of them than
 * waiting steps.
 *
 * <p>Any number of shared steps may wait behind an exclusive one. The holder of the bin grants a few of them at most. A
 * thread grants the others later, a few of them each time that it takes the bin:
 *
 * <pre>
 *   all granted ──▶ unfinished   a step leaves, and more shared ones are at the front than this thread may grant; when
 *                                it has released the bin, it usually hands the order to another thread
 *   unfinished ──▶ unfinished    that thread grants a few, and more are left; a thread that lets a step leave meanwhile
 *                                grants a few, too, and hands the order to no other
 *   unfinished ──▶ all granted   that thread grants the last of them, or finds none
 * </pre>
 *
 * <p>When a barrier leaves a bin, the thread that removes it grants at once all places that have waited for it in this
 * bin, and wait for nothing else.
 *
 * <p>All fields are guarded by the bin unless they say otherwise.
 */
public final class Order {
    /**
     * Where a place stands in one order. A place with one key is its own step; one with several keys has a step for
     * each.
     *
     * <p>All fields are guarded by the bin of the order. Only {@link #order} is also read without the bin: by the
     * submitter; by threads that hand over or run the place: they got the place, or its turn, from a thread that held
     * the bin, or run a piece of an output, which may not have entered yet; by threads that take the place back, or end
     * such a piece, see the package's table of races; and by threads that look at it, for statistics and explanations.
     */
    public abstract static class Step {

        /** The next step that also waits, or also holds the order; this step itself once it is out of the order. */
        @Nullable
        Step next;

        /** See {@link #order()}. */
        Order order;

        Step(Order none) {
            this.order = none;
        }

        /** The order that it has entered; before that, an order that stands for none. */
        public final Order order() {
            return order;
        }

        /** The place that this step belongs to. */
        public abstract Place place();

        /** Whether this is the first step of its place: statistics count a place once, where its first step stands. */
        boolean isFirst() {
            return true;
        }

        /** Whether this step may hold its order together with other shared steps. */
        public boolean isShared() {
            return false;
        }

        /** Whether this step knows the step before it, and so can be taken out of the middle of an order. */
        boolean isLinked() {
            return false;
        }

        /** Notes the step before it; for linked steps only. */
        void setPrevious(@Nullable Step previous) {}

        /** The step before it; null if it is the first, or not linked. */
        @Nullable
        Step previous() {
            return null;
        }

        /** Whether a shared step holds its order. For an exclusive step, ask {@link Order#isHeldBy}. */
        boolean isHolder() {
            return false;
        }

        void setHolder(boolean holder) {}

        /** Whether the place of this step may stand for several tasks; otherwise it stands for one. */
        protected boolean standsForSeveral() {
            return false;
        }

        /**
         * Called when a step that stands for several begins to wait. Until {@link #uncountFurtherTasks}, the step keeps
         * its tasks beyond one counted in {@code further}.
         */
        protected void countFurtherTasks(AtomicLong further) {}

        /** Called, once or more often, when such a step ceases to wait: the step subtracts what it has counted. */
        protected void uncountFurtherTasks() {}

        /**
         * Called when another step enters the order behind this one; returns whether the place of this step now has to
         * be handed to a thread.
         */
        protected boolean isReadyWhenFollowed() {
            return false;
        }

        /** Called when this step begins to hold its order; returns whether its place now holds all of its orders. */
        boolean granted() {
            return true;
        }

        final boolean isOut() {
            return next == this;
        }
    }

    /** The key of an order whose places may start before they hold it. */
    public interface OutputKey {}

    /** The room of a key. Counts the submissions that keep the order in the table without a step. */
    public interface Attachment {
        /** Under the bin of the order. */
        void addGuests(int more);

        /** Under the bin of the order: whether a submission keeps it. */
        boolean hasGuests();
    }

    /** How many steps may stay in the list after they were taken back, even if fewer steps wait. */
    private static final int FEW = 16;

    final Bin bin;

    /** Never changes. */
    final Object key;

    /** Never changes. */
    final int hash;

    /**
     * The next order of the same chain; this order itself once it is closed. Read without the bin by threads that
     * search.
     */
    @Nullable
    Order nextInBin;

    private @Nullable Step holders;

    /** The first that waits. */
    private @Nullable Step first;

    private @Nullable Step last;

    /** How many steps are in the list of waiting steps, including the vacated ones. */
    private int listed;

    private int vacated;

    /**
     * A set of the bits below: the kinds that waiting steps may have, and whether granting is unfinished. A kind is set
     * when such a step begins to wait, and reset when the list is empty. One byte, since there may be many orders.
     */
    private byte kinds;

    /** Batches, each of which knows how many items wait in it. */
    private static final int BATCHES = 1;

    /**
     * Places that may be held up by more than this order: places of several keys, shared places, and reserved places.
     */
    private static final int HELD_UP_ELSEWHERE = 2;

    private static final int GRANTING_UNFINISHED = 4;

    /** Whether the step that has entered last was taken back while it waited. */
    private boolean isLastGone;

    /** Whether this order is in the table. Sweeps of queues read it without the bin, see {@link #isClosedForGood}. */
    private boolean isOpen = true;

    /** Whether tasks of this key must not start. Written under the bin, and read without it. */
    private volatile boolean paused;

    /**
     * Null if no submission has needed room here or kept this order. Written under the bin by the first submission that
     * does one of these, and read without the bin by threads that have a place here, keep this order for a submission,
     * or have seen the attachment under the bin.
     */
    private @Nullable Attachment attachment;

    Order(Bin bin, Object key, int hash) {
        this.bin = bin;
        this.key = key;
        this.hash = hash;
    }

    public Bin bin() {
        return bin;
    }

    public Object key() {
        return key;
    }

    @Nullable
    Order nextInBin() {
        return nextInBin;
    }

    /** For the bin. */
    void setNextInBin(@Nullable Order next) {
        nextInBin = next;
    }

    boolean isOpen() {
        return isOpen;
    }

    /**
     * Whether no step will ever enter this order. Called without the bin, so the answer may still be false just after
     * the order was closed.
     */
    public boolean isClosedForGood() {
        return !isOpen && !bin.isOfGate();
    }

    /** For the bin, which takes it out of the table. */
    void setClosed() {
        isOpen = false;
    }

    // entering and leaving

    /** Adds a step at the end; returns whether this grants its place. */
    boolean append(Step step) {
        assert bin.isHeldHere();
        step.order = this;
        isLastGone = false;
        if (first == null && admits(step)) {
            return hold(step);
        }
        Step before = last == null ? holders : last;
        if (before != null && before.isReadyWhenFollowed()) {
            bin.grant(before.place());
        }
        if (last == null) {
            first = step;
        } else {
            last.next = step;
        }
        step.setPrevious(last);
        last = step;
        listed++;
        kinds |= kindOf(step);
        if (step.standsForSeveral()) {
            step.countFurtherTasks(bin.furtherTasks(this));
        }
        if (!step.isFirst()) {
            bin.countFurtherSteps(1);
        }
        return false;
    }

    private static byte kindOf(Step step) {
        if (step.standsForSeveral()) {
            return BATCHES;
        }
        return step.isLinked() || step.place().isReserved() ? HELD_UP_ELSEWHERE : (byte) 0;
    }

    /** The last of the places that stand here; null if there is none, or a later one was taken back while it waited. */
    @Nullable
    public Place lastPlace() {
        assert bin.isHeldHere();
        Step step = last == null ? holders : last;
        return step == null || isLastGone ? null : step.place();
    }

    /** The place that holds the order, or one of several; null if none does. */
    @Nullable
    public Place holder() {
        assert bin.isHeldHere();
        return holders == null ? null : holders.place();
    }

    /** Whether the key is paused, or one of the places that stand here is busy. */
    public boolean isBusy(Predicate<? super Place> isBusyPlace) {
        assert bin.isHeldHere();
        return paused || anyFrom(holders, isBusyPlace) || anyFrom(first, isBusyPlace);
    }

    private static boolean anyFrom(@Nullable Step start, Predicate<? super Place> condition) {
        for (Step step = start; step != null; step = step.next) {
            if (condition.test(step.place())) {
                return true;
            }
        }
        return false;
    }

    private boolean admits(Step step) {
        return holders == null || (step.isShared() && holders.isShared());
    }

    private boolean hold(Step step) {
        Step other = holders;
        step.next = other;
        step.setPrevious(null);
        if (other != null) {
            other.setPrevious(step);
        }
        holders = step;
        step.setHolder(true);
        return bin.isGranted(step);
    }

    public boolean isHeldBy(Step step) {
        assert bin.isHeldHere();
        return step.isShared() ? step.isHolder() : holders == step;
    }

    /** Removes a step whose place is over. Adds the places that this grants to the grants of the bin. */
    void remove(Step step) {
        assert bin.isHeldHere();
        if (isHeldBy(step)) {
            step.setHolder(false);
            unlinkHolder(step);
        } else if (step.isLinked()) {
            isLastGone |= step == last;
            unlinkWaiting(step.previous(), step);
        } else {
            isLastGone |= step == last;
            vacated++;
            step.place().setVacated();
            step.uncountFurtherTasks();
        }
        if (!grantNext() && !isGrantingUnfinished()) {
            kinds |= GRANTING_UNFINISHED;
            bin.noteUnfinished(this);
        }
    }

    /** Whether a thread is to come and grant shared steps at the front; others may grant all of them before. */
    boolean isGrantingUnfinished() {
        assert bin.isHeldHere();
        return (kinds & GRANTING_UNFINISHED) != 0;
    }

    /** For the thread that finishes the granting: grants a few steps; returns whether none is left to grant. */
    boolean goOnGranting() {
        assert bin.isHeldHere();
        boolean isDone = grantNext();
        if (isDone) {
            kinds &= ~GRANTING_UNFINISHED;
        }
        return isDone;
    }

    private void unlinkHolder(Step step) {
        Step next = step.next;
        Step previous = step.previous();
        if (previous == null) {
            holders = next;
        } else {
            previous.next = next;
        }
        if (next != null) {
            next.setPrevious(previous);
        }
        step.next = step;
        step.setPrevious(null);
    }

    private void unlinkWaiting(@Nullable Step previous, Step step) {
        Step next = step.next;
        if (previous == null) {
            first = next;
        } else {
            previous.next = next;
        }
        if (next == null) {
            last = previous;
        } else {
            next.setPrevious(previous);
        }
        listed--;
        if ((kinds & BATCHES) != 0) {
            step.uncountFurtherTasks();
            if (listed == 0) {
                bin.forgetFurtherTasks(this);
            }
        }
        kinds = listed == 0 ? (byte) (kinds & GRANTING_UNFINISHED) : kinds;
        if (!step.isFirst()) {
            bin.countFurtherSteps(-1);
        }
        step.next = step;
        step.setPrevious(null);
    }

    /**
     * Lets the steps whose turn it is hold the order, and closes the order if there is no reason to keep it.
     *
     * @return false if one holder of the bin must not grant all of these steps
     */
    private boolean grantNext() {
        boolean isDone = false;
        for (Step step = first; step != null && !isDone; step = first) {
            if (step.place().isTakenBack()) {
                drop(step);
            } else if (!admits(step)) {
                isDone = true;
            } else if (!step.isShared() || bin.mayGrantShared()) {
                unlinkWaiting(null, step);
                if (hold(step)) {
                    bin.grant(step.place());
                }
            } else {
                break;
            }
        }
        if (vacated > FEW && vacated > listed - vacated) {
            sweep();
        }
        closeIfUnused();
        return isDone || first == null;
    }

    /**
     * Drops a step at the front whose place is over. The thread that has ended the place perhaps has not taken the bin
     * yet; it lets the place leave all the same.
     */
    private void drop(Step step) {
        isLastGone |= step == last;
        if (step.place().isVacated() && !step.isLinked()) {
            vacated--;
        } else {
            if (!step.isLinked()) {
                step.place().setVacated();
            }
            bin.uncount(step);
        }
        unlinkWaiting(null, step);
    }

    private void sweep() {
        Step previous = null;
        for (Step step = first; step != null; ) {
            Step next = step.next;
            if (!step.isLinked() && step.place().isVacated()) {
                unlinkWaiting(previous, step);
            } else {
                previous = step;
            }
            step = next;
        }
        vacated = 0;
    }

    /** Removes this order from the table if there is no reason to keep it. */
    void closeIfUnused() {
        assert bin.isHeldHere();
        if (isOpen && isEmpty() && !paused && (attachment == null || !attachment.hasGuests())) {
            bin.close(this);
        } else if (isEmpty()) {
            bin.noteIdle();
        }
    }

    /** Whether no place stands here. */
    public boolean isEmpty() {
        assert bin.isHeldHere();
        return holders == null && first == null;
    }

    // pause

    public boolean isPaused() {
        return paused;
    }

    /** Returns false if that changes nothing. */
    boolean setPaused(boolean pausing) {
        assert bin.isHeldHere();
        if (paused == pausing) {
            return false;
        }
        paused = pausing;
        closeIfUnused();
        return true;
    }

    // the attachment

    @Nullable
    public Attachment attachment() {
        return attachment;
    }

    /** The attachment. If there is none, attaches the result of the function. */
    public Attachment attachment(Function<? super Order, ? extends Attachment> attach) {
        assert bin.isHeldHere();
        Attachment mine = attachment;
        if (mine == null) {
            mine = attach.apply(this);
            attachment = mine;
        }
        return mine;
    }

    /** A submission keeps this order in the table without a step. */
    void addGuest(Function<? super Order, ? extends Attachment> attach) {
        attachment(attach).addGuests(1);
    }

    public void removeGuest() {
        assert bin.isHeldHere();
        if (attachment != null) {
            attachment.addGuests(-1);
        }
        closeIfUnused();
    }

    // looks

    /** How many steps wait, including steps that were taken back and stay in the list. */
    int listed() {
        assert bin.isHeldHere();
        return listed;
    }

    /** How many tasks wait, where a batch counts as its items. Not for pieces. */
    long waitingTasks() {
        assert bin.isHeldHere();
        long further = (kinds & BATCHES) == 0 ? 0 : bin.furtherTasks(this).get();
        return listed - vacated + further;
    }

    /** Whether a place that waits here may be held up by more than this order and barriers. */
    public boolean mayBeHeldUpElsewhere() {
        assert bin.isHeldHere();
        return isOfOutput() || (kinds & HELD_UP_ELSEWHERE) != 0;
    }

    /** The place that has waited longest; null if none waits. */
    @Nullable
    Place oldestWaiting() {
        return firstWaiting(any -> true);
    }

    private @Nullable Place firstWaiting(Predicate<? super Place> condition) {
        assert bin.isHeldHere();
        for (Step step = first; step != null; step = step.next) {
            if (!step.place().isTakenBack() && condition.test(step.place())) {
                return step.place();
            }
        }
        return null;
    }

    /** Whether places may start that do not hold the order: the pieces of an output. Its window bounds their number. */
    boolean isOfOutput() {
        return key instanceof OutputKey;
    }

    /** Visits the steps that hold the order, the oldest first; the list of {@link #holders} begins with the newest. */
    public void forEachHolder(Consumer<? super Step> visitor) {
        for (Step step = oldestHolder(); step != null; step = step.previous()) {
            visitor.accept(step);
        }
    }

    private @Nullable Step oldestHolder() {
        assert bin.isHeldHere();
        Step oldest = holders;
        while (oldest != null && oldest.next != null) {
            oldest = oldest.next;
        }
        return oldest;
    }

    /** Visits the steps that hold the order, then the waiting steps that were not taken back. */
    public void forEach(Consumer<? super Step> visitor) {
        forEachHolder(visitor);
        forEachWaiting(visitor);
    }

    /**
     * The steps that hold the order, then the waiting steps, up to and including {@code last}. Leaves out waiting steps
     * that were taken back.
     */
    public List<Step> upTo(Step last) {
        List<Step> steps = new ArrayList<>();
        forEachHolder(steps::add);
        for (Step step = first; step != null; step = step == last ? null : step.next) {
            if (!step.place().isTakenBack()) {
                steps.add(step);
            }
        }
        return steps;
    }

    /** Visits the waiting steps, except steps that were taken back. */
    void forEachWaiting(Consumer<? super Step> visitor) {
        forEachWaiting(visitor, Integer.MAX_VALUE);
    }

    /** Visits the first {@code most} waiting steps, except steps that were taken back. */
    void forEachWaiting(Consumer<? super Step> visitor, int most) {
        assert bin.isHeldHere();
        int visited = 0;
        for (Step step = first; step != null && visited < most; step = step.next) {
            if (!step.place().isTakenBack()) {
                visitor.accept(step);
                visited++;
            }
        }
    }

    /** Visits the steps whose places may have started. */
    void forEachStarted(Consumer<? super Step> visitor) {
        if (isOfOutput()) {
            forEach(visitor);
        } else {
            forEachHolder(visitor);
        }
    }

    /**
     * The first place that meets a condition: first among the places that hold the order, then among the waiting ones.
     */
    @Nullable
    Place first(Predicate<? super Place> condition) {
        for (Step step = oldestHolder(); step != null; step = step.previous()) {
            if (condition.test(step.place())) {
                return step.place();
            }
        }
        return firstWaiting(condition);
    }
}
