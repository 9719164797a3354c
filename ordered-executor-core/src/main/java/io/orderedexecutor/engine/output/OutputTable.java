package io.orderedexecutor.engine.output;

import io.orderedexecutor.engine.executor.LiveTasks;
import io.orderedexecutor.engine.executor.SegmentedTable;
import io.orderedexecutor.engine.strand.TakenBack;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.RunningTask;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** The outputs that have pieces which are not over. An output without pieces is known to its users only. */
final class OutputTable extends SegmentedTable<OutputSegment, OutputSequence<?>> implements LiveTasks {

    OutputTable() {
        super(index -> new OutputSegment(), null);
    }

    @Override
    public void adoptUnattended() {
        forEach(OutputControl::adoptUnattended);
    }

    @Override
    public void unpause() {
        forEach(OutputControl::unpause);
    }

    @Override
    public void onShutdown() {
        forEach(OutputControl::onShutdown);
    }

    @Override
    public void takeBack(TakenBack unstarted) {
        forEach(output -> OutputControl.takeBack(output, unstarted));
    }

    @Override
    public void stop() {
        forEach(OutputControl::stop);
    }

    @Override
    public boolean isHeldUpHere() {
        return strands().stream().anyMatch(OutputSequence::isHeldUpHere);
    }

    @Override
    public void forEachRunning(Consumer<? super RunningTask> visitor) {
        forEach(output -> OutputControl.forEachRunning(output, visitor));
    }

    @Override
    public void forEachStuck(long nanos, Consumer<? super Explanation> visitor) {
        forEach(output -> OutputControl.forStuck(output, nanos, visitor));
    }

    @Override
    public void forEachOldestQueuedAt(LongConsumer visitor) {
        forEach(output -> OutputControl.forOldestQueuedAt(output, visitor));
    }
}
