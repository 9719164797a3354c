package io.orderedexecutor.engine.output;

import io.orderedexecutor.engine.executor.SegmentedTable;

/** The tasks of ordered outputs that have not ended. An output without tasks is known to its users only. */
final class OutputTable extends SegmentedTable<TaskRing<OutputTask<?>>, OutputTask<?>> {

    OutputTable() {
        super(index -> new TaskRing<>(), null);
    }
}
