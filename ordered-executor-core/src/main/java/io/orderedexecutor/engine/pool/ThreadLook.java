package io.orderedexecutor.engine.pool;

import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import org.jspecify.annotations.Nullable;

/**
 * What a thread does at one moment: the line of the application, and the lock that it waits for. Available only for
 * platform threads, and only with the JDK's module java.management, which this library does not require.
 */
public final class ThreadLook {
    private static final int DEPTH = 256;

    /** The packages of code that an application calls, as opposed to its own code. */
    private static final String[] FOREIGN = {"java.", "javax.", "jdk.", "sun.", "io.orderedexecutor.engine."};

    private static final String API = "io.orderedexecutor.";

    private final ThreadInfo info;

    private ThreadLook(ThreadInfo info) {
        this.info = info;
    }

    /** Looks at a thread; null if nothing is known of it: it has ended, is virtual, or the module is missing. */
    public static @Nullable ThreadLook at(Thread thread) {
        try {
            ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(idOf(thread), DEPTH);
            return info == null ? null : new ThreadLook(info);
        } catch (NoClassDefFoundError | SecurityException missing) {
            return null;
        }
    }

    @SuppressWarnings("deprecation") // threadId() is of Java 19
    private static long idOf(Thread thread) {
        return thread.getId();
    }

    /** The line of the application that the thread runs, or has called other code from; null if there is none. */
    public @Nullable StackTraceElement lineOfApplication() {
        for (StackTraceElement frame : info.getStackTrace()) {
            if (!isForeign(frame.getClassName())) {
                return frame;
            }
        }
        return null;
    }

    private static boolean isForeign(String className) {
        for (String prefix : FOREIGN) {
            if (className.startsWith(prefix)) {
                return true;
            }
        }
        // our public API itself, but not code of an application in a package below
        return className.startsWith(API) && className.indexOf('.', API.length()) < 0;
    }

    /** The lock or other object that the thread waits for; null if it waits for none, or if the object is not known. */
    public @Nullable String lock() {
        LockInfo lock = info.getLockInfo();
        return lock == null ? null : lock.toString();
    }

    /** The name of the thread that owns the lock; null if no thread owns it. */
    public @Nullable String ownerName() {
        return info.getLockOwnerName();
    }

    /** The thread that owns the lock; null if no thread owns it, or if the owner has ended. */
    public @Nullable Thread owner() {
        long id = info.getLockOwnerId();
        if (id < 0) {
            return null;
        }
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root != null && root.getParent() != null) {
            root = root.getParent();
        }
        if (root == null) {
            return null;
        }
        // room for twice as many, since some may be started meanwhile
        Thread[] threads = new Thread[2 * root.activeCount() + 16];
        int count = root.enumerate(threads);
        for (int i = 0; i < count; i++) {
            if (idOf(threads[i]) == id) {
                return threads[i];
            }
        }
        return null;
    }
}
