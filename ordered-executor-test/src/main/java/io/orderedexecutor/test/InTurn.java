package io.orderedexecutor.test;

import io.orderedexecutor.Groups;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * For the bodies of methods that rely on their turn: that they are run by an ordered executor, as a task of the key
 * that they touch. A call that does not go through the executor fails, one of {@code this.method()} past a Spring proxy
 * for instance.
 *
 * <pre>{@code
 * @OrderedAsync(stripe = "#account")
 * public void book(String account, long amount) {
 *     assertInTurn(account); // in a subclass or double that only the test uses
 *     ...
 * }
 * }</pre>
 */
public final class InTurn {

    private record Turn(String executor, @Nullable Object key, Object task) {}

    /** The task that this thread runs, of an executor that was built while the kit was in use. */
    private static final ThreadLocal<@Nullable Turn> CURRENT = new ThreadLocal<>();

    private InTurn() {}

    static void started(String executor, @Nullable Object key, Object task) {
        CURRENT.set(new Turn(executor, key, task));
    }

    /** The end of a task; told by a thread that may run another one, if the stage of an asynchronous task completes. */
    static void ended(Object task) {
        Turn turn = CURRENT.get();
        if (turn != null && turn.task() == task) {
            CURRENT.remove();
        }
    }

    /** Runs what may begin other turns, perhaps in the middle of one: executors may run tasks on the calling thread. */
    static void aside(Runnable work) {
        Turn outer = CURRENT.get();
        try {
            work.run();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    /**
     * Fails unless the current thread runs a task of this key.
     *
     * @param key a stripe, or a group that the task has
     * @throws AssertionError if it runs none, or one of another key
     */
    public static void assertInTurn(Object key) {
        Objects.requireNonNull(key, "key");
        Turn turn = CURRENT.get();
        if (turn == null) {
            throw new AssertionError("Not in turn for " + key + ": thread '"
                    + Thread.currentThread().getName()
                    + "' runs no task of an ordered executor here. The method was called directly, past the executor or"
                    + " the proxy of its bean, or its executor was built before the test kit was in use");
        }
        if (!key.equals(turn.key()) && !(turn.key() instanceof Groups groups && groups.touch(key))) {
            throw new AssertionError("Not in turn for " + key + ": thread '"
                    + Thread.currentThread().getName() + "' runs a task of " + turn.key() + " in executor '"
                    + turn.executor() + "'");
        }
    }
}
