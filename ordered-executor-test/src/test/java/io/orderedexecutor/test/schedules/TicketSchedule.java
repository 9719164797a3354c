package io.orderedexecutor.test.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.Ticket;
import io.orderedexecutor.TicketSequencer;
import io.orderedexecutor.TicketSequencerBuilder;
import io.orderedexecutor.test.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** Tickets that are run, skipped, forgotten until their lease is over, and waited for, by several threads. */
final class TicketSchedule {
    private static final Duration LEASE = Duration.ofSeconds(10);

    private final Simulation simulation;
    private final TicketSequencer tickets;
    private final int window;
    private final boolean hasLease;
    private final List<Long> ran = new ArrayList<>();
    private int issued;
    private int settled;
    private boolean running;

    private TicketSchedule(Simulation simulation) {
        this.simulation = simulation;
        this.window = 1 + simulation.choose(4);
        this.hasLease = simulation.choose(2) == 1;
        TicketSequencerBuilder builder = simulation.tickets().window(window).onFailure((ticket, failure) -> {
            if (failure instanceof TimeoutException) {
                settled++;
            }
        });
        if (hasLease) {
            builder.lease(LEASE);
        }
        if (simulation.choose(2) == 1) {
            builder.turn(1, Duration.ofSeconds(1));
        }
        tickets = builder.build();
    }

    static void run(Simulation simulation) {
        TicketSchedule schedule = new TicketSchedule(simulation);
        int callers = 1 + simulation.choose(3);
        for (int i = 0; i < callers; i++) {
            simulation.thread("caller " + i, schedule::call);
        }
        simulation.run();
        assertThat(schedule.ran).as("in the order of their numbers").isSorted().doesNotHaveDuplicates();
        assertThat(schedule.settled).as("each ticket is run, skipped or over").isEqualTo(schedule.issued);
        assertThat(schedule.tickets.flush()).isDone();
    }

    private void call() throws Exception {
        int operations = 1 + simulation.choose(5);
        for (int i = 0; i < operations; i++) {
            Ticket ticket;
            try {
                ticket = simulation.choose(3) == 2 ? tickets.next(Duration.ofSeconds(3)) : tickets.next();
            } catch (TimeoutException full) {
                continue;
            }
            issued++;
            if (simulation.choose(3) == 2) {
                simulation.yieldPoint("with ticket");
            }
            use(ticket);
        }
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
        if (simulation.choose(4) == 3) {
            simulation.yieldPoint("writes " + position);
        }
        running = false;
        ran.add(position);
        settled++;
    }
}
