package io.orderedexecutor.engine.executor;

import io.orderedexecutor.engine.strand.HeldUp;
import io.orderedexecutor.engine.strand.Host;
import io.orderedexecutor.engine.strand.Reason;
import io.orderedexecutor.engine.strand.StrandReasons;
import io.orderedexecutor.stats.Explanation.Place;

/**
 * Tasks of an executor that could start, and do not.
 *
 * @param host the executor
 * @param place what they were submitted to, or the executor as a whole
 */
public record Busy(Host host, Place place) implements HeldUp {

    @Override
    public Reason heldUpBy() {
        return StrandReasons.ofBusy(host, place);
    }
}
