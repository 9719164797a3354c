package io.orderedexecutor.benchmarks;

import java.util.concurrent.Callable;

/**
 * An executor that runs one batch at each call. Made by a {@link CountingLoader}, in whose classes nothing else is
 * known to the caller; so it is public, and a {@link Callable}.
 */
public final class CountedBatch implements Callable<Boolean> {
    private final Experiment experiment;

    /**
     * An executor at work.
     *
     * @param row which tasks it gets
     * @param subject its name
     * @param settings as {@link Settings#format} gives them
     */
    public CountedBatch(String row, String subject, String settings) {
        this.experiment = Row.keyed(row).start(Subjects.named(subject), Settings.parse(settings));
    }

    /** Returns false if a task was lost, repeated or out of order. */
    @Override
    public Boolean call() throws Exception {
        experiment.measure();
        return experiment.verdict() == Verdict.OK;
    }

    /** Ends the executor. */
    public void end() throws Exception {
        experiment.end();
    }
}
