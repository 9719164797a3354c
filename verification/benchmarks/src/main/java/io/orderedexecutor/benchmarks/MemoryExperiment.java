package io.orderedexecutor.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;

/**
 * How much of the heap an executor holds beyond the tasks and the keys, which are there before: while tasks are queued
 * for a thousand keys, while many keys have one task each, and after those have run. Whole heaps are compared, after a
 * full collection, so that nothing is forgotten; free places in an executor's arrays count, since they are in use for
 * nothing else.
 */
final class MemoryExperiment implements Experiment {
    private static final int KEYS_WITH_QUEUES = 1_000;
    private static final int COLLECTIONS = 3;
    private static final int EMPTY_EXECUTORS = 100;

    private final Subject subject;
    private final Settings settings;
    private Verdict verdict = Verdict.OK;

    /** In a field, so that they stay until the last look at the heap: those that have run would be missed otherwise. */
    private Task[] prepared = {};

    MemoryExperiment(Subject subject, Settings settings) {
        this.subject = subject;
        this.settings = settings;
    }

    @Override
    public Sample measure() throws Exception {
        double empty = bytesOfEmptyExecutor();
        Growth queued = growth(settings.queued(), KEYS_WITH_QUEUES);
        Growth open = growth(settings.stripes(), settings.stripes());
        double task = queued.whileQueued / settings.queued();
        double stripe = open.whileQueued / settings.stripes();
        return Sample.of(Metric.BYTES_PER_QUEUED_TASK, task)
                .and(Metric.BYTES_PER_OPEN_STRIPE, stripe)
                .and(Metric.BYTES_PER_OPEN_KEY, stripe - task)
                .and(Metric.BYTES_PER_IDLE_STRIPE, open.afterwards / settings.stripes())
                .and(Metric.BYTES_OF_EMPTY_EXECUTOR, empty);
    }

    /**
     * Of many, since what else happens in the heap would count with the whole of it for one. None has started a thread.
     */
    private double bytesOfEmptyExecutor() throws Exception {
        KeyedExecutor[] executors = new KeyedExecutor[EMPTY_EXECUTORS];
        subject.factory().apply(settings.threads()).end();
        long before = usedHeap();
        Arrays.setAll(executors, i -> subject.factory().apply(settings.threads()));
        long afterwards = usedHeap();
        for (KeyedExecutor executor : executors) {
            executor.end();
        }
        return (double) (afterwards - before) / EMPTY_EXECUTORS;
    }

    private record Growth(double whileQueued, double afterwards) {}

    private Growth growth(int tasks, int keyCount) throws Exception {
        KeyedExecutor executor = subject.factory().apply(settings.threads());
        Ledger ledger = new Ledger();
        Object[] keys = ThroughputExperiment.keys(keyCount);
        Producer producer = Producer.of(0, executor, subject.isOrdered(), keys, ledger, 0);
        prepared = new Task[tasks];
        for (int i = 0; i < tasks; i++) {
            prepared[i] = producer.next(i % keyCount, Task::new);
        }
        Gate gate = Gate.holding(executor, settings.threads());
        long before = usedHeap();
        for (int i = 0; i < tasks; i++) {
            executor.execute(keys[i % keyCount], prepared[i]);
        }
        long whileQueued = usedHeap();
        gate.open();
        Audit audit = new Audit(ledger, List.of(producer), settings);
        audit.awaitAll();
        long afterwards = usedHeap();
        executor.end();
        verdict = verdict.worse(audit.verdict());
        return new Growth(whileQueued - before, afterwards - before);
    }

    private static long usedHeap() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Override
    public Verdict verdict() {
        return verdict;
    }

    @Override
    public void end() {}
}
