package io.orderedexecutor.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/**
 * Counts what a task costs that more threads make dearer: with as many threads as submitters, from 2 to 64, on any
 * number of processors. A count does not depend on how fast the machine is; how often a thread has to be woken, and how
 * long queues are, does a little.
 */
final class Scaling {
    private static final int BATCH = 100_000;

    /** In full; a design run counts those at the ends and one between. */
    static final List<Integer> THREADS = List.of(2, 4, 8, 16, 32, 64);

    static final List<Integer> FEW_THREADS = List.of(2, 8, 64);

    /** How long a cache line takes from one processor to the next, in nanoseconds; the better case. */
    private static final double LINE_NANOS = 50;

    private static final List<Case> CASES = List.of(
            new Case("1 stripe", Row.ONE_STRIPE, Subjects.OURS, 16_384),
            new Case("1,000 stripes with backlogs", Row.THOUSAND_STRIPES, Subjects.OURS, 16_384),
            new Case("100,000 stripes that are idle", Row.IDLE_STRIPES, Subjects.OURS, 4_096),
            new Case("a capacity, 1,000 stripes", Row.FEATURES, Subjects.OURS_CAPACITY, 16_384),
            new Case("1,000 groups, 10 % rollups", Row.GROUPS_10, Subjects.OURS_GROUPED, 16_384),
            new Case("1,000 groups, 50 % shared", Row.SHARED_50, Subjects.OURS_GROUPED, 16_384),
            new Case("1,000 outputs", Row.OUTPUT, Subjects.OURS_OUTPUT, 16_384));

    private Scaling() {}

    /**
     * What is counted.
     *
     * @param window how many tasks may be in flight
     */
    private record Case(String title, Row row, String subject, int window) {}

    /**
     * What a task costs.
     *
     * @param ofSubmitter the atomic operations of the thread that submits it
     * @param ofThread those of the threads of the executor
     * @param sharedOfSubmitter how many of these are on lines that all submitters write
     * @param sharedOfThread the same of the executor's threads
     * @param handOvers how often something goes through the queue of the threads
     * @param wakeUps how often a thread is called that sleeps
     * @param bins how often a bin is taken
     * @param contended how often one is wanted that another thread has
     * @param left how often a request is left with that thread
     * @param waits how often a thread waits for it
     */
    record Cost(
            double ofSubmitter,
            double ofThread,
            double sharedOfSubmitter,
            double sharedOfThread,
            double handOvers,
            double wakeUps,
            double bins,
            double contended,
            double left,
            double waits) {

        /** How many tasks a second the busiest line allows, whatever the number of processors is. */
        double most() {
            return 1e9 / (LINE_NANOS * Math.max(sharedOfSubmitter, sharedOfThread));
        }
    }

    /** The table. */
    static String table(List<Integer> threadCounts) throws Exception {
        StringBuilder text = new StringBuilder();
        List<String> heads = new ArrayList<>(List.of(
                "",
                "threads and submitters",
                "bins taken, a task",
                "of a million tasks: contended",
                "left with others",
                "waited for",
                "atomics a task, submitter",
                "thread",
                "shared by all: submitter",
                "thread",
                "hand-overs",
                "wake-ups",
                "million tasks/s at most"));
        text.append("| ").append(String.join(" | ", heads)).append(" |\n");
        text.append("| ")
                .append(String.join(" | ", Collections.nCopies(heads.size(), "---")))
                .append(" |\n");
        for (Case counted : CASES) {
            for (int threads : threadCounts) {
                int window = Math.max(counted.window, Window.LEAST_OF_PRODUCER * threads);
                Cost cost = cost(counted.row, counted.subject, threads, window);
                text.append(String.format(
                        Locale.ROOT,
                        "| %s | %d | %.2f | %,.0f | %,.0f | %,.0f | %.2f | %.2f | %.3f | %.3f | %.3f | %.4f | %,.0f |%n",
                        counted.title,
                        threads,
                        cost.bins,
                        cost.contended * 1e6,
                        cost.left * 1e6,
                        cost.waits * 1e6,
                        cost.ofSubmitter,
                        cost.ofThread,
                        cost.sharedOfSubmitter,
                        cost.sharedOfThread,
                        cost.handOvers,
                        cost.wakeUps,
                        cost.most() / 1e6));
            }
        }
        CountingLoader.requireAllFound();
        return text.toString();
    }

    /** Counts one batch, after another one that is not counted. */
    static Cost cost(Row row, String subject, int threads, int window) throws Exception {
        Settings settings = new Settings(threads, threads, window, BATCH, 1, 1, 1, Options.STALL_MILLIS);
        Class<?> type = new CountingLoader(Scaling.class.getClassLoader()).loadClass(CountedBatch.class.getName());
        Object batch = type.getConstructor(String.class, String.class, String.class)
                .newInstance(row.key, subject, settings.format());
        run(batch, subject);
        List<Double> before = sums();
        run(batch, subject);
        List<Double> after = sums();
        type.getMethod("end").invoke(batch);
        int tasksOfThread = BATCH / threads;
        double tasks = (double) tasksOfThread * threads;
        List<Double> each = new ArrayList<>();
        for (int i = 0; i < before.size(); i++) {
            each.add((after.get(i) - before.get(i)) / tasks);
        }
        return new Cost(
                each.get(0),
                each.get(1),
                each.get(2),
                each.get(3),
                each.get(4),
                each.get(5),
                each.get(6),
                each.get(7),
                each.get(8),
                each.get(9));
    }

    private static void run(Object batch, String subject) throws Exception {
        if (!(batch instanceof Callable<?> callable) || !Boolean.TRUE.equals(callable.call())) {
            throw new IllegalStateException(subject + " has lost, repeated or disordered tasks");
        }
    }

    private static List<Double> sums() {
        return List.of(
                (double) Counts.sum(Operation.ATOMIC, true),
                (double) Counts.sum(Operation.ATOMIC, false),
                (double) Counts.sum(Operation.SHARED, true),
                (double) Counts.sum(Operation.SHARED, false),
                (double) Counts.sum(Operation.HAND_OVER),
                (double) Counts.sum(Operation.WAKE_UP),
                (double) Counts.sum(Operation.BIN),
                (double) Counts.sum(Operation.CONTENDED_BIN),
                (double) Counts.sum(Operation.LEFT),
                (double) Counts.sum(Operation.WAIT));
    }
}
