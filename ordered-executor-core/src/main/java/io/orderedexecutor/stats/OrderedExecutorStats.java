package io.orderedexecutor.stats;

/** The statistics that all ordered executors have. */
public sealed interface OrderedExecutorStats
        permits StripedExecutorStats, GroupedExecutorStats, OrderedOutputExecutorStats {

    /**
     * Returns how many tasks are accepted and not started.
     *
     * @return the number of queued tasks
     */
    long queued();

    /**
     * Returns how many tasks are running, or are asynchronous and not complete.
     *
     * @return the number of active tasks
     */
    long active();

    /**
     * Returns how many tasks have ended normally.
     *
     * @return the number of completed tasks since the executor was built
     */
    long completed();

    /**
     * Returns how many tasks have ended with an exception or an error.
     *
     * @return the number of failed tasks since the executor was built
     */
    long failed();

    /**
     * Returns how many accepted tasks were cancelled before they started, or, if asynchronous, before their stage was
     * complete.
     *
     * @return the number of cancelled tasks since the executor was built
     */
    long cancelled();

    /**
     * Returns how many submissions were rejected: because there was no room, the executor was shut down, or no thread
     * could be had.
     *
     * @return the number of rejected submissions since the executor was built
     */
    long rejected();
}
