package io.orderedexecutor.benchmarks;

import java.util.concurrent.atomic.LongAdder;

/** What a listener for metrics does at least: it counts, and adds up times. */
final class Meters {
    private final LongAdder queued = new LongAdder();
    private final LongAdder started = new LongAdder();
    private final LongAdder finished = new LongAdder();
    private final LongAdder totalNanosQueued = new LongAdder();
    private final LongAdder totalNanosRun = new LongAdder();

    void queued() {
        queued.increment();
    }

    void started(long nanosQueued) {
        started.increment();
        totalNanosQueued.add(nanosQueued);
    }

    void finished(long nanosRun) {
        finished.increment();
        totalNanosRun.add(nanosRun);
    }
}
