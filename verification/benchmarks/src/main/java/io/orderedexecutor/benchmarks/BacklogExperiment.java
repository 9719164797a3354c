package io.orderedexecutor.benchmarks;

import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * How long tasks of 999 keys wait while a long backlog of one key is worked off: so many short tasks as the settings
 * say, all queued before the first of them runs.
 */
final class BacklogExperiment implements Experiment {
    private static final int KEYS = 1_000;
    private static final int SHORT_NANOS = 1_000;
    private static final long OTHER_NANOS = 10_000;
    private static final double OTHERS_PER_SECOND = 2_000;

    private final KeyedExecutor executor;
    private final Settings settings;
    private final Ledger hotLedger = new Ledger();
    private final Producer hot;
    private final Producer others;
    private final Audit hotAudit;
    private final Audit audit;
    private final Arrivals arrivals = new Arrivals(1e9 / OTHERS_PER_SECOND, 1);

    BacklogExperiment(Subject subject, Settings settings) {
        this.executor = subject.factory().apply(settings.threads());
        this.settings = settings;
        Object[] keys = ThroughputExperiment.keys(KEYS - 1);
        Ledger ledger = new Ledger();
        this.hot = Producer.of(0, executor, subject.isOrdered(), new Object[] {KEYS}, hotLedger, 0);
        this.others = Producer.of(1, executor, subject.isOrdered(), keys, ledger, 0);
        this.hotAudit = new Audit(hotLedger, List.of(hot), settings);
        this.audit = new Audit(ledger, List.of(others), settings);
    }

    @Override
    public Sample measure() {
        CountDownLatch queued = new CountDownLatch(1);
        hot.submit(0, (lane, turn, number) -> new FirstTask(lane, turn, number, queued));
        for (int i = 1; i < settings.queued(); i++) {
            hot.submit(0, (lane, turn, number) -> new SpinningTask(lane, turn, number, SHORT_NANOS));
        }
        queued.countDown();
        Waits waits = new Waits(settings.window() * 16);
        long submitted = hot.submitted();
        arrivals.during(settings.stallMillis(), () -> {
            others.submit(
                    others.anyKey(), (lane, turn, number) -> new TimedTask(lane, turn, number, waits, OTHER_NANOS));
            return !waits.isFull() && hotLedger.ran() < submitted;
        });
        audit.awaitAll();
        hotAudit.awaitAll();
        return waits.sample();
    }

    /** Holds its key until the whole backlog is queued behind it. */
    private static final class FirstTask extends Task {
        private final CountDownLatch queued;

        FirstTask(Lane lane, int turn, int number, CountDownLatch queued) {
            super(lane, turn, number);
            this.queued = queued;
        }

        @Override
        void work() {
            try {
                queued.await();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        }
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
