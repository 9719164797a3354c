package io.orderedexecutor.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.Ticket;
import io.orderedexecutor.TicketSequencer;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Tickets that are run, skipped and closed. */
final class TicketLoad implements Load {
    private final TicketSequencer tickets = TicketSequencer.builder()
            .window(64)
            .onFailure((ticket, failure) -> {})
            .build();
    private final LongAdder issued = new LongAdder();
    private final LongAdder settled = new LongAdder();
    private final AtomicInteger writing = new AtomicInteger();

    /** Used by outputs, one at a time. */
    private long last;

    private volatile boolean isWrong;

    @Override
    public void act(int submitter, SplittableRandom random) throws InterruptedException {
        boolean throwing = random.nextInt(20) == 0;
        int use = random.nextInt(10);
        try (Ticket ticket = tickets.next()) {
            issued.increment();
            if (use == 0) {
                ticket.skip();
                settled.increment();
            } else if (use == 1) {
                settled.increment();
            } else {
                ticket.run(() -> write(ticket.position(), throwing));
            }
        } catch (ThrownOnPurpose expected) {
            assertThat(throwing).isTrue();
        }
    }

    private void write(long position, boolean throwing) {
        if (writing.incrementAndGet() > 1 || position < last) {
            isWrong = true;
        }
        last = position;
        settled.increment();
        writing.decrementAndGet();
        if (throwing) {
            throw new ThrownOnPurpose();
        }
    }

    @Override
    public void change(SplittableRandom random) {
        tickets.setWindow(1 + random.nextInt(128));
    }

    @Override
    public void settle() {
        Patience.get(tickets.flush());
        assertThat(isWrong).as("out of order, or two at once").isFalse();
        assertThat(settled.sum()).as("run or skipped").isEqualTo(issued.sum());
    }

    @Override
    public String figures() {
        return String.format("tickets: %,d issued", issued.sum());
    }

    @Override
    public void close() {
        tickets.stop();
    }
}
