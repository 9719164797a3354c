package io.orderedexecutor.engine.pool;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Makes the threads of an executor. They are no daemons, since the JVM must not exit in the middle of accepted work.
 * All are alike, and like those of the one who built the executor: nothing of whoever happens to submit first, and so
 * makes the thread start, is passed on to it.
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

    /**
     * Makes a thread. Before JDK 24, each keeps the access-control context of the one who makes it, and with that the
     * class loaders of all code on the stack. To make it in a privileged action leaves out who submits.
     */
    @Override
    @SuppressWarnings("removal") // it has no effect where there are no such contexts
    public Thread newThread(Runnable worker) {
        return AccessController.doPrivileged((PrivilegedAction<Thread>) () -> make(worker));
    }

    @SuppressWarnings("ThreadPriorityCheck") // nothing relies on it: it is that of other threads
    private Thread make(Runnable worker) {
        Thread thread = new Thread(group, worker, name + "-" + started.incrementAndGet(), 0, false);
        thread.setContextClassLoader(contextClassLoader);
        thread.setDaemon(false);
        thread.setPriority(Thread.NORM_PRIORITY);
        return thread;
    }
}
