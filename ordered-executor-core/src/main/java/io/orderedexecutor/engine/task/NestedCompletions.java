package io.orderedexecutor.engine.task;

import io.orderedexecutor.engine.pool.UncaughtFailures;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Completions of futures that cause each other on one thread. Each is nested in the one before, up to a limit; those
 * beyond it run when the outermost one is over. So a thread that completes the first of a long row of futures, each of
 * which waits for the one before, completes them all and does not run out of stack.
 *
 * <p>Used by one thread.
 */
public final class NestedCompletions {

    /** Deep enough for what is nested by intention: someone may wait for such a one within the other. */
    private static final int DEEPEST = 64;

    private static final ThreadLocal<@Nullable NestedCompletions> CURRENT = new ThreadLocal<>();

    /** Those beyond the limit; null until there is one, which is rare. */
    private @Nullable Deque<Runnable> later;

    private int depth;

    private NestedCompletions() {}

    /** Runs a completion now, or before the outermost one of this thread returns. It must contain what it throws. */
    public static void run(Runnable completion) {
        NestedCompletions current = CURRENT.get();
        if (current == null) {
            NestedCompletions outermost = new NestedCompletions();
            try {
                CURRENT.set(outermost);
                outermost.runAll(completion);
            } finally {
                CURRENT.remove();
            }
        } else if (current.depth < DEEPEST) {
            current.runNested(completion);
        } else {
            current.postpone(completion);
        }
    }

    private void postpone(Runnable completion) {
        if (later == null) {
            later = new ArrayDeque<>();
        }
        later.add(completion);
    }

    private void runNested(Runnable completion) {
        depth++;
        try {
            completion.run();
        } finally {
            depth--;
        }
    }

    private void runAll(Runnable first) {
        for (Runnable next = first; next != null; next = later == null ? null : later.poll()) {
            try {
                runNested(next);
            } catch (Throwable failure) {
                // no stack, or no memory: the others must not be lost
                UncaughtFailures.report(failure);
            }
        }
    }
}
