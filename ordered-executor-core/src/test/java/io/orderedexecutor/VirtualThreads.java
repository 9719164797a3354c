package io.orderedexecutor;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

/** Virtual threads, which the JDK has since 21, for sources that compile on 17 too. */
final class VirtualThreads {
    private VirtualThreads() {}

    static boolean isVirtual(Thread thread) {
        return Runtime.version().feature() >= 21
                && reflectively(
                        () -> (Boolean) Thread.class.getMethod("isVirtual").invoke(thread));
    }

    /** An executor with a new virtual thread for each task. It has nothing to close. */
    static ExecutorService executor() {
        return reflectively(() -> (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null));
    }

    /** Makes threads that are not started. */
    static ThreadFactory factory() {
        return reflectively(() -> {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
        });
    }

    static Thread thread(Runnable body) {
        return factory().newThread(body);
    }

    static Thread start(Runnable body) {
        Thread thread = thread(body);
        thread.start();
        return thread;
    }

    private static <T> T reflectively(Callable<T> call) {
        try {
            return call.call();
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        } catch (Exception e) {
            throw new AssertionError("this JDK has no virtual threads", e);
        }
    }
}
