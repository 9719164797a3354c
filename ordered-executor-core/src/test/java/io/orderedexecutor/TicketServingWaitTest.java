package io.orderedexecutor;

import static io.orderedexecutor.fixtures.Tickets.numberOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Threads that wait for a ticket, and run the outputs that make room for them. */
class TicketServingWaitTest {
    private final SteppedSequencer stepped =
            new SteppedSequencer(settings -> settings.window(2).turn(1, Duration.ofDays(1)));
    private final TicketSequencer sequencer = stepped.sequencer;
    private final AtomicReference<Object> got = new AtomicReference<>();
    private final AtomicReference<Thread> ranOn = new AtomicReference<>();

    private final Thread waiter = new Thread(() -> {
        try {
            got.set(sequencer.next());
        } catch (Throwable thrown) {
            got.set(thrown);
        }
    });

    private CompletableFuture<Reservation> third;

    /** Two open tickets, and two who wait: a future, and behind it the thread. */
    private List<Reservation> full() {
        List<Reservation> tickets = stepped.next(2);
        third = sequencer.nextAsync();
        assertThat(third).isNotDone();
        waiter.start();
        Patience.awaitParked(waiter);
        return tickets;
    }

    private void leaveSecond(List<Reservation> tickets) {
        tickets.get(1).execute(() -> {
            ranOn.set(Thread.currentThread());
            stepped.ran.add(1L);
        });
    }

    @Test
    @DisplayName("who waits in next() goes on with the outputs that make room, even if the executor has no thread left")
    void aWaiterServes() {
        List<Reservation> tickets = full();
        leaveSecond(tickets);
        stepped.run(tickets.get(0));
        Patience.join(waiter);
        assertThat(ranOn.get()).isSameAs(waiter);
        assertThat(stepped.executor.waiting()).as("steps of the executor").isZero();
        assertThat(numberOf((Reservation) got.get())).isEqualTo(3);
        stepped.run(third.join());
        assertThat(stepped.ran).containsExactly(0L, 1L, 2L);
        stepped.assertUsable((Reservation) got.get());
    }

    @Test
    @DisplayName("who comes to wait looks for outputs that were left to an executor which has no thread for them")
    void oneWhoComesLaterServes() {
        List<Reservation> tickets = stepped.next(2);
        third = sequencer.nextAsync();
        leaveSecond(tickets);
        stepped.run(tickets.get(0));
        assertThat(stepped.executor.waiting()).isEqualTo(1);
        waiter.start();
        Patience.join(waiter);
        stepped.run(third.join());
        assertThat(ranOn.get()).isSameAs(waiter);
        assertThat(numberOf((Reservation) got.get())).isEqualTo(3);
        stepped.assertUsable((Reservation) got.get());
    }

    @Test
    @DisplayName(
            "one who is interrupted or has waited long enough leaves, and others go on with what it was called for")
    void interruptedAndTimedOut() throws InterruptedException {
        List<Reservation> tickets = full();
        waiter.interrupt();
        Patience.join(waiter);
        assertThat(got.get()).isInstanceOf(InterruptedException.class);
        AtomicReference<Object> inTime = new AtomicReference<>();
        Thread limited = new Thread(() -> {
            try {
                inTime.set(sequencer.next(Duration.ofMillis(20)));
            } catch (InterruptedException | TimeoutException late) {
                inTime.set(late);
            }
        });
        limited.start();
        Patience.join(limited);
        assertThat(inTime.get()).isInstanceOf(TimeoutException.class);
        leaveSecond(tickets);
        stepped.run(tickets.get(0));
        assertThat(stepped.ran).containsExactly(0L);
        assertThat(stepped.executor.runAll()).isEqualTo(1);
        assertThat(ranOn.get()).isSameAs(Thread.currentThread());
        stepped.run(third.join());
        assertThat(stepped.ran).containsExactly(0L, 1L, 2L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("all threads of a pool take tickets and write, and what they leave to the same pool is done by "
            + "those who wait")
    void aPoolThatIsFullOfThoseWhoWait(TestInfo info) throws InterruptedException {
        int tasks = 3001;
        for (int threads : new int[] {1, 2, 4}) {
            ExecutorService pool = Executors.newFixedThreadPool(threads);
            TicketSequencer own = TicketSequencer.builder()
                    .window(2)
                    .turn(1, Duration.ofNanos(1))
                    .executor(pool)
                    .build();
            AtomicLong ran = new AtomicLong();
            CountDownLatch all = new CountDownLatch(tasks);
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < tasks; i++) {
                done.add(pool.submit(() -> {
                    try (Reservation ticket = own.next()) {
                        ticket.execute(() -> {
                            ran.incrementAndGet();
                            all.countDown();
                        });
                    }
                    return null;
                }));
            }
            done.forEach(Patience::get);
            Patience.await(all);
            assertThat(ran).as(info.getDisplayName()).hasValue(tasks);
            Patience.get(own.flush());
            pool.shutdown();
            assertThat(pool.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
        }
    }
}
