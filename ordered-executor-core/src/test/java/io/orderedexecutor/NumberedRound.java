package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.stats.SequencerSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;

/**
 * Threads that share out numbers at random, ask for each in ways that are drawn at random until they have its ticket,
 * and leave some of them out, for another thread to skip.
 */
final class NumberedRound {
    private static final int WORKERS = 4;
    private static final long FIRST = 17;
    private static final int NUMBERS = 600;
    private static final int[] WINDOWS = {1, 2, 3, 7, 64, 1000};

    private final String name;
    private final SplittableRandom random;
    private final TicketSequencer sequencer;
    private final Queue<Long> numbers = new ConcurrentLinkedQueue<>();

    /** Numbers that nobody asks for, and how many of those before each are not issued yet. */
    private final NavigableMap<Long, CountDownLatch> leftOut = new TreeMap<>();

    private final Set<Long> mustRun = new ConcurrentSkipListSet<>();
    private final Queue<String> mistakes = new ConcurrentLinkedQueue<>();

    /** Written by outputs, with nothing but their order to protect it. */
    private final List<Long> ran = new ArrayList<>();

    NumberedRound(SplittableRandom random, Executor executor, String name) {
        this.random = random;
        int window = WINDOWS[random.nextInt(WINDOWS.length)];
        this.name = name + " (window " + window + ")";
        this.sequencer = TicketSequencer.builder()
                .numberedFrom(FIRST)
                .window(window)
                .turn(1 + random.nextInt(10), Duration.ofNanos(1 + random.nextInt(100_000)))
                .executor(executor)
                .build();
        // out of order, but none so late that all threads may have numbers beyond the window
        for (long number = FIRST; number < FIRST + NUMBERS; number++) {
            if (random.nextInt(10) == 0) {
                leftOut.put(number, new CountDownLatch(numbers.size()));
            } else {
                numbers.add(number);
            }
        }
    }

    void run() {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            SplittableRandom own = random.split();
            threads.add(new Thread(() -> work(own), "worker " + i));
        }
        SplittableRandom ofSkipper = random.split();
        threads.add(new Thread(() -> skip(ofSkipper), "skipper"));
        threads.forEach(thread -> thread.setDaemon(true));
        threads.forEach(Thread::start);
        try {
            threads.forEach(Patience::join);
            Patience.get(sequencer.flush());
            assertThat(mistakes).isEmpty();
            assertThat(ran).isSorted().doesNotHaveDuplicates();
            assertThat(ran).containsExactlyElementsOf(mustRun);
            assertThat(sequencer.snapshot()).isEqualTo(new SequencerSnapshot(FIRST + NUMBERS, 0, Duration.ZERO));
        } catch (AssertionError failure) {
            throw new AssertionError(name + ": " + sequencer, failure);
        }
    }

    /** Skips what is left out, in time for those who wait behind it. */
    private void skip(SplittableRandom own) {
        try {
            for (long number : leftOut.keySet()) {
                // who has not asked yet for one before it must not find that skipped
                Patience.await(leftOut.get(number));
                sequencer.skipTo(number + 1);
                if (own.nextInt(4) == 0 && isIssued(number)) {
                    mistakes.add(number + " was issued after it was skipped");
                }
            }
        } catch (Throwable failure) {
            mistakes.add("the skipper failed with " + failure);
        }
    }

    private boolean isIssued(long number) {
        try {
            return sequencer.tryIssue(number) != null;
        } catch (IllegalArgumentException asItMustBe) {
            return false;
        }
    }

    private void work(SplittableRandom own) {
        try {
            List<Long> batch = new ArrayList<>();
            for (Long number = numbers.poll(); number != null; number = numbers.poll()) {
                batch.add(number);
                if (batch.size() == 3 || own.nextBoolean()) {
                    useAll(batch, own);
                }
            }
            useAll(batch, own);
        } catch (Throwable failure) {
            mistakes.add(Thread.currentThread() + " failed with " + failure);
        }
    }

    private void useAll(List<Long> batch, SplittableRandom own) {
        // the lowest last, but never waiting for the others before it has been asked for
        Collections.reverse(batch);
        List<Long> later = new ArrayList<>();
        for (long number : batch) {
            Ticket ticket = number == batch.get(batch.size() - 1) ? null : sequencer.tryIssue(number);
            if (ticket == null) {
                later.add(number);
            } else {
                use(ticket, own);
            }
        }
        Collections.sort(later);
        later.forEach(number -> use(ask(number, own), own));
        batch.clear();
    }

    private Ticket ask(long number, SplittableRandom own) {
        for (; ; ) {
            try {
                switch (own.nextInt(4)) {
                    case 0 -> {
                        return sequencer.issue(number);
                    }
                    case 1 -> {
                        return sequencer.issue(number, Duration.ofNanos(own.nextInt(50_000)));
                    }
                    case 2 -> {
                        CompletableFuture<Ticket> future = sequencer.issueAsync(number);
                        if (!own.nextBoolean() || !future.cancel(true)) {
                            return future.join();
                        }
                    }
                    default -> {
                        Ticket ticket = sequencer.tryIssue(number);
                        if (ticket != null) {
                            return ticket;
                        }
                    }
                }
            } catch (TimeoutException inVain) {
                // once more
            } catch (InterruptedException | CompletionException e) {
                throw new AssertionError(e);
            }
        }
    }

    private void use(Ticket ticket, SplittableRandom own) {
        leftOut.tailMap(ticket.position()).values().forEach(CountDownLatch::countDown);
        if (own.nextInt(5) == 0) {
            ticket.skip();
        } else {
            mustRun.add(ticket.position());
            ticket.run(() -> ran.add(ticket.position()));
        }
        try {
            mistakes.add(sequencer.tryIssue(ticket.position()) + " was issued twice");
        } catch (IllegalArgumentException asItMustBe) {
            // each number once
        }
    }
}
