package io.orderedexecutor;

import static io.orderedexecutor.fixtures.Tickets.numberOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.NumberedRound;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.RefusingExecutor;
import io.orderedexecutor.fixtures.Rounds;
import io.orderedexecutor.fixtures.TicketRound;
import io.orderedexecutor.stats.SequencerSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tickets on many threads: each output once, and in order. The outputs write plain fields, which shows that each sees
 * what the one before has done.
 *
 * <p>A failure names its seed; run it again with {@code -Dstress.seed=...}, and longer with
 * {@code -Dtickets.rounds=...}.
 */
@Tag("no-second-try")
class TicketStressTest {
    private static final int ROUNDS = Rounds.of("tickets.rounds", 6, 60);

    /** How many tenths of the tickets of a test are taken. */
    private static final int TENTHS = Rounds.of("tickets.tenths", 1, 10);

    private final long seed = Long.getLong("stress.seed", System.nanoTime());

    @RegisterExtension
    final DefaultHandler handler = DefaultHandler.quiet();

    private ExecutorService pool;

    @BeforeEach
    void start() {
        System.out.println("TicketStressTest: -Dstress.seed=" + seed);
        pool = Executors.newFixedThreadPool(3);
    }

    @AfterEach
    void stop() throws InterruptedException {
        pool.shutdown();
        assertThat(pool.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    /** What the outputs write, with nothing but their order to protect it. */
    private static final class Written {
        static final int STEP = 50_000;

        final byte[] runs;
        long next;
        long disorder;

        /** One for each {@link #STEP} outputs: so long as they come, there is no hang, however slow the machine. */
        final Semaphore steps = new Semaphore(0);

        Written(int tickets) {
            this.runs = new byte[tickets];
        }

        void write(long position) {
            runs[(int) position]++;
            if (position != next) {
                disorder++;
            }
            next = position + 1;
            if (next % STEP == 0) {
                steps.release();
            }
        }

        void assertOnceAndInOrder() {
            assertThat(disorder).as("outputs out of order").isZero();
            for (int i = 0; i < runs.length; i++) {
                if (runs[i] != 1) {
                    throw new AssertionError("output " + i + " ran " + runs[i] + " times");
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"2000000, 10, 1024", "100000, 4, 1", "100000, 4, 2", "200000, 10, 3", "300000, 10, 1000", "300000, 3, 7"
    })
    @DisplayName(
            "each output runs exactly once, in the order of the tickets, and sees what the one before " + "has written")
    void onceAndInOrder(int allTickets, int threads, int window) {
        int tickets = allTickets / 10 * TENTHS;
        TicketSequencer sequencer = new TicketSequencer(window);
        Written written = new Written(tickets);
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread worker = new Thread(() -> work(sequencer, tickets, written));
            worker.setDaemon(true);
            workers.add(worker);
        }
        workers.forEach(Thread::start);
        for (int step = 0; step < tickets / Written.STEP; step++) {
            Patience.acquire(written.steps, 1);
        }
        workers.forEach(Patience::join);
        // the thread that serves the last ones may be one of the pool's
        Patience.get(sequencer.flush());
        written.assertOnceAndInOrder();
    }

    /** What the ordered scheduler of Ullink offers: the number is the caller's, and so is the thread. */
    private record OrderedScheduler(NumberedSequencer sequencer) {
        void run(long number, Runnable output) {
            try (Reservation ticket = sequencer.at(number)) {
                ticket.execute(output);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        void trash(long number) {
            run(number, () -> {});
        }
    }

    @ParameterizedTest
    @CsvSource({"2000000, 10, 1024", "100000, 4, 1", "200000, 10, 3", "200000, 3, 7"})
    @DisplayName("numbers from outside on any number of threads: each output once, in the order of the numbers")
    void numberedOnceAndInOrder(int allNumbers, int threads, int window) {
        int numbers = allNumbers / 10 * TENTHS;
        OrderedScheduler scheduler =
                new OrderedScheduler(NumberedSequencer.builder(0).window(window).build());
        Written written = new Written(numbers);
        AtomicLong next = new AtomicLong();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread worker = new Thread(() -> {
                for (long number = next.getAndIncrement(); number < numbers; number = next.getAndIncrement()) {
                    long own = number;
                    scheduler.run(own, () -> written.write(own));
                }
            });
            worker.setDaemon(true);
            workers.add(worker);
        }
        workers.forEach(Thread::start);
        for (int step = 0; step < numbers / Written.STEP; step++) {
            Patience.acquire(written.steps, 1);
        }
        workers.forEach(Patience::join);
        // the thread that serves the last ones may be one of the pool's
        Patience.get(scheduler.sequencer().flush());
        written.assertOnceAndInOrder();
        scheduler.trash(numbers);
        // seen in the turn of one more, for the same reason
        CompletableFuture<SequencerSnapshot> inTurn = new CompletableFuture<>();
        scheduler.run(numbers + 1L, () -> inTurn.complete(scheduler.sequencer().snapshot()));
        assertThat(Patience.get(inTurn).open()).as("open tickets").isEqualTo(1);
    }

    @Test
    @DisplayName("all ways to ask for a number, to give up and to skip, at random")
    void numberedAtRandom() {
        for (int round = 0; round < ROUNDS; round++) {
            long roundSeed = seed + round;
            new NumberedRound(new SplittableRandom(roundSeed), pool, "-Dstress.seed=" + roundSeed).run();
        }
    }

    private static void work(TicketSequencer sequencer, int tickets, Written written) {
        for (; ; ) {
            try (Reservation ticket = next(sequencer)) {
                long position = numberOf(ticket);
                if (position >= tickets) {
                    return;
                }
                ticket.execute(() -> written.write(position));
            }
        }
    }

    private static Reservation next(TicketSequencer sequencer) {
        try {
            return sequencer.next();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("all ways to take and to use a ticket at random, on a pool")
    void onAPool() {
        rounds(pool, null);
    }

    @Test
    @DisplayName("all ways to take and to use a ticket at random, on an executor that runs inline")
    void inline() {
        rounds(Runnable::run, null);
    }

    @Test
    @DisplayName("all ways to take and to use a ticket at random, on an executor that refuses every other step")
    void refusing() {
        rounds(new RefusingExecutor(pool, 2), null);
    }

    @Test
    @DisplayName("all ways to take and to use a ticket at random, on an executor that runs each step twice")
    void twice() {
        rounds(
                step -> {
                    pool.execute(step);
                    pool.execute(step);
                },
                null);
    }

    @Test
    @DisplayName("all ways to take, to use and to lose a ticket at random, with a lease")
    void lost() {
        rounds(pool, Duration.ofNanos(300_000));
    }

    private void rounds(Executor executor, Duration lease) {
        for (int round = 0; round < ROUNDS; round++) {
            long roundSeed = seed + round;
            new TicketRound(new SplittableRandom(roundSeed), executor, lease, "-Dstress.seed=" + roundSeed).run();
        }
    }
}
