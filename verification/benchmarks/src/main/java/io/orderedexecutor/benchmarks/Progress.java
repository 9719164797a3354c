package io.orderedexecutor.benchmarks;

/** Watches whether tasks still run. */
final class Progress {
    private final Ledger ledger;
    private final long stallNanos;
    private long lastRan = -1;
    private long lastChange;

    Progress(Ledger ledger, long stallNanos) {
        this.ledger = ledger;
        this.stallNanos = stallNanos;
    }

    boolean isStalled() {
        long ran = ledger.ran();
        long now = System.nanoTime();
        if (ran != lastRan) {
            lastRan = ran;
            lastChange = now;
        }
        return now - lastChange > stallNanos;
    }
}
