package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.Core.StripedSubject;
import java.util.List;

/** How long it takes to read all that meters show, while {@value #OPEN_KEYS} keys have a task each. */
final class ScrapeExperiment implements Experiment {
    private static final int OPEN_KEYS = 300_000;

    private final StripedSubject executor;
    private final Settings settings;
    private final Producer producer;
    private final Audit audit;

    ScrapeExperiment(Subject subject, Settings settings) {
        this.executor = (StripedSubject) subject.factory().apply(settings.threads());
        this.settings = settings;
        Ledger ledger = new Ledger();
        this.producer = Producer.of(0, executor, subject.isOrdered(), ThroughputExperiment.keys(OPEN_KEYS), ledger, 0);
        this.audit = new Audit(ledger, List.of(producer), settings);
    }

    @Override
    public Sample measure() throws Exception {
        Gate gate = Gate.holding(executor, settings.threads());
        for (int key = 0; key < OPEN_KEYS; key++) {
            producer.submit(key, Task::new);
        }
        long start = System.nanoTime();
        executor.scrape();
        long nanos = System.nanoTime() - start;
        gate.open();
        audit.awaitAll();
        return Sample.of(Metric.SCRAPE_NANOS, (double) nanos);
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
