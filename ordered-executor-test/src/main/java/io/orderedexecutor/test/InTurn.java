package io.orderedexecutor.test;

import io.orderedexecutor.Groups;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An assertion for methods that rely on being run by an ordered executor, as a task of the key that they touch. The
 * assertion fails for a call that bypasses the executor, for instance {@code this.method()} past a Spring proxy.
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

    /** The task that the current thread runs, if its executor was built after {@link TakeOver#begin}. */
    private static final ThreadLocal<@Nullable Turn> CURRENT = new ThreadLocal<>();

    private InTurn() {}

    static void started(String executor, @Nullable Object key, Object task) {
        CURRENT.set(new Turn(executor, key, task));
    }

    /**
     * Records the end of a task. Does nothing if the current thread runs another task, which may complete the stage of
     * the ended task.
     */
    static void ended(Object task) {
        Turn turn = CURRENT.get();
        if (turn != null && turn.task() == task) {
            CURRENT.remove();
        }
    }

    /**
     * Runs work that may begin and end other tasks, and then restores the current task: executors may run tasks on the
     * calling thread.
     */
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
     * @throws AssertionError if the thread runs no task, or a task of another key
     */
    public static void assertInTurn(Object key) {
        Object own = keyOf(Objects.requireNonNull(key, "key"));
        Turn turn = CURRENT.get();
        if (turn == null) {
            throw new AssertionError("Not in turn for " + key + ": thread '"
                    + Thread.currentThread().getName()
                    + "' runs no task of an ordered executor here. The method was called directly, past the executor or"
                    + " the proxy of its bean, or its executor was built before the test kit was in use");
        }
        if (!own.equals(turn.key()) && !(turn.key() instanceof Groups groups && groups.touch(own))) {
            throw new AssertionError("Not in turn for " + key + ": thread '"
                    + Thread.currentThread().getName() + "' runs a task of " + turn.key() + " in executor '"
                    + turn.executor() + "'");
        }
    }

    /** The key as listeners get it: {@link Groups} of one key are that key. */
    static Object keyOf(Object key) {
        Object only = key instanceof Groups groups ? groups.onlyKey() : null;
        return only == null ? key : only;
    }
}
