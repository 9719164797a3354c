package io.orderedexecutor.benchmarks;

/** Works for some time. */
final class SpinningTask extends Task {
    private final int nanos;

    SpinningTask(Lane lane, int turn, int number, int nanos) {
        super(lane, turn, number);
        this.nanos = nanos;
    }

    @Override
    void work() {
        spin(System.nanoTime(), nanos);
    }

    /** Works until so much time is over since the start. */
    static void spin(long start, long nanos) {
        while (System.nanoTime() - start < nanos) {
            Thread.onSpinWait();
        }
    }
}
