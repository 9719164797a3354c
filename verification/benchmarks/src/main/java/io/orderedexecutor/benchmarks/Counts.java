package io.orderedexecutor.benchmarks;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * How often the threads of this JVM have come to an {@link Operation}. Called from the classes that a
 * {@link CountingLoader} has loaded; each thread counts on a page of its own. Public, since they are of another loader.
 */
public final class Counts {

    /** The page of a thread, which alone writes it. */
    private static final class Page {
        /** Whether it submits; else it is a thread of the executor. */
        final boolean isSubmitter;

        final long[] counts = new long[Operation.COUNT];

        /** Whether the last look at a bin has found it taken. */
        boolean looksAgain;

        Page(boolean isSubmitter) {
            this.isSubmitter = isSubmitter;
        }
    }

    /** The outcome of the core that means that a request was posted. */
    private static final String POSTED = "POSTED";

    private static final String SUBMITTERS = "pool-";
    private static final List<Page> PAGES = new CopyOnWriteArrayList<>();
    private static final ThreadLocal<Page> PAGE = ThreadLocal.withInitial(Counts::newPage);

    private Counts() {}

    private static Page newPage() {
        Page page = new Page(Thread.currentThread().getName().startsWith(SUBMITTERS));
        PAGES.add(page);
        return page;
    }

    /** Called before an operation. */
    public static void count(int operation) {
        PAGE.get().counts[operation]++;
    }

    /** Called when a thread has tried to take a bin. */
    public static void tried(boolean taken) {
        Page page = PAGE.get();
        if (taken) {
            page.counts[Operation.BIN.number]++;
        } else {
            contended(page);
        }
        page.looksAgain = !taken;
    }

    /** Called when a thread has tried to take a bin, and may have posted a request. */
    public static <E extends Enum<E>> void triedOrPosted(E outcome) {
        Page page = PAGE.get();
        if (outcome == Enum.valueOf(outcome.getDeclaringClass(), POSTED)) {
            contended(page);
            page.counts[Operation.LEFT.number]++;
        }
        page.looksAgain = false;
    }

    private static void contended(Page page) {
        if (!page.looksAgain) {
            page.counts[Operation.CONTENDED_BIN.number]++;
        }
    }

    /** Of all threads. */
    static long sum(Operation operation) {
        return sum(operation, true) + sum(operation, false);
    }

    /** Of all threads of one kind; exact while they are at rest. */
    static long sum(Operation operation, boolean ofSubmitters) {
        return PAGES.stream()
                .filter(page -> page.isSubmitter == ofSubmitters)
                .mapToLong(page -> page.counts[operation.number])
                .sum();
    }
}
