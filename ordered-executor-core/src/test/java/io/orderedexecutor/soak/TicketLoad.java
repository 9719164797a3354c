package io.orderedexecutor.soak;

import static io.orderedexecutor.fixtures.Tickets.numberOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.NumberedSequencer;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.TicketSequencer;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/** Tickets that are run, skipped and closed; issued in a row, or with numbers that the submitters bring. */
final class TicketLoad implements Load {
    private final String name;

    /** The next number; null if the sequencer numbers the tickets. */
    private final AtomicLong numbers;

    /** One of the two is null. */
    private final TicketSequencer tickets;

    private final NumberedSequencer numbered;
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
        BiConsumer<Long, Throwable> onFailure = (number, failure) -> toldOfFailure.increment();
        Duration time = Duration.ofNanos(100_000);
        this.tickets = isNumbered
                ? null
                : TicketSequencer.builder()
                        .window(64)
                        .turn(16, time)
                        .executor(pool)
                        .onFailure(onFailure)
                        .build();
        this.numbered = isNumbered
                ? NumberedSequencer.builder(0)
                        .window(64)
                        .turn(16, time)
                        .executor(pool)
                        .onFailure(onFailure)
                        .build()
                : null;
    }

    @Override
    public void act(int submitter, boolean watches, SplittableRandom random) {
        boolean fails = random.nextInt(100) == 0;
        int use = random.nextInt(20);
        try (Reservation ticket = numbers == null ? tickets.next() : numbered.at(numbers.getAndIncrement())) {
            issued.increment();
            if (use < 2) {
                // given back at the end of the try
                unused.increment();
            } else {
                if (fails) {
                    failed.increment();
                }
                ticket.execute(() -> write(numberOf(ticket), fails));
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
        // it keeps what it was built with
    }

    @Override
    public void calm() {
        // it cannot be paused
    }

    @Override
    public void settle() {
        Patience.get(numbers == null ? tickets.flush() : numbered.flush());
        assertThat(wrong).isNull();
        assertThat(written + unused.sum())
                .as("written or left out, of all tickets")
                .isEqualTo(issued.sum());
        assertThat(toldOfFailure.sum()).as("failures told of").isEqualTo(failed.sum());
    }

    @Override
    public void assertNothingIsHeld() {
        assertThat((numbers == null ? tickets.snapshot() : numbered.snapshot()).open())
                .as("open tickets")
                .isZero();
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
        if (numbers == null) {
            tickets.stop();
        } else {
            numbered.stop();
        }
    }
}
