package io.orderedexecutor.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** How much the threads of this JVM allocate. */
final class AllocationMeter {
    private static final int TASKS = 1_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Allocated by all threads that are alive, each since its start. */
    long allocated() {
        long sum = 0;
        for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
            sum += Math.max(bytes, 0);
        }
        return sum;
    }

    /** The size of one task. */
    double taskBytes() {
        Lane lane = new Lane.Ordered(new Ledger(), 0);
        Task[] tasks = new Task[TASKS];
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < TASKS; i++) {
            tasks[i] = new Task(lane, i, i);
        }
        return (double) (threads.getCurrentThreadAllocatedBytes() - before) / tasks.length;
    }
}
