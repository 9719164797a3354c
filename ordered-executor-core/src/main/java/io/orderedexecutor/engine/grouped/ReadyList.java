package io.orderedexecutor.engine.grouped;

import io.orderedexecutor.engine.pool.TurnClock;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.pool.Workers;
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

    /** How often the end of a task is tried for which there is no memory. */
    private static final int MOST_TRIES = 8;

    private final Release release;

    private final Thread thread = Thread.currentThread();

    /** The task that the loop is at; it will come to what that one makes ready. Read by the own thread only. */
    private @Nullable GroupedTask serving;

    private @Nullable GroupedTask first;

    private @Nullable GroupedTask last;

    ReadyList(Release release) {
        this.release = release;
    }

    /** For the thread that has ended a task: goes on with what that makes ready. */
    static void leave(GroupedTask ended, Release release, boolean mayStay) {
        ReadyList ready = releaseAll(ended, release, null);
        if (ready != null) {
            ready.goOn(ended.workers(), mayStay, ended.length());
        }
    }

    /**
     * Takes out all requests of a task that has ended. What waits for them would wait for ever if memory ran out here,
     * so it is tried again, and goes on where it was.
     *
     * @param known the list that is told; null for a new one
     * @return the list; null if there is no memory
     */
    private static @Nullable ReadyList releaseAll(GroupedTask ended, Release release, @Nullable ReadyList known) {
        ReadyList ready = known;
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            try {
                if (ready == null) {
                    ready = new ReadyList(release);
                }
                release.release(ended, ready);
                return ready;
            } catch (Throwable noMemory) {
                UncaughtFailures.report(noMemory);
            }
        }
        return ready;
    }

    /**
     * Called by the thread that has ended a task which was started here. An asynchronous task may end later, on another
     * thread, or on the same one inside another task: what it makes ready must not wait for the end of that one.
     */
    @Override
    public void leave(GroupedTask ended, boolean mayStay) {
        if (thread == Thread.currentThread() && serving == ended) {
            releaseAll(ended, release, this);
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

    private @Nullable GroupedTask poll() {
        GroupedTask task = first;
        if (task != null) {
            first = task.nextReady;
            task.nextReady = null;
            if (first == null) {
                last = null;
            }
        }
        return task;
    }

    /**
     * Sees to all tasks that are ready.
     *
     * @param mayStay whether this thread may run tasks; else only those for which there is no other
     * @param servedBefore how many tasks of its turn this thread has run
     */
    private void goOn(Workers workers, boolean mayStay, int servedBefore) {
        if (first == null) {
            return;
        }
        TurnClock turn = new TurnClock();
        turn.served(servedBefore);
        while (first != null) {
            boolean stays = mayStay && !turn.isOver(workers);
            GroupedTask own = passOn(workers, stays);
            if (own != null) {
                serve(own);
                if (!stays) {
                    turn.begin();
                }
                turn.served(stays ? own.length() : 1);
            }
        }
    }

    private void serve(GroupedTask task) {
        serving = task;
        try {
            task.serve(this);
        } catch (Throwable failure) {
            // a strand contains what its tasks throw; if memory or stack run out on the way, the others must not be
            // lost
            UncaughtFailures.report(failure);
        } finally {
            serving = null;
        }
    }

    /**
     * Finds threads for all tasks but the first.
     *
     * @param keepsFirst whether the first one is for this thread
     * @return the one that is for this thread
     */
    private @Nullable GroupedTask passOn(Workers workers, boolean keepsFirst) {
        GroupedTask own = keepsFirst ? poll() : null;
        for (GroupedTask task = poll(); task != null; task = poll()) {
            if (!workers.passOn(task)) {
                // no other thread will: the next one is asked for when this task has ended
                if (own == null) {
                    return task;
                }
                addFirst(task);
                return own;
            }
        }
        return own;
    }

    private void addFirst(GroupedTask task) {
        task.nextReady = first;
        first = task;
        if (last == null) {
            last = task;
        }
    }
}
