package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.ticket.QueuedTicket;
import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.SequencerSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A sequencer whose threads, timer and clock are the test's own, and a note of each output that runs. */
public final class SteppedSequencer {
    public final SteppedExecutor executor = new SteppedExecutor();
    public final HandTimer timer = new HandTimer(() -> this.now);
    public final List<Long> ran = new ArrayList<>();
    public final List<Throwable> failures = new ArrayList<>();
    public final TicketSequencer sequencer;
    private long now = -1_000_000_007;

    public SteppedSequencer(int window) {
        this(settings -> settings.window(window));
    }

    public SteppedSequencer(Consumer<TicketSequencerBuilder> settings) {
        TicketSequencerBuilder builder = TicketSequencer.builder()
                .executor(executor)
                .platform(timer)
                .onFailure((ticket, failure) -> failures.add(failure));
        settings.accept(builder);
        this.sequencer = builder.build();
    }

    public void pass(Duration time) {
        now += time.toNanos();
    }

    public QueuedTicket next() {
        QueuedTicket ticket = (QueuedTicket) sequencer.tryNext();
        assertThat(ticket).as("a ticket, of %s", sequencer).isNotNull();
        return ticket;
    }

    public List<QueuedTicket> next(int count) {
        List<QueuedTicket> tickets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tickets.add(next());
        }
        return tickets;
    }

    /** An output that notes the ticket. */
    public Runnable output(Ticket ticket) {
        return () -> ran.add(ticket.position());
    }

    public void run(Ticket ticket) {
        ticket.run(output(ticket));
    }

    /** Shows that a ticket can be used. */
    public void assertUsable(Ticket ticket) {
        run(ticket);
        assertThat(ran).last().isEqualTo(ticket.position());
        assertGoesOn();
    }

    /** Shows that nothing is stalled: whoever is asked to go on does, and a new ticket runs at once. */
    public void assertGoesOn() {
        executor.runAll();
        Ticket last = next();
        run(last);
        assertThat(ran).last().isEqualTo(last.position());
        assertThat(sequencer.snapshot()).isEqualTo(new SequencerSnapshot(last.position() + 1, 0, Duration.ZERO));
    }
}
