package io.orderedexecutor;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Makes the threads of an executor. They are no daemons, since the JVM must not exit in the middle of accepted work,
 * and all have the class loader of the one who built the executor rather than that of whoever happens to submit first.
 */
final class WorkerThreadFactory implements ThreadFactory {
    private final String name;
    private final @Nullable ClassLoader contextClassLoader =
            Thread.currentThread().getContextClassLoader();
    private final AtomicInteger started = new AtomicInteger();

    WorkerThreadFactory(String name) {
        this.name = name;
    }

    @Override
    public Thread newThread(Runnable worker) {
        Thread thread = new Thread(null, worker, name + "-" + started.incrementAndGet(), 0, false);
        thread.setContextClassLoader(contextClassLoader);
        thread.setDaemon(false);
        return thread;
    }
}
