package io.orderedexecutor.benchmarks;

import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Compares what ran with what was submitted. */
final class Audit {
    private static final long PAUSE_NANOS = 20_000;

    private final Ledger ledger;
    private final List<Producer> producers;
    private final long stallNanos;

    Audit(Ledger ledger, List<Producer> producers, Settings settings) {
        this.ledger = ledger;
        this.producers = producers;
        this.stallNanos = settings.stallMillis() * 1_000_000L;
    }

    /** Waits until everything has run, or nothing runs any more. */
    void awaitAll() {
        long submitted = submitted();
        Progress progress = new Progress(ledger, stallNanos);
        while (ledger.ran() < submitted && !progress.isStalled()) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Judges all until now, while nothing runs. */
    Verdict verdict() {
        long ran = ledger.ran();
        long submitted = submitted();
        if (ran < submitted) {
            return Verdict.LOSES_TASKS;
        }
        long checksum = producers.stream().mapToLong(Producer::checksum).sum();
        if (ran > submitted || ledger.checksum() != checksum) {
            return Verdict.REPEATS_TASKS;
        }
        return ledger.violations() > 0 ? Verdict.BREAKS_ORDER : Verdict.OK;
    }

    private long submitted() {
        return producers.stream().mapToLong(Producer::submitted).sum();
    }
}
