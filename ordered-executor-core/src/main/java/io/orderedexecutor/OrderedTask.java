package io.orderedexecutor;

import org.jspecify.annotations.Nullable;

/**
 * A task of a {@link GroupedExecutor} that decides itself with which other tasks it may run concurrently. Two such
 * tasks run at the same time only if <em>both</em> say that they are compatible; otherwise they run one after the
 * other, in the order of their submission.
 *
 * <p>The idea is that of the grouped thread pool of Attila-Mihaly Balazs.
 */
public interface OrderedTask extends Runnable {

    /**
     * Returns whether this task may run at the same time as another one. Called on the thread that submits the later
     * one of the two, with no lock held, while both are accepted and neither has ended. A result that is returned after
     * the other task has ended has no effect. The method should be fast, and its result must not change.
     *
     * <p>If it throws, the two tasks count as incompatible, and the uncaught exception handler of the thread gets the
     * exception.
     *
     * @param that another task of the same executor, as the object that was submitted
     * @return true if this task may run concurrently with {@code that}
     */
    boolean isCompatible(OrderedTask that);

    /**
     * Returns the compatibility class of this task, so that not every task is compared with every other. Tasks of
     * different classes are compatible without a comparison. A task without a class is compared with all tasks. Called
     * once, on the submitting thread.
     *
     * @return the class, which is compared by {@code equals}; null, which is the default, if this task may conflict
     *     with any other
     */
    default @Nullable Object compatibilityClass() {
        return null;
    }
}
