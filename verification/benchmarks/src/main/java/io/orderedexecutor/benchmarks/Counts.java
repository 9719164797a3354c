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

        Page(boolean isSubmitter) {
            this.isSubmitter = isSubmitter;
        }
    }

    private static final String SUBMITTERS = "pool-";
    private static final List<Page> PAGES = new CopyOnWriteArrayList<>();
    private static final ThreadLocal<long[]> COUNTS = ThreadLocal.withInitial(Counts::newPage);

    private Counts() {}

    private static long[] newPage() {
        Page page = new Page(Thread.currentThread().getName().startsWith(SUBMITTERS));
        PAGES.add(page);
        return page.counts;
    }

    /** Called before an operation. */
    public static void count(int operation) {
        COUNTS.get()[operation]++;
    }

    /** Of all threads of one kind; exact while they are at rest. */
    static long sum(Operation operation, boolean ofSubmitters) {
        return PAGES.stream()
                .filter(page -> page.isSubmitter == ofSubmitters)
                .mapToLong(page -> page.counts[operation.number])
                .sum();
    }
}
