package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.stats.SequencerSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that take tickets from one sequencer and use them, each in ways that are drawn at random, and what must have
 * become of each ticket in the end.
 */
final class TicketRound {
    private static final int WORKERS = 4;
    private static final int TICKETS = 300;
    private static final int[] WINDOWS = {1, 2, 3, 7, 64, 1000};

    /** What must become of a ticket. */
    private enum End {
        RUNS,
        RUNS_AND_FAILS,
        DOES_NOT_RUN,
        MAY_RUN
    }

    private final String name;
    private final SplittableRandom random;
    private final int window;
    private final boolean hasLease;
    private final TicketSequencer sequencer;
    private final ExecutorService helpers = Executors.newFixedThreadPool(2);
    private final List<Thread> workers = new ArrayList<>();
    private final Map<Long, End> ends = new ConcurrentHashMap<>();
    private final Queue<String> mistakes = new ConcurrentLinkedQueue<>();
    private final Map<Long, Throwable> told = new ConcurrentHashMap<>();

    /** Written by outputs, with nothing but their order to protect it. */
    private final List<Long> ran = new ArrayList<>();

    private volatile boolean over;

    TicketRound(SplittableRandom random, Executor executor, Duration lease, String name) {
        this.random = random;
        this.window = WINDOWS[random.nextInt(WINDOWS.length)];
        this.hasLease = lease != null;
        this.name = name + " (window " + window + ")";
        TicketSequencerBuilder settings = TicketSequencer.builder()
                .window(window)
                .turn(1 + random.nextInt(10), Duration.ofNanos(1 + random.nextInt(100_000)))
                .executor(executor)
                .onFailure(this::onFailure);
        if (lease != null) {
            settings.lease(lease);
        }
        this.sequencer = settings.build();
    }

    private void onFailure(Ticket ticket, Throwable failure) {
        if (told.put(ticket.position(), failure) != null) {
            mistakes.add(ticket + " was told twice");
        }
    }

