package io.orderedexecutor.engine.grouped;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedTask;
import io.orderedexecutor.engine.executor.Engine;
import io.orderedexecutor.engine.strand.Host;
import io.orderedexecutor.engine.strand.Link;
import io.orderedexecutor.engine.strand.Placed;
import io.orderedexecutor.engine.strand.Serving;
import io.orderedexecutor.engine.strand.Strand;
import io.orderedexecutor.engine.strand.StrandControl;
import io.orderedexecutor.engine.strand.TaskEvents;
import io.orderedexecutor.stats.ParkedTask;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A task of a {@link GroupedExecutor}, or several that all want the same one group exclusively and came one after
 * another: a strand, that is handed to the workers when nothing is before it any more. It has lock requests in the
 * queues of its groups; tasks that join it later need none.
 *
 * <p>It counts the requests that are not granted, and the {@link OrderedTask}s that it has to wait for. The thread that
 * brings the count to zero hands it over.
 *
 * <p>Its requests leave their queues when it has ended; so what is behind it starts then, and not before, whether it
 * has run or not.
 */
final class GroupedTask extends Strand {

    /** Lets go of what is behind a task that has ended. */
    interface Exit {

        /**
         * Called once, by the thread that has ended the task.
         *
         * @param mayStay whether this thread is there to run tasks
         */
        void leave(GroupedTask ended, boolean mayStay);
    }

    /** What tasks need of the executor that knows all of them. */
    interface Owner extends Exit {

        /** A task, and all that have to end before it can start, however far ahead. */
        Set<GroupedTask> upTo(GroupedTask waiting);
    }

    /** What an {@link OrderedTask} has in addition to its strand. Guarded by the lock of {@link Comparisons}. */
    static final class Compared {
        /** Up to how many successors are not worth a sweep. */
        private static final int FEW = 16;

        /**
         * What says which other tasks this one is compatible with; null if it has left. Cleared under the lock, and
         * read without: a thread that still sees it asks in vain, which makes no difference.
         */
        @Nullable
        OrderedTask task;

        /** Whether this task has left. */
        private boolean hasLeft;

        /** The tasks that wait for this one because one of the two has said so. */
        private @Nullable List<GroupedTask> successors;

        /** How many successors there are when those that have left are looked for. */
        private int sweepAt = FEW;

        Compared(OrderedTask task) {
            this.task = task;
        }

        List<GroupedTask> successors() {
            return successors == null ? List.of() : successors;
        }

        /** Those that were cancelled are looked for whenever there may be twice as many as there were. */
        boolean addSuccessor(GroupedTask later) {
            if (hasLeft) {
                return false;
            }
            List<GroupedTask> successors = this.successors;
            if (successors == null) {
                successors = new ArrayList<>();
                this.successors = successors;
            } else if (successors.size() >= sweepAt) {
                successors.removeIf(successor -> successor.compared == null || successor.compared.hasLeft);
                sweepAt = Math.max(FEW, 2 * successors.size());
            }
            successors.add(later);
            return true;
        }

        /** Leaves; returns the tasks that have waited for this one. */
        List<GroupedTask> leave() {
            List<GroupedTask> released = successors();
            hasLeft = true;
            // a task that was cancelled may still be in the pool's queue, or among the successors of others
            task = null;
            successors = null;
            return released;
        }
    }

    private static final VarHandle WAITS_FOR;

