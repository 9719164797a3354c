package io.orderedexecutor.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.Ticket;
import io.orderedexecutor.TicketSequencer;
import io.orderedexecutor.TicketSequencerBuilder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Tickets that are run, skipped and closed; issued in a row, or with numbers that the submitters bring. */
final class TicketLoad implements Load {
    private final String name;

    /** The next number; null if the sequencer numbers the tickets. */
    private final AtomicLong numbers;

    private final TicketSequencer tickets;
    private final LongAdder issued = new LongAdder();
    private final LongAdder unused = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder toldOfFailure = new LongAdder();
    private final AtomicInteger writing = new AtomicInteger();

    // used by outputs, one at a time, and protected by nothing else

    private long last = -1;
    private long written;
    private String wrong;

    TicketLoad(String name, boolean isNumbered, Executor pool) {
        this.name = name;
        this.numbers = isNumbered ? new AtomicLong() : null;
        TicketSequencerBuilder builder = TicketSequencer.builder()
                .window(64)
                .turn(16, Duration.ofNanos(100_000))
                .executor(pool)
                .onFailure((ticket, failure) -> toldOfFailure.increment());
        this.tickets = (isNumbered ? builder.numberedFrom(0) : builder).build();
    }

    @Override
    public void act(int submitter, boolean watches, SplittableRandom random) {
        boolean fails = random.nextInt(100) == 0;
        int use = random.nextInt(20);
        try (Ticket ticket = numbers == null ? tickets.next() : tickets.issue(numbers.getAndIncrement())) {
            issued.increment();
            if (use < 2) {
                unused.increment();
                if (use == 0) {
                    ticket.skip();
                }
            } else {
                if (fails) {
                    failed.increment();
                }
                ticket.run(() -> write(ticket.position(), fails));
            }
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts a submitter", e);
        }
    }

    private void write(long position, boolean fails) {
        if (writing.incrementAndGet() > 1) {
            wrong = "two outputs overlap at " + position;
        }
        if (position <= last) {
            wrong = position + " was written after " + last;
        }
        last = position;
        written++;
        writing.decrementAndGet();
        if (fails) {
            throw new ThrownOnPurpose();
        }
    }

    @Override
    public void change(SplittableRandom random) {
        tickets.setWindow(1 + random.nextInt(128));
    }

    @Override
    public void calm() {
        // it cannot be paused
    }

    @Override
    public void settle() {
        Patience.get(tickets.flush());
        assertThat(wrong).isNull();
        assertThat(written + unused.sum())
                .as("written or left out, of all tickets")
                .isEqualTo(issued.sum());
        assertThat(toldOfFailure.sum()).as("failures told of").isEqualTo(failed.sum());
    }

    @Override
    public void assertNothingIsHeld() {
        assertThat(tickets.snapshot().open()).as("open tickets").isZero();
    }

    @Override
    public long passingKeys() {
        return 0;
    }

    @Override
    public String toString() {
        return String.format("%s: %,d issued, %,d written, %,d failed", name, issued.sum(), written, failed.sum());
    }

    @Override
    public void close() {
        tickets.stop();
    }
}
