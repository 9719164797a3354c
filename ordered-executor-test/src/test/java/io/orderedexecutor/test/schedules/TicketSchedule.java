package io.orderedexecutor.test.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.NumberedSequencer;
import io.orderedexecutor.NumberedSequencerBuilder;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.TicketSequencer;
import io.orderedexecutor.TicketSequencerBuilder;
import io.orderedexecutor.test.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Tickets that are used, closed, forgotten until their lease is over, and waited for, by several threads; issued one
 * after the other, or with numbers that come in any order, some twice and some never.
 */
final class TicketSchedule {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final long FIRST = 100;

    private final Simulation simulation;

    /** Issues tickets one after the other; null if they are numbered. */
    private final @Nullable TicketSequencer tickets;

    private final @Nullable NumberedSequencer numbered;
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
        boolean isTurnShort = oneIn(2);
        Executor executor = oneIn(2) ? simulation.executor() : null;
        if (isNumbered) {
            NumberedSequencerBuilder builder =
                    simulation.numbers(FIRST).window(window).onFailure(this::onFailure);
            if (hasLease) {
                builder.lease(LEASE);
            }
            if (isTurnShort) {
                builder.turn(1, Duration.ofSeconds(1));
            }
            if (executor != null) {
                builder.executor(executor);
            }
            for (int i = 0; i < 12; i++) {
                numbers.add(FIRST + i);
            }
            numbered = builder.build();
            tickets = null;
        } else {
            TicketSequencerBuilder builder = simulation.tickets().window(window).onFailure(this::onFailure);
            if (hasLease) {
                builder.lease(LEASE);
            }
            if (isTurnShort) {
                builder.turn(1, Duration.ofSeconds(1));
            }
            if (executor != null) {
                builder.executor(executor);
            }
            tickets = builder.build();
            numbered = null;
        }
    }

    private void onFailure(long number, Throwable failure) {
        if (failure instanceof TimeoutException) {
            settled++;
        }
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
            Objects.requireNonNull(schedule.numbered).advanceTo(FIRST + 1000);
            simulation.run();
        }
        assertThat(schedule.ran).as("in the order of their numbers").isSorted().doesNotHaveDuplicates();
        assertThat(schedule.settled).as("each ticket is used, closed or over").isEqualTo(schedule.taken.size());
        assertThat(
                        schedule.tickets == null
                                ? Objects.requireNonNull(schedule.numbered).flush()
                                : schedule.tickets.flush())
                .isDone();
    }

    private void call() throws Exception {
        int operations = 1 + simulation.choose(5);
        for (int i = 0; i < operations; i++) {
            Reservation ticket = isNumbered ? issue() : next();
            if (ticket == null) {
                continue;
            }
            assertThat(taken).as("issued once").doesNotContain(numberOf(ticket));
            taken.add(numberOf(ticket));
            if (oneIn(3)) {
                simulation.yieldPoint("with ticket");
            }
            use(ticket);
        }
    }

    /** A ticket; null if there was no room. */
    private @Nullable Reservation next() throws InterruptedException {
        TicketSequencer asked = Objects.requireNonNull(tickets);
        switch (simulation.choose(4)) {
            case 1 -> {
                try {
                    return asked.next(PATIENCE);
                } catch (TimeoutException full) {
                    return null;
                }
            }
            case 2 -> {
                return asked.tryNext();
            }
            case 3 -> {
                return await(asked.nextAsync());
            }
            default -> {
                return asked.next();
            }
        }
    }

    /** The ticket of a number that nobody has asked for; null if it is beyond the window, or was given to another. */
    private @Nullable Reservation issue() throws InterruptedException {
        NumberedSequencer asked = Objects.requireNonNull(numbered);
        if (!taken.isEmpty() && oneIn(6)) {
            long again = taken.get(simulation.choose(taken.size()));
            try {
                throw new AssertionError(asked.tryAt(again) + " was issued before");
            } catch (IllegalArgumentException refused) {
                return null;
            }
        }
        if (numbers.isEmpty()) {
            return null;
        }
        // most often one of the first, or all wait for those that are never asked for
        long number = numbers.remove(Math.min(simulation.choose(3), numbers.size() - 1));
        Reservation ticket = null;
        switch (simulation.choose(3)) {
            case 1 -> ticket = asked.tryAt(number);
            case 2 -> ticket = await(asked.atAsync(number));
            default -> {
                try {
                    ticket = asked.at(number, PATIENCE);
                } catch (TimeoutException full) {
                    simulation.yieldPoint("gives a number up");
                }
            }
        }
        if (ticket == null) {
            numbers.add(0, number);
        } else {
            assertThat(numberOf(ticket)).isEqualTo(number);
        }
        return ticket;
    }

    /** Waits for a while; null if it was in vain. A ticket that comes at that moment is taken. */
    private @Nullable Reservation await(CompletableFuture<Reservation> coming) throws InterruptedException {
        for (int i = 0; i < 3 && !coming.isDone(); i++) {
            simulation.sleep(Duration.ofSeconds(1));
        }
        return coming.cancel(false) ? null : coming.join();
    }

    private void use(Reservation ticket) throws InterruptedException {
        switch (simulation.choose(6)) {
            case 4 -> {
                settled++;
                ticket.close();
            }
            case 5 -> {
                if (!hasLease) {
                    settled++;
                    ticket.close();
                }
                // else it is lost, and over when its lease is
            }
            default -> ticket.execute(() -> output(numberOf(ticket)));
        }
    }

    private static long numberOf(Reservation ticket) {
        return Long.parseLong(ticket.toString().replaceAll("\\D", ""));
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
