package io.orderedexecutor.benchmarks;

/** Notes how long it has waited for its start, then works for some time. */
final class TimedTask extends Task {
    private final Waits waits;
    private final int index;
    private final long workNanos;
    private final long submittedAt = System.nanoTime();

    TimedTask(Lane lane, int turn, int number, Waits waits, long workNanos) {
        super(lane, turn, number);
        this.waits = waits;
        this.index = waits.nextIndex();
        this.workNanos = workNanos;
    }

    @Override
    void work() {
        long start = System.nanoTime();
        waits.set(index, start - submittedAt);
        SpinningTask.spin(start, workNanos);
    }
}
