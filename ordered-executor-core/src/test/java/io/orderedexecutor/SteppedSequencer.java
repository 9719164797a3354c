package io.orderedexecutor;

import static io.orderedexecutor.fixtures.Tickets.numberOf;
import static org.assertj.core.api.Assertions.assertThat;

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

    /** Null if numbers come from outside. */
    public final TicketSequencer sequencer;

    /** Null if they do not. */
    public final NumberedSequencer numbered;

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
        this.numbered = null;
    }

    /** With numbers from outside. */
    public SteppedSequencer(long firstNumber, Consumer<NumberedSequencerBuilder> settings) {
        NumberedSequencerBuilder builder = NumberedSequencer.builder(firstNumber)
                .executor(executor)
                .platform(timer)
                .onFailure((number, failure) -> failures.add(failure));
        settings.accept(builder);
        this.sequencer = null;
        this.numbered = builder.build();
    }

    public void pass(Duration time) {
        now += time.toNanos();
    }

    /** Lets the timer fire, and the executor do what it leads to. */
    public void fire() {
        timer.fire();
        executor.runAll();
    }

    public Reservation next() {
        Reservation ticket = sequencer.tryNext();
        assertThat(ticket).as("a ticket, of %s", sequencer).isNotNull();
        return ticket;
    }

    public List<Reservation> next(int count) {
        List<Reservation> tickets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tickets.add(next());
        }
        return tickets;
    }

    /** An output that notes the ticket. */
    public Runnable output(Reservation ticket) {
        return () -> ran.add(numberOf(ticket));
    }

    public void run(Reservation ticket) {
        ticket.execute(output(ticket));
    }

    /** Shows that a ticket can be used. */
    public void assertUsable(Reservation ticket) {
        run(ticket);
        assertThat(ran).last().isEqualTo(numberOf(ticket));
        assertGoesOn();
    }

    /** Shows that nothing is stalled: whoever is asked to go on does, and a new ticket runs at once. */
    public void assertGoesOn() {
        executor.runAll();
        Reservation last = next();
        run(last);
        assertThat(ran).last().isEqualTo(numberOf(last));
        assertThat(sequencer.snapshot()).isEqualTo(new SequencerSnapshot(numberOf(last) + 1, 0, Duration.ZERO));
    }
}
