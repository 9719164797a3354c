package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.Core.GroupedSubject;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;

/**
 * How long the longest call of a submitter takes while barriers come, wait, run and go, with {@value #OPEN_KEYS} keys
 * that have tasks; and how long the longest takes before. The executor has one thread, and the submitter a processor of
 * its own.
 */
final class BarrierExperiment implements Experiment {
    private static final int OPEN_KEYS = 100_000;
    private static final int BARRIERS = 5;

    private final GroupedSubject executor;
    private final Settings settings;
    private final Ledger openedLedger = new Ledger();
    private final Producer opener;
    private final Producer submitter;
    private final Producer barriers;
    private final Audit openedAudit;
    private final Audit audit;
    private volatile int barriersRun;
    private final ExecutorService barrierThread = Executors.newSingleThreadExecutor();

    BarrierExperiment(Subject subject, Settings settings) {
        this.executor = (GroupedSubject) subject.factory().apply(1);
        this.settings = settings;
        Object[] keys = ThroughputExperiment.keys(OPEN_KEYS);
        Ledger ledger = new Ledger();
        this.opener = Producer.of(0, executor, true, keys, openedLedger, 0);
        this.submitter = Producer.of(1, executor, true, keys, ledger, 0);
        this.barriers = Producer.of(2, executor, true, new Object[] {"barrier"}, ledger, 0);
        this.openedAudit = new Audit(openedLedger, List.of(opener), settings);
        this.audit = new Audit(ledger, List.of(submitter, barriers), settings);
    }

    @Override
    public Sample measure() throws Exception {
        Gate gate = Gate.holding(executor, 1);
        for (int key = 0; key < OPEN_KEYS; key++) {
            opener.submit(key, Task::new);
        }
        long slice = settings.sliceMillis() * 1_000_000L;
        long quietUntil = System.nanoTime() + slice;
        long longestQuiet = longestCallWhile(() -> System.nanoTime() < quietUntil);

        int barriersBefore = barriersRun;
        long openedRun = opener.submitted();
        Future<?> submission = barrierThread.submit(() -> submitBarriers(openedRun));
        long longest = longestCallWhile(() -> !submission.isDone());
        submission.get();
        gate.open();
        long patience = System.nanoTime() + settings.stallMillis() * 1_000_000L;
        long longestAfterwards =
                longestCallWhile(() -> barriersRun < barriersBefore + BARRIERS && System.nanoTime() < patience);
        openedAudit.awaitAll();
        audit.awaitAll();
        return Sample.of(Metric.LONGEST_CALL_QUIET, (double) longestQuiet)
                .and(Metric.LONGEST_CALL, (double) Math.max(longest, longestAfterwards));
    }

    private void submitBarriers(long openedRun) {
        for (int i = 0; i < BARRIERS; i++) {
            executor.executeBarrier(
                    barriers.next(0, (lane, turn, number) -> new Barrier(lane, turn, number, openedRun)));
            RoundTrip.make();
        }
    }

    /** In nanoseconds. */
    private long longestCallWhile(BooleanSupplier goesOn) {
        LongSummaryStatistics calls = new LongSummaryStatistics();
        submitter.submitPaced(goesOn, calls);
        return Math.max(0, calls.getMax());
    }

    /** Sees whether all have run that had opened the keys before it came. */
    private final class Barrier extends Task {
        private final long openedRun;

        Barrier(Lane lane, int turn, int number, long openedRun) {
            super(lane, turn, number);
            this.openedRun = openedRun;
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // barriers exclude each other
        void work() {
            if (openedLedger.ran() < openedRun) {
                openedLedger.outOfOrder();
            }
            barriersRun++;
        }
    }

    @Override
    public Verdict verdict() {
        return audit.verdict().worse(openedAudit.verdict());
    }

    @Override
    public void end() throws Exception {
        barrierThread.shutdown();
        executor.end();
    }
}
