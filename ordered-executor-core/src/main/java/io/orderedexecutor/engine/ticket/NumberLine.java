package io.orderedexecutor.engine.ticket;

import io.orderedexecutor.stats.SequencerSnapshot;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of {@link NumberedTickets} that were issued or skipped, and their way into the {@link TicketQueue}, which
 * knows no gaps: a ticket waits here, ahead, until all numbers before it are linked or skipped. Numbers that are
 * skipped are linked as one ticket for each gap.
 *
 * <p>Not thread-safe: all calls are made under the lock of the owner.
 */
final class NumberLine {
    private final TicketQueue queue;
    private final long first;
    private final NavigableMap<Long, QueuedTicket> ahead = new TreeMap<>();

    /** The first number that is neither linked nor skipped. */
    private long unlinked;

    /** Numbers before this one that are unknown are skipped as soon as all before them are linked. */
    private long skippedTo;

    /** How many tickets were issued. */
    private long issued;

    NumberLine(TicketQueue queue, long first) {
        this.queue = queue;
        this.first = first;
        this.unlinked = first;
        this.skippedTo = first;
    }

    /** The first number of all. */
    long first() {
        return first;
    }

    /** The first number that is neither linked nor skipped. */
    long unlinked() {
        return unlinked;
    }

    /** Whether a number may be issued; throws if it is out of range, was issued or was skipped. */
    void requireUnknown(long position) {
        if (position < first || position == Long.MAX_VALUE) {
            throw new IllegalArgumentException("number " + position + " is none of this sequencer, whose tickets are"
                    + " numbered from " + first + " to " + (Long.MAX_VALUE - 1));
        }
        if (position < unlinked || ahead.containsKey(position)) {
            throw comesTwice(position, "its ticket was issued, or it was skipped");
        }
        if (position < skippedTo) {
            throw comesTwice(position, "it was skipped by skipTo(" + skippedTo + ")");
        }
    }

    static IllegalArgumentException comesTwice(long position, String before) {
        return new IllegalArgumentException("number " + position + " comes too late or twice: " + before
                + "; each number has one ticket, which can be used once");
    }

    /**
     * Issues the ticket of a number that is unknown.
     *
     * @param firstAwaited the first number that a caller waits for
     */
    QueuedTicket issue(long position, long firstAwaited) {
        QueuedTicket ticket = queue.issue(position);
        issued++;
        if (position == unlinked) {
            unlinked++;
            // no other thread knows of it, and so neither it nor what is linked behind it can be served yet
            boolean unused = queue.link(ticket);
            QueuedTicket unusedBehind = linkAll(firstAwaited);
        } else {
            ahead.put(position, ticket);
        }
        return ticket;
    }

    /**
     * Links what can be linked.
     *
     * @param firstAwaited the first number that a caller waits for, and that is not skipped therefore
     * @return a ticket that is to be served without the lock; null if there is none. There is one at most: as long as
     *     it is not served, nothing comes to the end behind which the next could be the first
     */
    @Nullable
    QueuedTicket linkAll(long firstAwaited) {
        QueuedTicket toServe = null;
        for (QueuedTicket next = nextToLink(firstAwaited); next != null; next = nextToLink(firstAwaited)) {
            unlinked = next.position() + 1;
            if (queue.link(next)) {
                toServe = next;
            }
        }
        return toServe;
    }

    private @Nullable QueuedTicket nextToLink(long firstAwaited) {
        QueuedTicket next = ahead.isEmpty() ? null : ahead.remove(unlinked);
        if (next != null || unlinked >= skippedTo) {
            return next;
        }
        long firstAhead = ahead.isEmpty() ? Long.MAX_VALUE : ahead.firstKey();
        long end = Math.min(skippedTo, Math.min(firstAhead, firstAwaited));
        return end == unlinked ? null : QueuedTicket.gap(queue.server(), end - 1);
    }

    /** Skips the unknown numbers before this one, as soon as all before them are linked. */
    void skipTo(long position) {
        skippedTo = Math.max(skippedTo, position);
    }

    boolean isSkipped(long position) {
        return position < skippedTo;
    }

    /** The number behind all that were issued or skipped. */
    long end() {
        return ahead.isEmpty() ? unlinked : ahead.lastKey() + 1;
    }

    /** The last ticket in the order of the numbers. */
    QueuedTicket latest() {
        return ahead.isEmpty() ? queue.latest() : ahead.lastEntry().getValue();
    }

    /** What the tickets look like at this moment. */
    SequencerSnapshot snapshot() {
        return queue.snapshot(
                issued, first, ahead.isEmpty() ? null : ahead.firstEntry().getValue());
    }
}
