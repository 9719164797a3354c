package io.orderedexecutor.engine.output;

import io.orderedexecutor.engine.executor.SegmentedTable;
import java.util.function.Consumer;

/** The tasks of ordered outputs that have not ended. An output without tasks is known to its users only. */
final class OutputTable extends SegmentedTable<TaskRing<OutputTask<?>>, OutputTask<?>> {

    OutputTable() {
        super(index -> new TaskRing<>());
    }

    @Override
    public void forEach(Consumer<? super OutputTask<?>> visitor) {
        segments().forEach(segment -> segment.tasks().forEach(visitor));
    }
}
