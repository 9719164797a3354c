package io.orderedexecutor.engine.task;

import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.engine.task.Reasons.HeldUp;
import io.orderedexecutor.stats.Explanation;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A thread that waits for the future of a task. Together, the waits form a graph: a thread waits for a future, the
 * future for the thread that runs its task or a task before that, this thread for another future. The waits of a cycle
 * would never end.
 *
 * <p>Only threads that are inside a task, or have reserved a place, can be awaited. So the wait of any other thread is
 * part of no cycle; it is not registered, and there is no search.
 *
 * <p>A wait is registered before its search for a cycle. So if several waits close a cycle at the same time, at least
 * the last to register finds it.
 *
 * <p>A cycle is reported only if it exists at one moment. After the search, each of its tasks must still be held up by
 * the same thread, and then each of its waits must still be the same object. A thread that has been in one wait all the
 * time cannot have left the task that it is in, nor used a place that it has reserved. So the whole cycle existed when
 * the second look began, unless another thread was about to use or give back such a place. A wait with a time limit
 * ends by itself, and so is part of no cycle but its own.
 *
 * <p>Threads that wait for room are listed here, too, for explanations of what holds up a task.
 */
public final class Wait {
    /** The package of the classes that run tasks. */
    private static final String RUNS_TASKS = "io.orderedexecutor.engine.run.";

    /** The registered waits of all executors. */
    private static final Map<Thread, Wait> CURRENT = new ConcurrentHashMap<>();

    /** The submissions with which threads wait for room, in all executors. */
    private static final Map<Thread, HeldUp> SUBMISSIONS = new ConcurrentHashMap<>();

    private final Thread waiting = Thread.currentThread();
    private final TaskFuture<?> future;
    private final boolean limited;

    /** The wait that this thread was in already, or null: while a thread of a pool waits, it may run other work. */
    private final @Nullable Wait outer = CURRENT.get(waiting);

    private Wait(TaskFuture<?> future, boolean limited) {
        this.future = future;
        this.limited = limited;
    }

    // for room

    /**
     * Called by a thread that is about to wait for room for its submission.
     *
     * @return the submission with which the thread waited already, for {@link #endForRoom}: while a thread of a pool
     *     waits, it may run other work
     */
    public static @Nullable HeldUp beginForRoom(HeldUp submission) {
        return SUBMISSIONS.put(Thread.currentThread(), submission);
    }

    public static void endForRoom(@Nullable HeldUp before) {
        if (before == null) {
            SUBMISSIONS.remove(Thread.currentThread());
        } else {
            SUBMISSIONS.put(Thread.currentThread(), before);
        }
    }

    static @Nullable HeldUp submissionOf(Thread thread) {
        return SUBMISSIONS.get(thread);
    }

    // for a future

    /**
     * Called by a thread that is about to wait for a future.
     *
     * @param limited whether the wait has a time limit
     * @return the registered wait, for {@link #end(Wait)}; null if it is not registered
     * @throws SelfWaitException if the thread would wait for itself
     */
    public static @Nullable Wait begin(TaskFuture<?> future, boolean limited) {
        TaskPlace place = future.place();
        if (place != null) {
            Completion.followAll(place.executor());
            TaskFuture<?> ahead = Completion.pending(place.executor(), future::isBehind);
            if (ahead != null) {
                throw new SelfWaitException("this thread would wait for itself: it is in a dependent action of a future"
                        + " that it has completed, and waits for " + future.describe() + ", which is behind "
                        + ahead.describe() + ": that ends after the action. Go on in a dependent action of the other"
                        + " future (thenCompose), or wait on another thread (thenApplyAsync)");
            }
        }
        if (!ReservedPlaces.areOfThisThread() && !mayBeInsideTask()) {
            return null;
        }
        Wait wait = new Wait(future, limited);
        CURRENT.put(wait.waiting, wait);
        List<Wait> cycle = List.of(wait);
        try {
            cycle = wait.findCycle();
        } finally {
            // before toString of the application's objects is called
            if (!cycle.isEmpty()) {
                end(wait);
            }
        }
        if (!cycle.isEmpty()) {
            throw new SelfWaitException(describe(cycle) + explain(future));
        }
        return wait;
    }

