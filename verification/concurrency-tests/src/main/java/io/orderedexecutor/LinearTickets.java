package io.orderedexecutor;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;

/** Tickets are numbered without a gap, and each can be used once; what was used before all others has run. */
@Param(name = "ticket", gen = IntGen.class, conf = "0:3")
public class LinearTickets {
    private static final int MOST = 16;

    private final TicketSequencer sequencer = new TicketSequencer(MOST);
    private final AtomicReferenceArray<@Nullable Reservation> tickets = new AtomicReferenceArray<>(MOST);
    private final long first;

    public LinearTickets() {
        Reservation ticket = Objects.requireNonNull(sequencer.tryNext());
        first = numberOf(ticket);
        tickets.set(0, ticket);
    }

    private static long numberOf(Reservation ticket) {
        return Long.parseLong(ticket.toString().replaceAll("\\D", ""));
    }

    /** Issues a ticket: its number. */
    @Operation
    public long issue() {
        Reservation ticket = Objects.requireNonNull(sequencer.tryNext());
        int number = (int) (numberOf(ticket) - first);
        tickets.set(number, ticket);
        return number;
    }

    /** Uses the first ticket; false if it was used before. */
    @Operation
    public boolean useFirst() {
        try {
            Objects.requireNonNull(tickets.get(0)).execute(() -> {});
            return true;
        } catch (IllegalStateException used) {
            return false;
        }
    }

    /** What it should be. */
    public static class Specification {
        private long issued;
        private boolean isUsed;

        public long issue() {
            return ++issued;
        }

        public boolean useFirst() {
            boolean isFirst = !isUsed;
            isUsed = true;
            return isFirst;
        }
    }
}
