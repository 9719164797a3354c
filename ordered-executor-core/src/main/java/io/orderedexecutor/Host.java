package io.orderedexecutor;

import org.jspecify.annotations.Nullable;

/** What chains belong to, live by and report to. Called by any thread, with no lock held. */
interface Host {

    /** Where chains find a thread. */
    Workers workers();

    /** Who wants to hear of tasks; null if nobody does, and then nobody has to know the time. */
    @Nullable
    TaskEvents events();

    /** What to do when a task fails. */
    FailurePolicy failurePolicy();

    /** Calls back for the next attempt. */
    Timer timer();

    /** Whether nobody can be expected to decide on a parked chain. */
    boolean isShutdown();

    /** Whether a shutdown is interrupting the running tasks. */
    boolean isStopping();

    /** Called by whoever has taken a task from its link. */
    void onTaken();

    /** Called when a task that was taken is put back. */
    void onPutBack();

    /** Called by whoever has taken a task and ended it. */
    void onTaskEnd(TaskEnd end);

    /** Called by a submitter that takes its task back, since no thread was found for it. */
    void onRejected();
}