    public static void end(@Nullable Wait wait) {
        if (wait == null) {
            return;
        }
        if (wait.outer == null) {
            CURRENT.remove(wait.waiting);
        } else {
            CURRENT.put(wait.waiting, wait.outer);
        }
    }

    /**
     * Called by a thread that is about to wait until one of several futures has ended.
     *
     * @param limited whether the wait has a time limit
     * @throws SelfWaitException if the thread would wait for itself with each of the futures
     */
    public static void requireOneToEnd(List<? extends Future<?>> futures, boolean limited) {
        SelfWaitException inVain = null;
        for (Future<?> future : futures) {
            if (future.isDone()) {
                return;
            }
            try {
                end(begin((TaskFuture<?>) future, limited));
                return;
            } catch (SelfWaitException waitsForThis) {
                inVain = waitsForThis;
            }
        }
        if (inVain != null) {
            throw inVain;
        }
    }

    /** Whether the calling thread may be inside a task of any executor; false only if it is not. */
    private static boolean mayBeInsideTask() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().startsWith(RUNS_TASKS)));
    }

    /** The future for which a thread waits; null if there is none, or the wait is not registered. */
    static @Nullable TaskFuture<?> futureOf(Thread thread) {
        Wait wait = CURRENT.get(thread);
        return wait == null ? null : wait.future;
    }

    /** The waits from this one that lead back to this thread; empty if there is no cycle. */
    private List<Wait> findCycle() {
        Map<Wait, Wait> cameFrom = new HashMap<>();
        Deque<Wait> open = new ArrayDeque<>(List.of(this));
        while (!open.isEmpty()) {
            Wait wait = open.remove();
            for (Thread awaited : wait.future.awaitedThreads()) {
                if (awaited == waiting) {
                    List<Wait> way = wayTo(wait, cameFrom);
                    return isStill(way) ? way : List.of();
                }
                Wait next = CURRENT.get(awaited);
                if (next != null && !next.limited && cameFrom.putIfAbsent(next, wait) == null) {
                    open.add(next);
                }
            }
        }
        return List.of();
    }

    private List<Wait> wayTo(Wait last, Map<Wait, Wait> cameFrom) {
        Deque<Wait> way = new ArrayDeque<>();
        for (Wait wait = last; wait != null; wait = wait == this ? null : cameFrom.get(wait)) {
            way.addFirst(wait);
        }
        return List.copyOf(way);
    }

    private static boolean isStill(List<Wait> cycle) {
        for (int i = 0; i < cycle.size(); i++) {
            Wait next = cycle.get((i + 1) % cycle.size());
            if (!cycle.get(i).future.awaitedThreads().contains(next.waiting)) {
                return false;
            }
        }
        for (Wait wait : cycle) {
            if (CURRENT.get(wait.waiting) != wait || wait.future.isDone()) {
                return false;
            }
        }
        return true;
    }

    private static String describe(List<Wait> cycle) {
        StringBuilder message = new StringBuilder("this thread would wait for itself:");
        boolean isReserved = false;
        boolean isServed = false;
        for (int i = 0; i < cycle.size(); i++) {
            Wait wait = cycle.get(i);
            Wait next = cycle.get((i + 1) % cycle.size());
            message.append(i == 0 ? " thread " : "; thread ")
                    .append(describe(wait.waiting))
                    .append(" waits for ")
                    .append(wait.future.describe());
            if (wait.future.isBehindPlaceOf(next.waiting)) {
                isReserved = true;
                message.append(", which is behind a place that is reserved by thread ");
            } else {
                isServed = true;
                message.append(", which is served by thread ");
            }
            message.append(describe(next.waiting));
        }
        if (isReserved) {
            message.append(". Use or close a reservation before you wait for a task behind it");
        }
        if (isServed) {
            message.append(". Do not wait inside a task: let it end, and go on in a dependent action (thenApply, ")
                    .append("thenCompose), or let it be asynchronous and return the stage");
        }
        return message.toString();
    }

    /** Returns the explanation of the wait for a future, to be appended to the message; empty if there is none. */
    private static String explain(TaskFuture<?> future) {
        Explanation explanation = Reasons.of(future, false);
        return explanation == null ? "" : ". Explanation: " + explanation;
    }

    /** The name of a thread; its toString if it is a virtual thread without a name. */
    private static String describe(Thread thread) {
        String name = thread.getName();
        return name.isEmpty() ? thread.toString() : name;
    }
}
