package io.orderedexecutor.benchmarks;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * How many tasks of one key a full executor accepts in a second, if it drops the oldest queued task for each of them.
 * The threads are held meanwhile, so the queue stays full.
 */
final class DiscardExperiment implements Experiment {
    /** Fills each of the executors that this is measured with. */
    private static final int FILLING = 110_000;

    /** Each of them has room for so many. */
    private static final int LEAST_CAPACITY = 1_000;

    private static final long PAUSE_NANOS = 20_000;

    private final KeyedExecutor executor;
    private final Settings settings;
    private final List<Run> runs = new ArrayList<>();

    DiscardExperiment(Subject subject, Settings settings) {
        this.executor = subject.factory().apply(settings.threads());
        this.settings = settings;
    }

    @Override
    public Sample measure() throws Exception {
        Run run = new Run(FILLING + settings.batch());
        runs.add(run);
        Gate gate = Gate.holding(executor, settings.threads());
        submit(run, 0, FILLING);
        long start = System.nanoTime();
        submit(run, FILLING, run.submitted);
        long nanos = System.nanoTime() - start;
        gate.open();
        run.awaitLast(settings.stallMillis() * 1_000_000L);
        return Sample.of(Metric.TASKS_PER_SECOND, settings.batch() * 1e9 / nanos);
    }

    private void submit(Run run, int from, int to) {
        for (int i = from; i < to; i++) {
            int number = i;
            executor.execute("key", () -> run.ran(number));
        }
    }

    /** What ran of the tasks of one sample. */
    private static final class Run {
        private final int submitted;
        private final BitSet ran = new BitSet();
        private boolean hasRepeated;
        private boolean hasOvertaken;

        Run(int submitted) {
            this.submitted = submitted;
        }

        synchronized void ran(int number) {
            hasRepeated |= ran.get(number);
            hasOvertaken |= number < ran.length() - 1;
            ran.set(number);
        }

        private synchronized boolean hasLastRun() {
            return ran.get(submitted - 1);
        }

        /** Nothing is submitted after the last task, so no executor drops it. */
        void awaitLast(long patienceNanos) {
            long start = System.nanoTime();
            while (!hasLastRun() && System.nanoTime() - start < patienceNanos) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }

        /** All have run, in order and once, since one of them: the last one that was dropped is before it. */
        synchronized Verdict verdict() {
            int first = Math.max(0, Math.min(ran.nextSetBit(0), submitted - LEAST_CAPACITY));
            if (ran.cardinality() < submitted - first) {
                return Verdict.LOSES_TASKS;
            }
            if (hasRepeated) {
                return Verdict.REPEATS_TASKS;
            }
            return hasOvertaken ? Verdict.BREAKS_ORDER : Verdict.OK;
        }
    }

    @Override
    public Verdict verdict() {
        return runs.stream().map(Run::verdict).reduce(Verdict.OK, Verdict::worse);
    }

    @Override
    public void end() throws Exception {
        executor.end();
    }
}
