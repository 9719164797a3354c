package io.orderedexecutor.engine.grouped;

import io.orderedexecutor.engine.pool.StackRoom;
import io.orderedexecutor.engine.pool.TurnClock;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.strand.Host;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that a thread makes ready by ending others. It goes on with the first of them, within its turn, and finds
 * other threads for the rest. One loop goes along all of them, however long they have waited for each other, and not
 * one call within the other.
 *
 * <p>Used by one thread.
 */
final class ReadyList implements Consumer<LockQueue.Request>, GroupedTask.Exit {

    /** Takes the requests of a task that has ended out of their queues, and tells a list what that makes ready. */
    interface Release {
        void release(GroupedTask ended, ReadyList ready);
    }

    private final Release release;
    private final Host host;

    private final Thread thread = Thread.currentThread();

    /** The task that the loop is at; it will come to what that one makes ready. Read by the own thread only. */
    private @Nullable GroupedTask serving;

    private @Nullable GroupedTask first;

    private @Nullable GroupedTask last;

    ReadyList(Release release, Host host) {
        this.release = release;
        this.host = host;
    }

    /**
     * For the thread that has ended a task: goes on with what that makes ready. If it throws, it may be called again,
     * and what it has made ready before is marked as unattended.
     */
    static void leave(GroupedTask ended, Release release, boolean mayStay) {
        if (!mayStay || ended.workers().threads() == Workers.UNKNOWN) {
            // this may be deep inside other code: between a request that leaves and what it grants no call may fail
            StackRoom.require();
        }
        ReadyList ready = new ReadyList(release, ended.host());
        try {
            release.release(ended, ready);
            ready.goOn(mayStay, ended.length());
        } catch (Throwable noMemory) {
            // writes and no calls, as there may be no stack for any
            for (GroupedTask task = ready.first; task != null; task = task.nextReady) {
                task.unattended = true;
            }
            ready.host.hasUnattended = true;
            throw noMemory;
        }
    }

    /**
     * Called by the thread that has ended a task which was started here. An asynchronous task may end later, on another
     * thread, or on the same one inside another task: what it makes ready must not wait for the end of that one.
     */
    @Override
    public void leave(GroupedTask ended, boolean mayStay) {
        if (thread == Thread.currentThread() && serving == ended) {
            release.release(ended, this);
        } else {
            leave(ended, release, mayStay);
        }
    }

    /** A request is granted, so its task has one thing less to wait for. */
    @Override
    public void accept(LockQueue.Request granted) {
        if (granted.task.isReadyAfterOneLess()) {
            add(granted.task);
        }
    }

    void add(GroupedTask ready) {
        GroupedTask behind = last;
        if (behind == null) {
            first = ready;
        } else {
            behind.nextReady = ready;
        }
        last = ready;
    }

    /** The task behind another one; the first if that is null. */
    private @Nullable GroupedTask behind(@Nullable GroupedTask task) {
        return task == null ? first : task.nextReady;
    }

    /** Removes a task that is behind another one, or is the first if that is null. */
    private void removeBehind(@Nullable GroupedTask before, GroupedTask task) {
        GroupedTask after = task.nextReady;
        task.nextReady = null;
        if (before == null) {
            first = after;
        } else {
            before.nextReady = after;
        }
        if (after == null) {
            last = before;
        }
    }

    /**
     * Sees to all tasks that are ready. Each is in the list until it is seen to.
     *
     * @param mayStay whether this thread may run tasks; else only those for which there is no other
     * @param servedBefore how many tasks of its turn this thread has run
     */
    private void goOn(boolean mayStay, int servedBefore) {
        if (first == null) {
            return;
        }
        Workers workers = host.workers();
        TurnClock turn = new TurnClock();
        turn.served(servedBefore);
        while (first != null) {
            GroupedTask kept = mayStay && !turn.isOver(workers) ? first : null;
            passOnAllBut(kept, workers);
            // else there was a thread for each
            GroupedTask own = first;
            if (own != null) {
                serve(own);
                removeBehind(null, own);
                if (kept == null) {
                    turn.begin();
                }
                turn.served(kept == null ? 1 : own.length());
            }
        }
    }

    private void serve(GroupedTask task) {
        serving = task;
        try {
            task.serve(this);
        } catch (Throwable failure) {
            // a strand contains what its tasks throw; if memory or stack run out on the way, neither this task nor the
            // others must be lost
            task.unattended = true;
            host.hasUnattended = true;
            UncaughtFailures.report(failure);
        } finally {
            serving = null;
        }
    }

    /** Finds threads for the tasks other than {@code kept}, which is the first, until there is none for one. */
    private void passOnAllBut(@Nullable GroupedTask kept, Workers workers) {
        for (GroupedTask task = behind(kept); task != null && workers.passOn(task); task = behind(kept)) {
            removeBehind(kept, task);
        }
    }
}
