package io.orderedexecutor.benchmarks;

import java.util.ArrayList;
import java.util.List;

/**
 * How long a submission takes while 1,000 tasks are queued, and while 100,000 are: for 1,000 keys, one task in a
 * hundred a rollup. The threads are held meanwhile, so nothing else happens.
 */
final class SubmissionExperiment implements Experiment {
    private static final int KEYS = 1_000;
    private static final Producer.Mix MIX = Producer.Mix.rollups(100);
    private static final int FEW = 1_000;
    private static final int MANY = 100_000;

    /**
     * How many submissions are timed together: few beside those that are queued, many beside a reading of the clock.
     */
    private static final int TIMED = 1_000;

    /**
     * A collection now and then falls into a time that is measured; so the queues are filled several times for a
     * sample.
     */
    private static final int FILLINGS = 5;

    private final KeyedExecutor executor;
    private final Settings settings;
    private final Producer producer;
    private final Window unlimited;
    private final Audit audit;

    SubmissionExperiment(Subject subject, Settings settings) {
        this.executor = subject.factory().apply(settings.threads());
        this.settings = settings;
        Ledger ledger = new Ledger();
        this.producer = Producer.of(0, executor, subject.isOrdered(), ThroughputExperiment.keys(KEYS), ledger, 0);
        this.unlimited = new Window(ledger, settings.withWindow(Integer.MAX_VALUE));
        this.audit = new Audit(ledger, List.of(producer), settings);
    }

    @Override
    public Sample measure() throws Exception {
        List<Double> behindFew = new ArrayList<>();
        List<Double> behindMany = new ArrayList<>();
        for (int i = 0; i < FILLINGS; i++) {
            Gate gate = Gate.holding(executor, settings.threads());
            submit(FEW);
            behindFew.add(nanosOfSubmission());
            submit(MANY - FEW - TIMED);
            behindMany.add(nanosOfSubmission());
            gate.open();
            audit.awaitAll();
        }
        return Sample.of(Metric.SUBMISSION_BEHIND_FEW, Statistics.median(behindFew))
                .and(Metric.SUBMISSION_BEHIND_MANY, Statistics.median(behindMany));
    }

    private double nanosOfSubmission() {
        long start = System.nanoTime();
        submit(TIMED);
        return (double) (System.nanoTime() - start) / TIMED;
    }

    private void submit(int tasks) {
        producer.submit(tasks, MIX, unlimited);
    }

    @Override
    public Verdict verdict() {
        return audit.verdict();
    }

    @Override
    public void end() throws Exception {
        executor.end();
    }
}
