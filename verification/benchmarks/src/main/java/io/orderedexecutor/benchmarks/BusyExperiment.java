package io.orderedexecutor.benchmarks;

import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * How many items of one hot key are through in a second if each call of their handler takes a millisecond, whether it
 * is for one item or for many. There are always {@value #BACKLOG} items that have not run: more than a batch behind the
 * batch that runs.
 */
final class BusyExperiment implements Experiment {
    private static final int BACKLOG = 4 * OurSubjects.MAX_BATCH;
    private static final long PAUSE_NANOS = 20_000;

    private final KeyedExecutor executor;
    private final Settings settings;
    private final Ledger ledger = new Ledger();
    private final Producer producer;
    private final Audit audit;

    BusyExperiment(Subject subject, Settings settings) {
        this.executor = subject.factory().apply(settings.threads());
        this.settings = settings;
        this.producer = Producer.of(0, executor, subject.isOrdered(), ThroughputExperiment.keys(1), ledger, 0);
        this.audit = new Audit(ledger, List.of(producer), settings);
    }

    @Override
    public Sample measure() {
        long slice = settings.sliceMillis() * 1_000_000L;
        long ranBefore = ledger.ran();
        long start = System.nanoTime();
        long nanos = 0;
        while (nanos < slice) {
            // counted once: the slice ends also if items run as fast as they are submitted
            for (long room = BACKLOG + ledger.ran() - producer.submitted(); room > 0; room--) {
                producer.submit(0, Task::new);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
            nanos = System.nanoTime() - start;
        }
        long ran = ledger.ran() - ranBefore;
        audit.awaitAll();
        return Sample.of(Metric.TASKS_PER_SECOND, ran * 1e9 / nanos);
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
