package io.orderedexecutor.benchmarks;

import java.util.List;

/**
 * How long tasks of 999 keys wait beside a hot one, which is never without work: {@value #BACKLOG} of its tasks are
 * there at any time. They hold their thread for a millisecond without working, as one that waits for a database does,
 * so that it is the executor that makes the others wait, not the processor.
 */
final class HotStripeExperiment implements Experiment {
    static final int KEYS = 1_000;
    static final int BACKLOG = 8;
    static final long OTHER_NANOS = 10_000;
    static final double OTHERS_PER_SECOND = 2_000;

    private final KeyedExecutor executor;
    private final Settings settings;
    private final Ledger hotLedger = new Ledger();
    private final Producer hot;
    private final Producer others;
    private final Audit hotAudit;
    private final Audit audit;
    private final Arrivals arrivals = new Arrivals(1e9 / OTHERS_PER_SECOND, 1);

    HotStripeExperiment(Subject subject, Settings settings) {
        this.executor = subject.factory().apply(settings.threads());
        this.settings = settings;
        Object[] keys = ThroughputExperiment.keys(KEYS - 1);
        Ledger ledger = new Ledger();
        this.hot = Producer.of(0, executor, subject.isOrdered(), new Object[] {KEYS}, hotLedger, 0);
        this.others = Producer.of(1, executor, subject.isOrdered(), keys, ledger, 0);
        this.hotAudit = new Audit(hotLedger, List.of(hot), settings);
        this.audit = new Audit(ledger, List.of(others), settings);
    }

    private static final class HotTask extends Task {

        HotTask(Lane lane, int turn, int number) {
            super(lane, turn, number);
        }

        @Override
        void work() {
            RoundTrip.make();
        }
    }

    @Override
    public Sample measure() {
        Waits waits = new Waits(settings.window() * 16);
        arrivals.during(settings.sliceMillis(), () -> {
            while (hot.submitted() - hotLedger.ran() < BACKLOG) {
                hot.submit(0, HotTask::new);
            }
            others.submit(
                    others.anyKey(), (lane, turn, number) -> new TimedTask(lane, turn, number, waits, OTHER_NANOS));
            return !waits.isFull();
        });
        audit.awaitAll();
        hotAudit.awaitAll();
        return waits.sample();
    }

    @Override
    public Verdict verdict() {
        return audit.verdict().worse(hotAudit.verdict());
    }

    @Override
    public void end() throws Exception {
        executor.end();
    }
}
