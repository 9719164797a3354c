package io.orderedexecutor;

import static io.orderedexecutor.fixtures.Tickets.numberOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.SequencerSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tickets whose numbers come from outside, step by step. */
class NumberedSequencerTest {
    private final SteppedSequencer stepped =
            new SteppedSequencer(5, settings -> settings.window(4).lease(Duration.ofSeconds(1)));
    private final NumberedSequencer sequencer = stepped.numbered;

    private Reservation issue(long position) {
        Reservation ticket = sequencer.tryAt(position);
        assertThat(ticket).as("ticket %s of %s", position, sequencer).isNotNull();
        assertThat(numberOf(ticket)).isEqualTo(position);
        return ticket;
    }

    private void run(long... positions) {
        for (long position : positions) {
            stepped.run(issue(position));
        }
    }

    private void assertDone(long tail) {
        assertThat(sequencer.snapshot()).isEqualTo(new SequencerSnapshot(tail, 0, Duration.ZERO));
        run(tail);
        assertThat(stepped.ran).last().isEqualTo(tail);
    }

    /** A thread that wants a number, and what came of it. */
    private final class Asker {
        final AtomicReference<Object> got = new AtomicReference<>();
        final Thread thread;

        Asker(long position, Duration limit) {
            thread = new Thread(() -> {
                try {
                    got.set(limit == null ? sequencer.at(position) : sequencer.at(position, limit));
                } catch (Throwable thrown) {
                    got.set(thrown);
                }
            });
            thread.start();
        }

        Object end() {
            Patience.join(thread);
            return got.get();
        }
    }

    // order

    @Test
    @DisplayName("outputs run in the order of the numbers, in whatever order they are issued and used")
    void anyOrder() {
        List<Reservation> tickets = new ArrayList<>();
        for (long position : new long[] {7, 5, 8, 6}) {
            tickets.add(issue(position));
        }
        assertThat(sequencer.tryAt(9)).as("beyond the window").isNull();
        assertThat(sequencer.snapshot().open()).isEqualTo(4);
        for (Reservation ticket : tickets) {
            stepped.run(ticket);
        }
        assertThat(stepped.ran).containsExactly(5L, 6L, 7L, 8L);
        assertDone(9);
    }

