package io.orderedexecutor.test.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.Ticket;
import io.orderedexecutor.TicketSequencer;
import io.orderedexecutor.TicketSequencerBuilder;
import io.orderedexecutor.test.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Tickets that are run, skipped, forgotten until their lease is over, and waited for, by several threads; issued one
 * after the other, or with numbers that come in any order, some twice and some never.
 */
final class TicketSchedule {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final long FIRST = 100;

    private final Simulation simulation;
    private final TicketSequencer tickets;
    private final int window;
    private final boolean hasLease;
    private final boolean isNumbered;
    private final List<Long> ran = new ArrayList<>();

    /** The numbers that nobody has asked for. */
    private final List<Long> numbers = new ArrayList<>();

    /** The numbers that were issued. */
    private final List<Long> taken = new ArrayList<>();

    private int settled;
    private boolean running;

    private TicketSchedule(Simulation simulation) {
        this.simulation = simulation;
        this.window = 1 + simulation.choose(4);
        this.hasLease = oneIn(2);
        this.isNumbered = oneIn(2);
        TicketSequencerBuilder builder = simulation.tickets().window(window).onFailure((ticket, failure) -> {
            if (failure instanceof TimeoutException) {
                settled++;
            }
        });
        if (hasLease) {
            builder.lease(LEASE);
        }
        if (oneIn(2)) {
            builder.turn(1, Duration.ofSeconds(1));
        }
        if (oneIn(2)) {
            builder.executor(simulation.executor());
        }
        if (isNumbered) {
            builder.numberedFrom(FIRST);
            for (int i = 0; i < 12; i++) {
                numbers.add(FIRST + i);
            }
        }
        tickets = builder.build();
    }

    private boolean oneIn(int times) {
        return simulation.choose(times) == times - 1;
    }

    static void run(Simulation simulation) {
        TicketSchedule schedule = new TicketSchedule(simulation);
        int callers = 1 + simulation.choose(3);
        for (int i = 0; i < callers; i++) {
            simulation.thread("caller " + i, schedule::call);
        }
        simulation.run();
        if (schedule.isNumbered) {
            schedule.tickets.skipTo(FIRST + 1000);
            simulation.run();
        }
        assertThat(schedule.ran).as("in the order of their numbers").isSorted().doesNotHaveDuplicates();
        assertThat(schedule.settled).as("each ticket is run, skipped or over").isEqualTo(schedule.taken.size());
        assertThat(schedule.tickets.flush()).isDone();
    }

    private void call() throws Exception {
        int operations = 1 + simulation.choose(5);
        for (int i = 0; i < operations; i++) {
            Ticket ticket = isNumbered ? issue() : next();
            if (ticket == null) {
                continue;
            }
            assertThat(taken).as("issued once").doesNotContain(ticket.position());
            taken.add(ticket.position());
            if (oneIn(3)) {
                simulation.yieldPoint("with ticket");
            }
            use(ticket);
        }
    }

    /** A ticket; null if there was no room. */
    private @Nullable Ticket next() throws InterruptedException {
        switch (simulation.choose(4)) {
            case 1 -> {
                try {
                    return tickets.next(PATIENCE);
                } catch (TimeoutException full) {
                    return null;
                }
            }
            case 2 -> {
                return tickets.tryNext();
            }
            case 3 -> {
                return await(tickets.nextAsync());
            }
            default -> {
                return tickets.next();
            }
        }
    }

    /** The ticket of a number that nobody has asked for; null if it is beyond the window, or was given to another. */
    private @Nullable Ticket issue() throws InterruptedException {
        if (!taken.isEmpty() && oneIn(6)) {
            long again = taken.get(simulation.choose(taken.size()));
            try {
                throw new AssertionError(tickets.tryIssue(again) + " was issued before");
            } catch (IllegalArgumentException refused) {
                return null;
            }
        }
        if (numbers.isEmpty()) {
            return null;
        }
        // most often one of the first, or all wait for those that are never asked for
        long number = numbers.remove(Math.min(simulation.choose(3), numbers.size() - 1));
        Ticket ticket = null;
        switch (simulation.choose(3)) {
            case 1 -> ticket = tickets.tryIssue(number);
            case 2 -> ticket = await(tickets.issueAsync(number));
            default -> {
                try {
                    ticket = tickets.issue(number, PATIENCE);
                } catch (TimeoutException full) {
                    simulation.yieldPoint("gives a number up");
                }
            }
        }
        if (ticket == null) {
            numbers.add(0, number);
        } else {
            assertThat(ticket.position()).isEqualTo(number);
        }
        return ticket;
    }

    /** Waits for a while; null if it was in vain. A ticket that comes at that moment is taken. */
    private @Nullable Ticket await(CompletableFuture<Ticket> coming) throws InterruptedException {
        for (int i = 0; i < 3 && !coming.isDone(); i++) {
            simulation.sleep(Duration.ofSeconds(1));
        }
        return coming.cancel(false) ? null : coming.join();
    }

    private void use(Ticket ticket) throws InterruptedException {
        switch (simulation.choose(6)) {
            case 4 -> {
                settled++;
                ticket.skip();
            }
            case 5 -> {
                if (!hasLease) {
                    settled++;
                    ticket.close();
                }
                // else it is lost, and over when its lease is
            }
            default -> ticket.run(() -> output(ticket.position()));
        }
    }

    private void output(long position) {
        assertThat(running).as("two outputs at once").isFalse();
        running = true;
        if (oneIn(4)) {
            simulation.yieldPoint("writes " + position);
        }
        running = false;
        ran.add(position);
        settled++;
    }
}