    static {
        try {
            WAITS_FOR = MethodHandles.lookup().findVarHandle(GroupedTask.class, "waitsFor", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Null if the task does not say itself what it is compatible with. */
    final @Nullable Compared compared;

    /**
     * How many things it waits for, and one for the submitter that has not placed it everywhere. Changed by atomic
     * addition.
     */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private volatile int waitsFor;

    /** The first of its requests. Written by the submitter under the locks of all its segments. */
    private LockQueue.@Nullable Request requests;

    /** See {@link GroupTable}. Written by the submitter under the locks of all its segments. */
    private long number;

    /**
     * Where this task leaves to when it has ended: the {@link ReadyList} that serves it, if one does. Used by the
     * holder.
     */
    private Exit exit;

    /** Used by the {@link ReadyList} that this task is in. */
    @Nullable
    GroupedTask nextReady;

    <O extends Host & Owner> GroupedTask(
            O owner, @Nullable Groups groups, @Nullable OrderedTask comparable, Link first) {
        // one without named groups could not be resumed
        super(owner, groups == null ? TaskEvents.NO_KEY : groups, first, WAITING, isNamed(groups), true);
        this.compared = comparable == null ? null : new Compared(comparable);
        this.exit = owner;
        // plain is enough: the task is published by the locks of its segments
        WAITS_FOR.set(this, 1);
    }

    private Engine<?> engine() {
        return (Engine<?>) host();
    }

    /** Null if the task has no groups. */
    @Nullable
    Groups groups() {
        return key instanceof Groups groups ? groups : null;
    }

    private static boolean isNamed(@Nullable Groups groups) {
        return groups != null
                && !(groups.exclusiveGroups().isEmpty() && groups.sharedGroups().isEmpty());
    }

    // its requests

    /** Adds a request to its queue, and to those of this task before: so all that was entered can leave. */
    void add(LockQueue.Request request) {
        request.nextOfTask = requests;
        requests = request;
        request.queue.add(request);
        if (!request.isGranted) {
            waitForOneMore();
        }
    }

    void setNumber(long number) {
        this.number = number;
    }

    LockQueue.@Nullable Request firstRequest() {
        return requests;
    }

    long number() {
        return number;
    }

    /**
     * Links a task behind those that are here. Called under the lock of the segment.
     *
     * @return false if this strand has ended
     */
    boolean join(Link task) {
        return place(task, UNLIMITED) == Placed.LINKED;
    }

    /** Called under the lock of the request, while something else keeps the count above zero. */
    void waitForOneMore() {
        WAITS_FOR.getAndAdd(this, 1);
    }

    /**
     * For the submitter, while it holds the locks of all segments of this task, so that no other thread has seen it:
     * lets it start if it has nothing to wait for. Plain is enough, as the locks publish it.
     *
     * @return whether the submitter has to hand this task over; else it is one thing less to wait for, later
     */
    boolean openReady() {
        boolean isReady = (int) WAITS_FOR.get(this) == 1;
        if (isReady) {
            WAITS_FOR.set(this, 0);
            setReady();
        }
        return isReady;
    }

    /**
     * One thing less to wait for.
     *
     * @return whether the caller has to hand this task over now
     */
    boolean isReadyAfterOneLess() {
        return (int) WAITS_FOR.getAndAdd(this, -1) == 1 && becomeReady();
    }

    /**
     * For the submitter, if something was thrown before it has handed this task over: takes its task back, and lets
     * leave what was entered. Those who have joined meanwhile go on.
     *
     * @param first the link with the submitter's task
     * @return false if the task was taken out by another thread, and has ended there
     */
    boolean takeBack(Link first) {
        if (!Serving.withdraw(this, first)) {
            return false;
        }
        StrandControl.endIfTakenOut(this);
        if (isReadyAfterOneLess()) {
            Serving.enter(this, READY, null, true);
        }
        return true;
    }

    // serving

    @Override
    public void run() {
        Serving.run(this);
    }

    @Override
    public boolean isPaused() {
        if (engine().isTakingBack()) {
            return true;
        }
        if (engine().isShutdown()) {
            return false;
        }
        if (engine().isPaused()) {
            return true;
        }
        for (LockQueue.Request request = requests; request != null; request = request.nextOfTask) {
            if (request.queue.group.holdsUp(request)) {
                return true;
            }
        }
        return false;
    }

    /** Runs this task, unless another thread does, on a thread that has made it ready. */
    void serve(Exit exit) {
        Serving.enter(
                this,
                READY,
                thread -> {
                    this.exit = exit;
                    return true;
                },
                false);
    }

    @Override
    public void onEnd(boolean mayStay) {
        exit.leave(this, mayStay);
    }

    @Override
    public String toString() {
        Groups groups = groups();
        return (groups == null ? "a task without groups" : "groups " + groups) + " of " + engine().describe();
    }

    // being taken out

    @Override
    public boolean mayEndWaiting() {
        LockQueue.Request request = requests;
        if (request == null) {
            return true;
        }
        ReentrantLock lock = request.queue.group.lock;
        lock.lock();
        try {
            request.isJoinable &= !hasNoTask();
            return !request.isJoinable;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void cancelFollowers() {
        super.cancelFollowers();
        Set<GroupedTask> followers = new LinkedHashSet<>();
        forEachRequest(request -> {
            for (LockQueue.Request later = request.next; later != null; later = later.next) {
                if (!later.isCompatibleWith(request)) {
                    followers.add(later.task);
                }
            }
            LockQueue countedIn = request.countedIn;
            if (countedIn != null) {
                countedIn.forEachBehindCounted(later -> followers.add(later.task));
            }
        });
        followers.forEach(GroupedTask::cancelWaiting);
    }

    private void cancelWaiting() {
        super.cancelFollowers();
        StrandControl.endIfTakenOut(this);
    }

    // limits of groups

    @Override
    public void onTaking(int tasks) {
        if (engine().limits() != null) {
            for (LockQueue.Request request = requests; request != null; request = request.nextOfTask) {
                if (request.isForGroup) {
                    request.queue.group.addQueued(-tasks);
                }
            }
        }
    }

    // observation

    /** Visits the requests, each under the lock of its segment. */
    void forEachRequest(Consumer<? super LockQueue.Request> visitor) {
        for (LockQueue.Request request = requests; request != null; request = request.nextOfTask) {
            ReentrantLock lock = request.queue.group.lock;
            lock.lock();
            try {
                visitor.accept(request);
                if (request.mirror != null) {
                    visitor.accept(request.mirror);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public Collection<GroupedTask> ahead() {
        return holdingThread() == null ? ((Owner) host()).upTo(this) : List.of(this);
    }

    @Nullable
    ParkedTask parked() {
        Groups groups = groups();
        Throwable failure = StrandControl.parkedWith(this);
        return failure == null || groups == null ? null : new ParkedTask(groups, failure);
    }

    /** Whether this task wants a group itself, and not only something below it. */
    boolean wants(Group group) {
        for (LockQueue.Request request = requests; request != null; request = request.nextOfTask) {
            if (request.queue.group == group && request.isForGroup) {
                return true;
            }
        }
        return false;
    }

    /** Whether this task has neither ended nor been taken out. */
    boolean isToCome() {
        return !head().isVacated() && !hasEnded();
    }
}
