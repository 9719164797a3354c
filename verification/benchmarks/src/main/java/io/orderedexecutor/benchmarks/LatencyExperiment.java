package io.orderedexecutor.benchmarks;

import java.util.List;

/** How long tasks of 1,000 keys wait from submission to start, while the threads are busy half of the time. */
final class LatencyExperiment implements Experiment {
    static final int KEYS = 1_000;
    static final long WORK_NANOS = 200_000;
    static final double LOAD = 0.5;

    private final KeyedExecutor executor;
    private final Settings settings;
    private final Producer producer;
    private final Audit audit;
    private final Arrivals arrivals;

    LatencyExperiment(Subject subject, Settings settings) {
        this.executor = subject.factory().apply(settings.threads());
        this.settings = settings;
        Ledger ledger = new Ledger();
        this.producer = Producer.of(0, executor, subject.isOrdered(), ThroughputExperiment.keys(KEYS), ledger, 0);
        this.audit = new Audit(ledger, List.of(producer), settings);
        this.arrivals = new Arrivals(WORK_NANOS / (LOAD * settings.threads()), 1);
    }

    @Override
    public Sample measure() {
        Waits waits = new Waits(settings.window() * 16);
        arrivals.during(settings.sliceMillis(), () -> {
            producer.submit(
                    producer.anyKey(), (lane, turn, number) -> new TimedTask(lane, turn, number, waits, WORK_NANOS));
            return !waits.isFull();
        });
        audit.awaitAll();
        return Sample.of(Metric.WAIT_P50, waits.quantile(0.5))
                .and(Metric.WAIT_P99, waits.quantile(0.99))
                .and(Metric.WAIT_P999, waits.quantile(0.999));
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
