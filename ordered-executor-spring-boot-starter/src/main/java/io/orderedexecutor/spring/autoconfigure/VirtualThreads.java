package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutorBuilder;
import java.util.concurrent.ThreadFactory;

/**
 * Virtual threads with the context class loader of the thread that builds the executor, as its own platform threads
 * have.
 */
final class VirtualThreads implements OrderedExecutorThreads {

    @Override
    public void applyTo(OrderedExecutorBuilder<?> builder, String name) {
        ThreadFactory factory = factory(name + "-");
        // by default, such a thread has the system class loader, which does not know the classes of an executable jar
        ClassLoader contextClassLoader = Thread.currentThread().getContextClassLoader();
        builder.executor(turn -> {
            Thread thread = factory.newThread(turn);
            thread.setContextClassLoader(contextClassLoader);
            thread.start();
        });
    }

    /**
     * Creates the factory by reflection, since this is bytecode for Java 17. The names are constants, which a native
     * image finds.
     */
    private static ThreadFactory factory(String prefix) {
        try {
            Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
            Object threads = Thread.class.getMethod("ofVirtual").invoke(null);
            // a thread must inherit nothing: it also runs tasks of threads other than the one that starts it
            type.getMethod("inheritInheritableThreadLocals", boolean.class).invoke(threads, false);
            type.getMethod("name", String.class, long.class).invoke(threads, prefix, 1L);
            return (ThreadFactory) type.getMethod("factory").invoke(threads);
        } catch (ReflectiveOperationException e) {
            throw new UnsupportedOperationException("virtual threads need JDK 21 or later", e);
        }
    }
}
