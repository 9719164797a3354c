package io.orderedexecutor.engine.pool;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Makes the threads of an executor. They are not daemons, since the JVM must not exit in the middle of accepted work.
 * They have the context class loader and the group of the thread that made this factory, which for workers and helpers
 * is the one that built the executor. They inherit nothing from the submitter that happens to start them.
 */
public final class WorkerThreadFactory implements ThreadFactory {
    private final String name;
    private final @Nullable ClassLoader contextClassLoader =
            Thread.currentThread().getContextClassLoader();
    private final @Nullable ThreadGroup group = Thread.currentThread().getThreadGroup();
    private final AtomicInteger started = new AtomicInteger();

    WorkerThreadFactory(String name) {
        this.name = name;
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // only to undo an inherited priority
    public Thread newThread(Runnable worker) {
        Thread thread = new Thread(group, worker, name + "-" + started.incrementAndGet(), 0, false);
        thread.setContextClassLoader(contextClassLoader);
        thread.setDaemon(false);
        thread.setPriority(Thread.NORM_PRIORITY);
        return thread;
    }
}
