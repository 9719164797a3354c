package io.orderedexecutor.benchmarks;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Holds producers back that are too far ahead, so that no queue grows without bounds and every subject is measured with
 * the same number of tasks in flight. Looked at once for {@link #CHUNK} tasks.
 */
final class Window {
    static final int CHUNK = 256;

    /** The least size for each producer: with less, all might wait for each other, each for a chunk. */
    static final int LEAST_OF_PRODUCER = 4 * CHUNK;

    private static final long PAUSE_NANOS = 20_000;

    private final Ledger ledger;
    private final int size;
    private final AtomicLong admitted = new AtomicLong();

    /** After so long without progress, nobody is held back any more: the audit will tell that tasks are lost. */
    private final long stallNanos;

    Window(Ledger ledger, Settings settings) {
        this.ledger = ledger;
        this.size = settings.window();
        this.stallNanos = settings.stallMillis() * 1_000_000L;
    }

    /** Waits until there is room for so many more; a full window is half empty then, so that the next waits are few. */
    void admit(int tasks) {
        if (admitted.addAndGet(tasks) - ledger.ran() > size) {
            Progress progress = new Progress(ledger, stallNanos);
            while (admitted.get() - ledger.ran() > size / 2 && !progress.isStalled()) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }
}
