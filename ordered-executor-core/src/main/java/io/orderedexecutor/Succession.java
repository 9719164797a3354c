package io.orderedexecutor;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that a thread makes ready by ending others. It goes on with the first of them, within its turn, and finds
 * other threads for the rest. One loop goes along all of them, however long they have waited for each other, and not
 * one call within the other.
 *
 * <p>Used by one thread.
 */
final class Succession implements Consumer<Place> {
    private final Thread thread = Thread.currentThread();

    /** The task that the loop is at; it will come to what that one makes ready. Read by the own thread only. */
    private @Nullable GroupedTask serving;

    private @Nullable GroupedTask first;

    private @Nullable GroupedTask last;

    /**
     * Whether what a task makes ready by its end can be added here. An asynchronous task that was started here may end
     * later on the same thread, inside another task; what it makes ready must not wait for the end of that one.
     */
    boolean isServing(GroupedTask task) {
        return thread == Thread.currentThread() && serving == task;
    }

    /** A place is open, so its task has one thing less to wait for. */
    @Override
    public void accept(Place opened) {
        if (opened.task.isReadyAfterOneLess()) {
            add(opened.task);
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
    void goOn(Workers workers, boolean mayStay, int servedBefore) {
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
            task.serveIn(this);
        } catch (Throwable failure) {
            // a chain contains what tasks throw; if memory or stack run out on the way, the others must not be lost
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
