package io.orderedexecutor.stats;

import io.orderedexecutor.ExecutorInspection;

/**
 * How many submissions were rejected since the executor was built, by reason; see
 * {@link ExecutorInspection#rejections()}.
 *
 * @param capacity the executor was full
 * @param keyCapacity a stripe or a group was full, or the window of an output
 * @param shutdown the executor was shut down or is broken, or the output was closed
 * @param noThread the executor underneath rejected the task, or no thread could be started for it
 */
public record Rejections(long capacity, long keyCapacity, long shutdown, long noThread) {

    /**
     * Returns how many submissions were rejected for any reason.
     *
     * @return the sum
     */
    public long total() {
        return capacity + keyCapacity + shutdown + noThread;
    }
}
