package io.orderedexecutor.engine.task;

import io.orderedexecutor.engine.pool.UncaughtFailures;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Completions of futures that cause each other on one thread. Each is nested in the one before, up to a limit; deeper
 * ones run after the outermost one. So a thread that completes the first future of a long chain, in which each waits
 * for the one before, completes all of them without a stack overflow.
 *
 * <p>Used by one thread.
 */
public final class NestedCompletions {

    /** Some completions wait for another one that they cause, so that one must be nested. This depth is enough. */
    private static final int DEEPEST = 64;

    private static final ThreadLocal<@Nullable NestedCompletions> CURRENT = new ThreadLocal<>();

    /** Completions beyond the limit. */
    private final Deque<Runnable> later = new ArrayDeque<>(0);

    private int depth;

    private NestedCompletions() {}

    /** Runs a completion now, or before the outermost call on this thread returns. The completion should not throw. */
    public static void run(Runnable completion) {
        NestedCompletions current = CURRENT.get();
        if (current == null) {
            NestedCompletions outermost = new NestedCompletions();
            CURRENT.set(outermost);
            try {
                for (Runnable next = completion; next != null; next = outermost.later.poll()) {
                    runContained(next);
                }
            } finally {
                CURRENT.remove();
            }
        } else if (current.depth < DEEPEST) {
            current.depth++;
            try {
                completion.run();
            } finally {
                current.depth--;
            }
        } else {
            current.later.add(completion);
        }
    }

    private static void runContained(Runnable completion) {
        try {
            completion.run();
        } catch (Throwable failure) {
            // report the failure here: the CompletionStage whose callback this is would swallow it
            UncaughtFailures.report(failure);
        }
    }
}
