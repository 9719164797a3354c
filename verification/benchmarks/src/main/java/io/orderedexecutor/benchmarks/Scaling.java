package io.orderedexecutor.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/**
 * Counts what a task costs that more threads make dearer: with as many threads as submitters, from 1 to 64, on any
 * number of processors. A count does not depend on how fast the machine is; how often a thread has to be woken, and how
 * long queues are, does a little.
 */
final class Scaling {
    private static final int BATCH = 200_000;

    /** For each submitter: with less, all might wait for each other. */
    private static final int LEAST_WINDOW = 4 * Window.CHUNK;

    private static final List<Integer> THREADS = List.of(1, 2, 4, 8, 16, 32, 64);

    /** How long a cache line takes from one processor to the next, in nanoseconds; the better case. */
    private static final double LINE_NANOS = 50;

    private static final List<Case> CASES = List.of(
            new Case("stripes with backlogs", Row.THOUSAND_STRIPES, Subjects.OURS, 16_384),
            new Case("stripes that are idle", Row.HUNDRED_THOUSAND_STRIPES, Subjects.OURS, 4_096),
            new Case("a capacity, backlogs", Row.FEATURES, Subjects.OURS_CAPACITY, 16_384),
            new Case("groups with backlogs", Row.THOUSAND_STRIPES, Subjects.OURS_GROUPED, 16_384),
            new Case("groups that are idle", Row.HUNDRED_THOUSAND_STRIPES, Subjects.OURS_GROUPED, 4_096),
            new Case("outputs with backlogs", Row.OUTPUT, Subjects.OURS_OUTPUT, 16_384));

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
     * @param sharedOfSubmitter how many of these are on lines that all submitters write
     */
    record Cost(
            double ofSubmitter,
            double ofThread,
            double sharedOfSubmitter,
            double sharedOfThread,
            double handOvers,
            double wakeUps) {

        /** How many tasks a second the busiest line allows, whatever the number of processors is. */
        double most() {
            return 1e9 / (LINE_NANOS * Math.max(sharedOfSubmitter, sharedOfThread));
        }
    }

    /** Prints the table. */
    static void print() throws Exception {
        List<String> heads = new ArrayList<>(List.of(
                "threads and submitters",
                "",
                "atomics, submitter",
                "thread",
                "shared by all: submitter",
                "thread",
                "hand-overs",
                "wake-ups",
                "million tasks/s at most"));
        System.out.println("| " + String.join(" | ", heads) + " |");
        System.out.println("| " + String.join(" | ", Collections.nCopies(heads.size(), "---")) + " |");
        for (Case counted : CASES) {
            for (int threads : THREADS) {
                Cost cost =
                        cost(counted.row, counted.subject, threads, Math.max(counted.window, LEAST_WINDOW * threads));
                System.out.printf(
                        Locale.ROOT,
                        "| %d | %s | %.2f | %.2f | %.3f | %.3f | %.3f | %.4f | %s |%n",
                        threads,
                        counted.title,
                        cost.ofSubmitter,
                        cost.ofThread,
                        cost.sharedOfSubmitter,
                        cost.sharedOfThread,
                        cost.handOvers,
                        cost.wakeUps,
                        String.format(Locale.ROOT, "%,.0f", cost.most() / 1e6));
            }
        }
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
        return new Cost(each.get(0), each.get(1), each.get(2), each.get(3), each.get(4), each.get(5));
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
                (double) Counts.sum(Operation.HAND_OVER, true) + Counts.sum(Operation.HAND_OVER, false),
                (double) Counts.sum(Operation.WAKE_UP, true) + Counts.sum(Operation.WAKE_UP, false));
    }
}
