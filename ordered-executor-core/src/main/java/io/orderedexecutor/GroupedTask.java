package io.orderedexecutor;

import io.orderedexecutor.stats.ParkedTask;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task of a {@link GroupedExecutor}, or several that all want the same one group exclusively and came one after
 * another: a strand, that is handed to the workers when nothing is before it any more. It has places among the others;
 * who joins it later needs none.
 *
 * <p>It counts the places in which it has to wait, and the tasks of {@link OrderedTask}s that it has to wait for.
 * Whoever brings the count to zero hands it over.
 *
 * <p>It leaves its places when it has ended; so what is behind it starts then, and not before, whether it has run or
 * not.
 */
final class GroupedTask extends Strand {
    private static final VarHandle WAITS_FOR;

    static {
        try {
            WAITS_FOR = MethodHandles.lookup().findVarHandle(GroupedTask.class, "waitsFor", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Null if the task has no groups. */
    private final @Nullable Groups groups;

    /**
     * What says beside which other tasks this one may run; null if it is compatible with all, or has left its places.
     * Cleared under the lock of {@link Comparisons}, and read without: whoever still sees it asks in vain, which makes
     * no difference.
     */
    @Nullable
    OrderedTask comparable;

    /**
     * How many things it waits for, and one for the submitter that has not placed it everywhere. Changed by atomic
     * addition.
     */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private volatile int waitsFor = 1;

    /** The first of its places. Written by the submitter under the locks of all its segments. */
    private @Nullable Place places;

    /** See {@link GroupTable}. Written by the submitter under the locks of all its segments. */
    private long number;

    /** Guarded by the lock of {@link Comparisons}: whether this task has left its places. */
    boolean left;

    /**
     * Guarded by the lock of {@link Comparisons}: the tasks that wait for this one because one of the two has said so.
     */
    @Nullable
    List<GroupedTask> successors;

    /**
     * Guarded by the lock of {@link Comparisons}: how many successors there are when those that have left are looked
     * for.
     */
    int sweepAt = Comparisons.FEW;

    /**
     * Where the thread that ends this task notes what it makes ready, if it has come here from another task. Used by
     * the holder.
     */
    private @Nullable Succession succession;

    /** Used by the {@link Succession} that this task is in. */
    @Nullable
    GroupedTask nextReady;

    GroupedTask(GroupedEngine engine, @Nullable Groups groups, @Nullable OrderedTask comparable, Link first) {
        super(engine, first, WAITING);
        this.groups = groups;
        this.comparable = comparable;
    }

    private GroupedEngine engine() {
        return (GroupedEngine) host();
    }

    @Override
    Object key() {
        return groups == null ? NO_KEY : groups;
    }

    @Nullable
    Groups groups() {
        return groups;
    }

    @Override
    FailurePolicy failurePolicy() {
        FailurePolicy policy = super.failurePolicy();
        // nobody could name it to resume it
        return groups == null || !groups.isNamed() ? policy.withoutParking() : policy;
    }

    // its places

    void setPlaces(Place places, long number) {
        this.places = places;
        this.number = number;
        places.joinable = places.nextOfTask == null && places.claim.isForOneExclusively();
    }

    @Nullable
    Place firstPlace() {
        return places;
    }

    long number() {
        return number;
    }

    /**
     * Links a task behind those that are here. Called under the lock of the segment.
     *
     * @return false if this chain has ended
     */
    boolean join(Link task) {
        return place(task, UNLIMITED) == Placed.LINKED;
    }

    /** How many tasks have had their turn here, or lost it. */
    int length() {
        Link last = head();
        // the head may lag behind
        for (Link next = last.next(); next != null && next != last && next.isServed(); next = last.next()) {
            last = next;
        }
        return last.position + 1;
    }

    /** Called under the lock of the place, while something else keeps the count above zero. */
    void waitForOneMore() {
        WAITS_FOR.getAndAdd(this, 1);
    }

    /**
     * One thing less to wait for.
     *
     * @return whether the caller has to hand this task over now
     */
    boolean isReadyAfterOneLess() {
        return (int) WAITS_FOR.getAndAdd(this, -1) == 1 && becomeReady();
    }

    // serving

    @Override
    boolean isPaused() {
        if (engine().isShutdown()) {
            return false;
        }
        if (engine().isPaused()) {
            return true;
        }
        for (Place place = places; place != null; place = place.nextOfTask) {
            if (place.lane.group.isPaused()) {
                return true;
            }
        }
        return false;
    }

    /** Runs this task, if nobody else does, on a thread that has made it ready. */
    void serveIn(Succession successors) {
        enterAndServe(
                READY,
                thread -> {
                    succession = successors;
                    return true;
                },
                false);
    }

    @Override
    void onEnd(boolean mayStay) {
        Succession given = succession;
        if (given != null && given.isServing(this)) {
            engine().leave(this, given);
        } else {
            Succession own = new Succession();
            engine().leave(this, own);
            own.goOn(workers(), mayStay, length());
        }
    }

    @Override
    public String describe() {
        return (groups == null ? "a task without groups" : "groups " + groups) + " of " + engine().describe();
    }

    // being taken out

    @Override
    boolean closeWhileWaiting() {
        return engine().closeToJoiners(this);
    }

    @Override
    void onTakenOut() {
        endIfTakenOut();
    }

    @Override
    void cancelFollowers() {
        super.cancelFollowers();
        for (GroupedTask follower : engine().conflictingBehind(this)) {
            follower.cancelWaiting();
        }
    }

    private void cancelWaiting() {
        super.cancelFollowers();
        endIfTakenOut();
    }

    // bounds of groups

    @Override
    void onTaking(int tasks) {
        if (engine().boundsGroups()) {
            for (Place place = places; place != null; place = place.nextOfTask) {
                if (place.isForGroup()) {
                    place.lane.group.addQueued(-tasks);
                }
            }
        }
    }

    // observation

    @Override
    List<Thread> threadsAhead() {
        Thread own = holdingThread();
        return own != null ? List.of(own) : engine().threadsAhead(this);
    }

    @Override
    boolean isBehind(Strand held) {
        return held instanceof GroupedTask task && engine().upTo(this).contains(task);
    }

    @Nullable
    ParkedTask parked() {
        Throwable failure = parkedWith();
        return failure == null || groups == null ? null : new ParkedTask(groups, failure);
    }

    /** Whether this task wants a group itself, and not only something below it. */
    boolean wants(Group group) {
        for (Place place = places; place != null; place = place.nextOfTask) {
            if (place.lane.group == group && place.isForGroup()) {
                return true;
            }
        }
        return false;
    }

    /** Whether this task has neither ended nor been taken out. */
    boolean isToCome() {
        return !head().isVacated() && !hasEnded();
    }

    List<Groups> groupsDirectlyAhead() {
        List<Groups> ahead = new ArrayList<>();
        for (GroupedTask task : engine().directlyAhead(this)) {
            if (task.groups != null) {
                ahead.add(task.groups);
            }
        }
        return List.copyOf(ahead);
    }
}
