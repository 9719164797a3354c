package io.orderedexecutor;

import org.jspecify.annotations.Nullable;

/**
 * What chains belong to, live by and report to. Called by any thread, with no lock held. Where only threads are needed,
 * the rest is what is said here: no bounds, no figures, no listener and no lifecycle.
 */
interface Host {

    /** Where chains find a thread. */
    Workers workers();

    /** Who wants to hear of tasks; null if nobody does, and then nobody has to know the time. */
    @Nullable
    default TaskEvents events() {
        return null;
    }

    /** What to do when a task fails. */
    default FailurePolicy failurePolicy() {
        return FailurePolicy.proceed();
    }

    /** The clock and the timers. */
    default Platform platform() {
        return workers().platform();
    }

    /** Whether nobody can be expected to decide on a parked chain. */
    default boolean isShutdown() {
        return false;
    }

    /** Whether a shutdown is interrupting the running tasks. */
    default boolean isStopping() {
        return false;
    }

    /** Called by whoever has taken a task from its link. */
    default void onTaken(Strand from) {}

    /** Called when a task that was taken is put back. */
    default void onPutBack() {}

    /** Called by whoever has taken a task and ended it. */
    default void onTaskEnd(TaskEnd end) {}

    /** Called by a submitter that takes its task back, since no thread was found for it. */
    default void onRejected() {}
}