    void run() {
        for (int i = 0; i < WORKERS; i++) {
            SplittableRandom own = random.split();
            Thread worker = new Thread(() -> work(own), "worker " + i);
            worker.setDaemon(true);
            workers.add(worker);
        }
        Thread interference = new Thread(() -> interfere(random.split()), "interference");
        interference.setDaemon(true);
        workers.forEach(Thread::start);
        interference.start();
        try {
            workers.forEach(Patience::join);
            over = true;
            Patience.join(interference);
            goThrough();
            helpers.shutdown();
            assertThat(helpers.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            long last = goThrough();
            assertThat(sequencer.snapshot()).isEqualTo(new SequencerSnapshot(last + 1, 0, Duration.ZERO));
            check();
        } catch (AssertionError | InterruptedException failure) {
            throw new AssertionError(name + ": " + sequencer, failure);
        }
    }

    /** Sees to it that all tickets before a new one are done; returns its position. */
    private long goThrough() throws InterruptedException {
        for (; ; ) {
            try {
                QueuedTicket ticket = (QueuedTicket) sequencer.next(Duration.ofSeconds(Patience.SECONDS));
                CountDownLatch done = new CountDownLatch(1);
                if (isUsed(ticket, () -> ticket.run(done::countDown))) {
                    Patience.await(done);
                    Patience.get(ticket.whenServed());
                    return ticket.position();
                }
            } catch (TimeoutException e) {
                throw Patience.hang("there was no ticket");
            }
        }
    }

    private void check() {
        assertThat(mistakes).as(name).isEmpty();
        assertThat(ran).as(name).isSorted().doesNotHaveDuplicates();
        for (long position : ran) {
            assertThat(ends.get(position))
                    .as("%s: what becomes of ticket %s, which ran", name, position)
                    .isNotNull()
                    .isNotEqualTo(End.DOES_NOT_RUN);
        }
        ends.forEach((position, end) -> {
            if (end == End.RUNS || end == End.RUNS_AND_FAILS) {
                assertThat(Collections.binarySearch(ran, position))
                        .as("%s: index of ticket %s among those that ran", name, position)
                        .isNotNegative();
            }
            assertThat(told.get(position) instanceof ThrownOnPurpose)
                    .as("%s: whether ticket %s was told to have failed", name, position)
                    .isEqualTo(end == End.RUNS_AND_FAILS);
        });
        assertThat(told.values().stream().filter(failure -> !(failure instanceof ThrownOnPurpose)))
                .as(name)
                .allMatch(failure -> hasLease && failure instanceof TimeoutException);
    }

    private void interfere(SplittableRandom own) {
        while (!over) {
            workers.get(own.nextInt(WORKERS)).interrupt();
            SequencerSnapshot seen = sequencer.snapshot();
            if (seen.open() < 0 || seen.open() > window || seen.ageOfOldest().isNegative()) {
                mistakes.add("was seen as " + seen);
            }
            LockSupport.parkNanos(own.nextInt(50_000));
        }
    }

    // a worker

    private void work(SplittableRandom own) {
        try {
            for (int i = 0; i < TICKETS; i++) {
                QueuedTicket ticket = (QueuedTicket) take(own);
                if (ticket != null) {
                    use(ticket, own);
                }
            }
        } catch (Throwable failure) {
            mistakes.add(Thread.currentThread() + " failed with " + failure);
            failure.printStackTrace();
        }
    }

    private Ticket take(SplittableRandom own) {
        try {
            return switch (own.nextInt(6)) {
                case 0 -> sequencer.tryNext();
                case 1 -> sequencer.next(Duration.ofNanos(own.nextInt(100_000)));
                case 2 -> {
                    CompletableFuture<Ticket> future = sequencer.nextAsync();
                    if (own.nextBoolean() && future.cancel(true)) {
                        yield null;
                    }
                    yield future.join();
                }
                case 3 -> {
                    useWhenItComes(own.split());
                    yield null;
                }
                default -> sequencer.next();
            };
        } catch (InterruptedException | TimeoutException inVain) {
            return null;
        }
    }

    private void useWhenItComes(SplittableRandom own) {
        CompletableFuture<Void> used = sequencer.nextAsync().thenAccept(ticket -> use((QueuedTicket) ticket, own));
        used.whenComplete((nothing, failure) -> {
            if (failure != null) {
                mistakes.add("an action failed with " + failure);
            }
        });
    }

    private void use(QueuedTicket ticket, SplittableRandom own) {
        Runnable output = () -> ran.add(ticket.position());
        switch (own.nextInt(hasLease ? 14 : 13)) {
            case 0 -> use(ticket, End.DOES_NOT_RUN, ticket::skip);
            case 1 -> use(ticket, End.DOES_NOT_RUN, ticket::close);
            case 2 -> use(ticket, End.DOES_NOT_RUN, ticket::giveUp);
            case 3 -> use(ticket, End.RUNS, () -> ticket.leave(output));
            case 4 ->
                use(ticket, End.MAY_RUN, () -> {
                    ticket.leave(output);
                    ticket.giveUp();
                });
            case 5 ->
                use(ticket, End.MAY_RUN, () -> {
                    helpers.execute(ticket::giveUp);
                    if (own.nextBoolean()) {
                        ticket.close();
                    } else {
                        isUsed(ticket, () -> ticket.run(output));
                    }
                });
            case 6 ->
                use(
                        ticket,
                        End.RUNS_AND_FAILS,
                        () -> ticket.run(() -> {
                            output.run();
                            throw new ThrownOnPurpose();
                        }));
            case 7 ->
                use(ticket, End.RUNS, () -> {
                    ticket.run(output);
                    useAgain(ticket);
                });
            case 8 ->
                use(
                        ticket,
                        End.RUNS,
                        () -> ticket.run(() -> {
                            output.run();
                            Ticket inside = sequencer.tryNext();
                            if (inside != null) {
                                use(inside, End.RUNS, () -> inside.run(() -> ran.add(inside.position())));
                            }
                        }));
            case 9 ->
                use(
                        ticket,
                        End.RUNS,
                        () -> ticket.run(() -> {
                            output.run();
                            waitInside();
                        }));
            case 10 ->
                use(ticket, End.RUNS, () -> helpers.execute(() -> use(ticket, End.RUNS, () -> ticket.run(output))));
            case 13 -> ends.put(ticket.position(), End.DOES_NOT_RUN);
            default -> use(ticket, End.RUNS, () -> ticket.run(output));
        }
    }

    private void use(Ticket ticket, End end, Runnable deed) {
        ends.put(ticket.position(), end);
        boolean isUsed = isUsed(ticket, deed);
        // who leaves an output is not told that the lease was over
        boolean isExpired = hasLease && ticket.toString().contains("expired");
        if (!isUsed && !isExpired && end != End.MAY_RUN) {
            mistakes.add(ticket + " could not be used");
        }
        if (!isUsed || isExpired) {
            ends.put(ticket.position(), End.DOES_NOT_RUN);
        }
    }

    private static boolean isUsed(Ticket ticket, Runnable deed) {
        try {
            deed.run();
            return true;
        } catch (IllegalStateException refusal) {
            assertThat(refusal).hasMessageContaining("ticket " + ticket.position());
            return false;
        }
    }

    private void useAgain(Ticket ticket) {
        if (isUsed(ticket, ticket::skip) || isUsed(ticket, () -> ticket.run(() -> ran.add(-1L)))) {
            mistakes.add(ticket + " was used twice");
        }
        ticket.close();
    }

    private void waitInside() {
        try {
            Ticket inside = sequencer.next();
            use(inside, End.DOES_NOT_RUN, inside::skip);
        } catch (SelfWaitException noRoom) {
            // as it must be
        } catch (InterruptedException e) {
            mistakes.add("an output has waited");
        }
    }
}
