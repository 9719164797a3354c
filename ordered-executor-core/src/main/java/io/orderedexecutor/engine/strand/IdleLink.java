package io.orderedexecutor.engine.strand;

/** A link that is placed only if nothing runs or waits in its queue, and the strand is not paused. */
public final class IdleLink extends ArrivalLink {
    private final long queuedAt;

    /** Used by the submitter. */
    private boolean skipped;

    /**
     * Makes a link.
     *
     * @param queuedAt see {@link Link#queuedAt}
     */
    public IdleLink(Runnable task, long queuedAt) {
        super(task);
        this.queuedAt = queuedAt;
    }

    @Override
    Placed enqueueIn(Strand strand, int capacity) {
        Placed placed = null;
        while (placed == null) {
            Link last = strand.last();
            boolean ended = last.isClosed();
            if (!ended && (strand.isPausedItself() || isBusyUpTo(last, strand))) {
                placed = Placed.BUSY;
            } else if (!ended && capacity < 1) {
                placed = Placed.FULL;
            } else {
                placed = strand.appendTo(last, this);
            }
        }
        skipped = placed == Placed.BUSY;
        if (skipped && waiting() instanceof WorkFuture<?> future) {
            future.waitNowhere();
        }
        return placed;
    }

    private static boolean isBusyUpTo(Link last, LinkQueue queue) {
        Link link = queue.lastServedUpTo(last);
        if (link.isServed() && !queue.hasReturned(link)) {
            return true;
        }
        for (Link next = link; next != null; next = next == last ? null : next.next()) {
            if (next.isPassed()) {
                return isBusyUpTo(last, queue);
            }
            if (next.waiting() != null) {
                return true;
            }
        }
        return false;
    }

    /** Whether this link was not placed because its queue was busy. */
    public boolean isSkipped() {
        return skipped;
    }

    @Override
    public long queuedAt() {
        return queuedAt;
    }
}