    @Test
    @DisplayName("A number that is missing holds up those behind it, and whoever brings it runs them")
    void aMissingNumber() {
        run(8, 6, 7);
        assertThat(stepped.ran).isEmpty();
        assertThat(sequencer.snapshot().tail()).isEqualTo(5);
        assertThat(sequencer.snapshot().open()).isEqualTo(3);
        assertThat(sequencer.tryAt(9)).isNull();
        run(5);
        assertThat(stepped.ran).containsExactly(5L, 6L, 7L, 8L);
        assertDone(9);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1000})
    @DisplayName("window after window from its end")
    void reversed(int window) {
        SteppedSequencer own = new SteppedSequencer(0, settings -> settings.window(window));
        for (long round = 0; round < 3; round++) {
            for (long position = (round + 1) * window - 1; position >= round * window; position--) {
                own.run(own.numbered.tryAt(position));
            }
            own.executor.runAll();
            assertThat(own.ran)
                    .isEqualTo(LongStream.range(0, (round + 1) * window).boxed().toList());
        }
    }

    // numbers that are none

    @Test
    @DisplayName(
            "A number that comes twice is refused by name and harms no other: open, left, done, skipped or waited for")
    void twice() {
        Reservation open = issue(6);
        assertTwice(6);
        stepped.run(open);
        assertTwice(6);
        run(5);
        assertTwice(5);
        issue(7).close();
        assertTwice(7);
        CompletableFuture<Reservation> waiting = sequencer.atAsync(12);
        assertTwice(12);
        sequencer.advanceTo(10);
        assertTwice(8);
        assertTwice(9);
        run(10, 11);
        stepped.run(waiting.join());
        assertThat(stepped.ran).containsExactly(5L, 6L, 10L, 11L, 12L);
        assertDone(13);
    }

    private void assertTwice(long position) {
        assertThatThrownBy(() -> sequencer.tryAt(position))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("number " + position + " comes too late or twice");
        assertThatThrownBy(() -> sequencer.at(position)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> sequencer.at(position, Duration.ofDays(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> sequencer.atAsync(position)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("Numbers before the first, and the one behind which there is none, are refused by name")
    void outOfRange() {
        for (long position : new long[] {4, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> sequencer.tryAt(position))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("number " + position)
                    .hasMessageContaining("from 5 to");
        }
        assertThatThrownBy(() -> sequencer.advanceTo(4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("numbered from 5");
        assertThatThrownBy(() -> NumberedSequencer.builder(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
        run(5);
        assertDone(6);
    }

    // the window

    @Test
    @DisplayName("Those beyond the window wait, and are let in by their numbers as it moves, whoever came first")
    void whoIsLetIn() {
        CompletableFuture<Reservation> eleven = sequencer.atAsync(11);
        CompletableFuture<Reservation> nine = sequencer.atAsync(9);
        Asker ten = new Asker(10, null);
        Patience.awaitParked(ten.thread);
        run(5);
        assertThat(nine).isCompleted();
        assertThat(eleven).isNotDone();
        run(6);
        stepped.run((Reservation) ten.end());
        run(8, 7);
        stepped.run(eleven.join());
        stepped.run(nine.join());
        assertThat(stepped.ran).containsExactly(5L, 6L, 7L, 8L, 9L, 10L, 11L);
        assertDone(12);
    }

    @Test
    @DisplayName("Who has waited in vain may ask again: after the limit, an interrupt, a cancelled future")
    void inVain() {
        assertThatThrownBy(() -> sequencer.at(9, Duration.ofMillis(10)))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("window of 4 tickets")
                .hasMessageContaining("number 5, whose ticket nobody has asked for");
        Asker interrupted = new Asker(9, null);
        Patience.awaitParked(interrupted.thread);
        interrupted.thread.interrupt();
        assertThat(interrupted.end()).isInstanceOf(InterruptedException.class);
        CompletableFuture<Reservation> cancelled = sequencer.atAsync(9);
        cancelled.cancel(true);
        CompletableFuture<Reservation> again = sequencer.atAsync(9);
        run(8, 7, 6, 5);
        stepped.run(again.join());
        assertThat(stepped.ran).containsExactly(5L, 6L, 7L, 8L, 9L);
        assertDone(10);
    }

    @Test
    @DisplayName("A ticket that is granted to one who gives up at that moment is there for the next who asks")
    void aTicketGrantedToACancelledRequestGoesToTheNext() {
        CompletableFuture<Reservation> first = sequencer.atAsync(9);
        List<Reservation> again = new ArrayList<>();
        // while the future is cancelled, and has not left the others yet
        CompletableFuture<Void> onCancel = first.handle((ticket, cancelled) -> {
            run(5);
            again.add(issue(9));
            return null;
        });
        first.cancel(false);
        assertThat(onCancel).isCompleted();
        run(6, 7, 8);
        again.forEach(stepped::run);
        assertThat(stepped.ran).containsExactly(5L, 6L, 7L, 8L, 9L);
        assertDone(10);
    }

    /** It is granted by the run of 5, to a request that is cancelled at that moment. */
    private void turnDownTheTicketOf9() {
        CompletableFuture<Reservation> first = sequencer.atAsync(9);
        CompletableFuture<Void> onCancel = first.handle((ticket, cancelled) -> {
            run(5);
            return null;
        });
        first.cancel(false);
        assertThat(onCancel).isCompleted();
    }

    @Test
    @DisplayName("A ticket that was turned down is skipped with the numbers around it")
    void aTicketGrantedToACancelledRequestIsSkipped() {
        turnDownTheTicketOf9();
        run(6, 7, 8);
        sequencer.advanceTo(12);
        assertThat(stepped.ran).containsExactly(5L, 6L, 7L, 8L);
        assertDone(12);
    }

    @Test
    @DisplayName("A ticket that was turned down stays for the next who asks, if only the numbers before it are skipped")
    void aTicketGrantedToACancelledRequestIsNotSkippedWithThoseBeforeIt() {
        turnDownTheTicketOf9();
        sequencer.advanceTo(9);
        run(9);
        assertThat(stepped.ran).containsExactly(5L, 9L);
        assertDone(10);
    }

    @Test
    @DisplayName("an output is refused a wait for a number that only its own end lets in, and can have others")
    void selfWait() {
        Reservation first = issue(5);
        first.execute(() -> {
            assertThatThrownBy(() -> sequencer.at(9))
                    .isInstanceOf(SelfWaitException.class)
                    .hasMessageContaining("atAsync(number)");
            run(6);
            stepped.ran.add(5L);
        });
        assertThat(stepped.failures).isEmpty();
        assertThat(stepped.ran).containsExactly(5L, 6L);
        run(9);
        run(8, 7);
        assertDone(10);
    }

    @Test
    @DisplayName("who waits for its number goes on with outputs, even if the executor has no thread left")
    void aWaiterServes() {
        SteppedSequencer one =
                new SteppedSequencer(0, settings -> settings.window(2).turn(1, Duration.ofDays(1)));
        AtomicReference<Thread> ranOn = new AtomicReference<>();
        AtomicReference<Object> got = new AtomicReference<>();
        Thread waiter = new Thread(() -> {
            try {
                got.set(one.numbered.at(3));
            } catch (Throwable thrown) {
                got.set(thrown);
            }
        });
        waiter.start();
        Patience.awaitParked(waiter);
        one.numbered.tryAt(1).execute(() -> ranOn.set(Thread.currentThread()));
        one.run(one.numbered.tryAt(0));
        Patience.join(waiter);
        assertThat(ranOn.get()).isSameAs(waiter);
        assertThat(one.executor.waiting()).isZero();
        one.run((Reservation) got.get());
        one.run(one.numbered.tryAt(2));
        one.executor.runAll();
        assertThat(one.ran).containsExactly(0L, 2L, 3L);
    }

    // gaps

    @Test
    @DisplayName("advanceTo passes what nobody has asked for, and runs what has waited for it; what was issued stays")
    void advanceTo() {
        run(8, 6);
        Reservation open = issue(7);
        sequencer.advanceTo(8);
        assertThat(stepped.ran).containsExactly(6L);
        assertThat(sequencer.snapshot().tail()).isEqualTo(7);
        assertThat(sequencer.snapshot().open()).isEqualTo(2);
        stepped.run(open);
        assertThat(stepped.ran).containsExactly(6L, 7L, 8L);
        assertDone(9);
    }

    @Test
    @DisplayName("A gap of a million millions costs one ticket, lets in those behind it, and counts for nothing")
    void hugeGap() {
        long far = 1_000_000_000_000L;
        CompletableFuture<Reservation> waiting = sequencer.atAsync(far + 1);
        Reservation first = issue(5);
        sequencer.advanceTo(far);
        assertThat(waiting).isNotDone();
        assertThat(sequencer.snapshot().open()).isEqualTo(1);
        stepped.run(first);
        assertThat(sequencer.snapshot().tail()).isEqualTo(far);
        assertThat(sequencer.snapshot().open()).isEqualTo(1);
        run(far);
        stepped.run(waiting.join());
        assertThat(stepped.ran).containsExactly(5L, far, far + 1);
        assertDone(far + 2);
        sequencer.advanceTo(Long.MAX_VALUE);
        assertThat(sequencer.snapshot().tail()).isEqualTo(Long.MAX_VALUE);
        assertThatThrownBy(() -> sequencer.tryAt(Long.MAX_VALUE - 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("A number that is waited for is not skipped, until who waits gives up")
    void skipPastOneWhoWaits() {
        CompletableFuture<Reservation> kept = sequencer.atAsync(10);
        CompletableFuture<Reservation> givenUp = sequencer.atAsync(20);
        CompletableFuture<Reservation> behind = sequencer.atAsync(31);
        sequencer.advanceTo(30);
        assertThat(sequencer.snapshot().tail()).isEqualTo(10);
        stepped.run(kept.join());
        assertThat(sequencer.snapshot().tail()).isEqualTo(20);
        assertThat(givenUp).isCompleted();
        givenUp.join().close();
        assertThat(sequencer.snapshot().tail()).isEqualTo(30);
        stepped.run(behind.join());
        run(30);
        CompletableFuture<Reservation> cancelled = sequencer.atAsync(40);
        run(33);
        sequencer.advanceTo(45);
        assertThat(stepped.ran).containsExactly(10L, 30L, 31L, 33L);
        assertThat(cancelled).isCompleted();
        cancelled.join().close();
        assertDone(45);
    }

    @Test
    @DisplayName("Who gives up waiting for a number that all others were skipped around lets them go on")
    void givenUpInTheMiddleOfAGap() {
        // it is far beyond the window as long as 5 is missing
        CompletableFuture<Reservation> waiting = sequencer.atAsync(100);
        Reservation first = issue(5);
        sequencer.advanceTo(200);
        waiting.cancel(true);
        stepped.run(first);
        assertDone(200);
    }

    // leases

    @Test
    @DisplayName("A lease begins when the last number before comes; a number that nobody has asked for has none")
    void leases() {
        Reservation ahead = issue(6);
        stepped.pass(Duration.ofDays(1));
        stepped.fire();
        assertThat(ahead).hasToString("ticket 6 (open)");
        run(5);
        stepped.pass(Duration.ofMillis(999));
        stepped.fire();
        assertThat(ahead).hasToString("ticket 6 (open)");
        stepped.pass(Duration.ofMillis(1));
        stepped.fire();
        assertThat(ahead).hasToString("ticket 6 (expired)");
        assertThat(stepped.failures).singleElement().isInstanceOf(TimeoutException.class);
        assertDone(7);
    }

    @Test
    @DisplayName("A ticket that becomes the first by advanceTo has its lease, too")
    void leaseBehindAGap() {
        Reservation lost = issue(7);
        sequencer.advanceTo(7);
        stepped.pass(Duration.ofSeconds(1));
        stepped.fire();
        assertThat(lost).hasToString("ticket 7 (expired)");
        assertDone(8);
    }

    // the end

    @Test
    @DisplayName(
            "stop refuses who wants, waits for or uses a ticket, and tells of outputs behind a number that was missing")
    void stop() {
        run(8, 6);
        Reservation open = issue(7);
        Asker waiting = new Asker(30, null);
        Patience.awaitParked(waiting.thread);
        CompletableFuture<Reservation> future = sequencer.atAsync(31);
        CompletableFuture<Void> flushed = sequencer.flush();
        sequencer.stop();
        sequencer.stop();
        assertThat(waiting.end()).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(future::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(RejectedExecutionException.class);
        assertThat(flushed).isNotDone();
        assertThatThrownBy(() -> stepped.run(open))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("the sequence was stopped");
        assertThat(flushed).isCompleted();
        assertThat(stepped.ran).isEmpty();
        assertThat(stepped.failures).hasSize(2).allMatch(CancellationException.class::isInstance);
        assertThatThrownBy(() -> sequencer.tryAt(9)).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> sequencer.at(9)).isInstanceOf(RejectedExecutionException.class);
        assertThat(sequencer.atAsync(9)).isCompletedExceptionally();
        assertThat(sequencer.snapshot()).isEqualTo(new SequencerSnapshot(9, 0, Duration.ZERO));
    }

    @Test
    @DisplayName("A failure that stops the sequence skips what is missing, and all that was left is told")
    void stopOnFailure() {
        SteppedSequencer stopping =
                new SteppedSequencer(0, settings -> settings.window(10).stopOnFailure());
        ThrownOnPurpose failure = new ThrownOnPurpose();
        stopping.run(stopping.numbered.tryAt(3));
        stopping.run(stopping.numbered.tryAt(1));
        CompletableFuture<Reservation> waiting = stopping.numbered.atAsync(50);
        stopping.numbered.tryAt(0).execute(() -> {
            throw failure;
        });
        assertThat(waiting).isCompletedExceptionally();
        assertThat(stopping.ran).isEmpty();
        assertThat(stopping.failures).hasSize(3).first().isSameAs(failure);
        assertThat(stopping.failures.subList(1, 3)).allMatch(told -> told.getCause() == failure);
    }

    @Test
    @DisplayName("flush is done when all that were issued are, and so are the numbers before them")
    void flush() {
        assertThat(sequencer.flush()).isCompleted();
        run(7);
        CompletableFuture<Void> flushed = sequencer.flush();
        run(5);
        assertThat(flushed).isNotDone();
        Reservation later = issue(8);
        run(6);
        assertThat(flushed).isCompleted();
        CompletableFuture<Void> ofLater = sequencer.flush();
        assertThat(ofLater).isNotDone();
        later.close();
        assertThat(ofLater).isCompleted();
        assertDone(9);
    }
}
