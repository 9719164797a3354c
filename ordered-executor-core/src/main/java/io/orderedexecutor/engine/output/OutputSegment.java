package io.orderedexecutor.engine.output;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.engine.executor.SegmentedTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part of an {@link OutputTable}. */
final class OutputSegment implements SegmentedTable.Segment<OutputSequence<?>> {
    /** The outputs that are here are linked to each other, so that one that comes needs no memory. */
    @GuardedBy("this")
    private @Nullable OutputSequence<?> last;

    @GuardedBy("this")
    private long arrivals;

    @GuardedBy("this")
    private boolean closed;

    /**
     * Called before a piece comes to an output that has none. What an output has had before may leave later: so it
     * counts how often it is here.
     *
     * @return false if no more are accepted
     */
    synchronized boolean enter(OutputSequence<?> output) {
        if (closed) {
            return false;
        }
        if (output.timesHere++ == 0) {
            output.before = last;
            if (last != null) {
                last.after = output;
            }
            last = output;
        }
        arrivals++;
        return true;
    }

    /**
     * Called when an output has no pieces any more, or another submitter was faster.
     *
     * @return true if it was the last one and no other can come; so for one call at most
     */
    synchronized boolean leave(OutputSequence<?> output) {
        if (--output.timesHere > 0) {
            return false;
        }
        OutputSequence<?> before = output.before;
        OutputSequence<?> after = output.after;
        if (before != null) {
            before.after = after;
        }
        if (after != null) {
            after.before = before;
        } else {
            last = before;
        }
        output.before = null;
        output.after = null;
        return closed && last == null;
    }

    @Override
    public synchronized boolean close() {
        closed = true;
        return last == null;
    }

    @Override
    public synchronized long arrivalsIfEmpty() {
        return last == null ? arrivals : -1;
    }

    /** The outputs that have pieces. */
    @Override
    public synchronized List<OutputSequence<?>> strands() {
        List<OutputSequence<?>> outputs = new ArrayList<>();
        for (OutputSequence<?> output = last; output != null; output = output.before) {
            outputs.add(output);
        }
        return outputs;
    }
}
