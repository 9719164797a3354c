package io.orderedexecutor.engine.executor;

import io.orderedexecutor.engine.strand.Host;
import io.orderedexecutor.engine.strand.StrandReasons;
import io.orderedexecutor.engine.task.HeldUp;
import io.orderedexecutor.engine.task.Reason;
import io.orderedexecutor.stats.Explanation.Place;

/**
 * Tasks of an executor that could start, and do not.
 *
 * @param host the executor
 * @param where what they were submitted to, or the executor as a whole
 */
public record Busy(Host host, Place where) implements HeldUp {

    @Override
    public Reason heldUpBy() {
        return StrandReasons.ofBusy(host, where);
    }
}
