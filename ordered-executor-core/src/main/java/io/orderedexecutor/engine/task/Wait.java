package io.orderedexecutor.engine.task;

import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.engine.pool.ServesTasks;
import io.orderedexecutor.stats.Explanation;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A thread that waits for the future of a task. Seen together, waits tell who waits for whom: a thread for a future,
 * the future for the thread that serves its strand, that one for another future. A way that comes back to its start
 * would never end.
 *
 * <p>Only threads that serve a strand, or have reserved a place in one, can be awaited. So the wait of a thread that
 * serves none, as its stack tells, and has none reserved is part of no cycle: it is not registered, and looks for
 * nothing.
 *
 * <p>Any other wait is registered before it looks for such a cycle. So of several that close a cycle at the same time,
 * at least the last to register sees all of it.
 *
 * <p>A cycle is reported only if it exists at one moment: after it is found, each of its strands must still be held by
 * the same thread, and then each of its waits must still be the same one. A thread that has been in one wait all along
 * cannot have left the strand that it holds, nor used a place that it has reserved, so all the edges were there when
 * the second look began, unless another thread was about to use or give back such a place. Waits with a time limit end
 * by themselves and are no part of another's cycle.
 */
public final class Wait {

    /** The waits of this moment; empty while nobody waits, whatever the number of executors. */
    private static final Map<ThreadKey, Wait> CURRENT = new ConcurrentHashMap<>();

    private final ThreadKey waiting = ThreadKey.current();
    private final Awaited future;
    private final boolean limited;

    /** The wait in which this thread was already, if a wait makes it help out with other work. */
    private @Nullable Wait outer;

    private Wait(Awaited future, boolean limited) {
        this.future = future;
        this.limited = limited;
    }

    /**
     * Notes that this thread is going to wait for a future.
     *
     * @param limited whether it waits for a limited time
     * @return to be given to {@link #end(Wait)} by the same thread
     * @throws SelfWaitException if it would wait for itself
     */
    public static @Nullable Wait begin(Awaited future, boolean limited) {
        if (!ReservedPlaces.areOfThisThread() && !ServesTasks.isOnThisStack()) {
            return null;
        }
        Wait wait = new Wait(future, limited);
        wait.outer = CURRENT.put(wait.waiting, wait);
        List<Wait> cycle = List.of(wait);
        try {
            cycle = wait.findCycle();
        } finally {
            // before anything of the application's is asked for its name; and if there is no memory to look
            if (!cycle.isEmpty()) {
                wait.end();
            }
        }
        if (!cycle.isEmpty()) {
            throw new SelfWaitException(describe(cycle) + explain(future));
        }
        return wait;
    }

    public static void end(@Nullable Wait wait) {
        if (wait != null) {
            wait.end();
        }
    }

    private void end() {
        if (outer == null) {
            CURRENT.remove(waiting);
        } else {
            CURRENT.put(waiting, outer);
        }
    }

    /** What a thread waits for, if it serves a strand; null if it does not wait for the future of a task. */
    static @Nullable Awaited of(Thread thread) {
        Wait wait = CURRENT.get(new ThreadKey(thread));
        return wait == null ? null : wait.future;
    }

    /** The waits from this one on that lead back to this thread; empty if they do not. */
    private List<Wait> findCycle() {
        Map<Wait, Wait> cameFrom = new HashMap<>();
        Deque<Wait> open = new ArrayDeque<>(List.of(this));
        while (!open.isEmpty()) {
            Wait wait = open.remove();
            for (Thread awaited : wait.future.awaitedThreads()) {
                if (awaited == waiting.thread()) {
                    List<Wait> way = wayTo(wait, cameFrom);
                    return isStill(way) ? way : List.of();
                }
                Wait next = CURRENT.get(new ThreadKey(awaited));
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
            if (!cycle.get(i).future.awaitedThreads().contains(next.waiting.thread())) {
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
        for (int i = 0; i < cycle.size(); i++) {
            Wait wait = cycle.get(i);
            Wait next = cycle.get((i + 1) % cycle.size());
            message.append(i == 0 ? " thread " : "; thread ")
                    .append(describe(wait.waiting.thread()))
                    .append(" waits for ")
                    .append(wait.future.describe());
            if (wait.future.isBehindPlaceOf(next.waiting.thread())) {
                isReserved = true;
                message.append(", which is behind a place that is reserved by thread ");
            } else {
                message.append(", which is served by thread ");
            }
            message.append(describe(next.waiting.thread()));
        }
        if (isReserved) {
            message.append(". Use or close a reservation before you wait for a task behind it");
        }
        return message.append(". Do not wait inside a task: let it end, and go on in a dependent action (thenApply, ")
                .append("thenCompose), or let it be asynchronous and return the stage")
                .toString();
    }

    /** What the tasks are, of which the cycle tells the threads and strands. */
    private static String explain(Awaited future) {
        Explanation explanation = Reasons.of(future, false);
        return explanation == null ? "" : ". Explanation: " + explanation;
    }

    /** A virtual thread has no name unless somebody gave it one. */
    private static String describe(Thread thread) {
        String name = thread.getName();
        return name.isEmpty() ? thread.toString() : name;
    }
}
