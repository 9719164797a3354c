package io.orderedexecutor;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Threads of the kind on which the test itself runs: the same test shows the same for virtual threads when
 * {@link OnVirtualThread} runs it.
 */
final class SameKind {
    private SameKind() {}

    private static boolean isVirtual() {
        return VirtualThreads.isVirtual(Thread.currentThread());
    }

    /** For a test with threads that never wait: the JDK lets virtual ones keep their carriers, and others starve. */
    static void assumeTimeSharing() {
        assumeFalse(isVirtual(), "virtual threads that never wait leave no carrier to the others");
    }

    /** How much of a load is enough: less of it where only the kind of the threads is new. */
    static int some(int load) {
        return isVirtual() ? load / 10 : load;
    }

    /** A thread that is not started. */
    static Thread thread(Runnable body) {
        return isVirtual() ? VirtualThreads.thread(body) : new Thread(body);
    }

    /** For a test to which it matters that there are no more threads: the executor's own ones, whatever their kind. */
    static StripedExecutorBuilder exactly(int threads, StripedExecutorBuilder builder) {
        builder.threads(threads);
        return isVirtual() ? builder.threadFactory(VirtualThreads.factory()) : builder;
    }

    static StripedExecutorBuilder exactly(int threads) {
        return exactly(threads, StripedExecutor.builder());
    }

    /**
     * For a test that needs so many threads, and none to be scarce: virtual ones come from an executor that makes one
     * for each turn.
     */
    static StripedExecutorBuilder atLeast(int threads, StripedExecutorBuilder builder) {
        return isVirtual() ? builder.executor(VirtualThreads.executor()) : builder.threads(threads);
    }

    static StripedExecutorBuilder atLeast(int threads) {
        return atLeast(threads, StripedExecutor.builder());
    }

    /** A pool of at least so many threads. */
    static ExecutorService pool(int threads) {
        return isVirtual() ? VirtualThreads.executor() : Executors.newFixedThreadPool(threads);
    }
}
