package io.orderedexecutor;

import static io.orderedexecutor.fixtures.Tickets.numberOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.fixtures.Unreadable;
import io.orderedexecutor.stats.SequencerSnapshot;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who gets a ticket when there is room, of those who wait. */
class TicketWaitersTest {
    private final SteppedSequencer stepped = new SteppedSequencer(1);
    private final TicketSequencer sequencer = stepped.sequencer;

    /** A thread that waits for a ticket. */
    private static final class Waiter {
        final AtomicReference<Object> outcome = new AtomicReference<>();
        volatile boolean isInterruptedAfter;
        final Thread thread;

        Waiter(TicketSequencer sequencer) {
            thread = new Thread(() -> {
                try {
                    outcome.set(sequencer.next());
                } catch (InterruptedException | RuntimeException thrown) {
                    outcome.set(thrown);
                }
                isInterruptedAfter = Thread.currentThread().isInterrupted();
            });
            thread.setDaemon(true);
            thread.start();
        }

        Object end() {
            Patience.join(thread);
            return outcome.get();
        }
    }

    private Waiter waiting() {
        Waiter waiter = new Waiter(sequencer);
        Patience.awaitParked(waiter.thread);
        return waiter;
    }

    @Test
    @DisplayName("Threads and futures get tickets in the order in which they came, one for each output that is done")
    void firstComeFirstServed() {
        Reservation first = stepped.next();
        Waiter second = waiting();
        CompletableFuture<Reservation> third = sequencer.nextAsync();
        Waiter fourth = waiting();
        CompletableFuture<Reservation> fifth = sequencer.nextAsync();
        assertThat(sequencer.snapshot().open()).isEqualTo(1);

        stepped.run(first);
        Reservation ofSecond = (Reservation) second.end();
        assertThat(ofSecond).hasToString("ticket 1 (open)");
        assertThat(third).isNotDone();
        ofSecond.close();
        assertThat(third.join()).hasToString("ticket 2 (open)");
        Patience.awaitParked(fourth.thread);
        stepped.run(third.join());
        Reservation ofFourth = (Reservation) fourth.end();
        assertThat(numberOf(ofFourth)).isEqualTo(3);
        assertThat(fifth).isNotDone();
        ofFourth.close();
        assertThat(numberOf(fifth.join())).isEqualTo(4);
        stepped.run(fifth.join());
        assertThat(stepped.ran).containsExactly(0L, 2L, 4L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("an action whose failure throws when it is looked at holds up nobody who waits")
    void unreadableFailures() {
        Reservation first = stepped.next();
        var unusedOfFlush = sequencer.flush().thenRun(() -> {
            throw new Unreadable();
        });
        CompletableFuture<Reservation> second = sequencer.nextAsync();
        CompletableFuture<?> runs = second.thenRun(() -> {});
        var unusedOfTicket = second.thenRun(() -> {
            throw new Unreadable();
        });
        CompletableFuture<Reservation> third = sequencer.nextAsync();
        stepped.run(first);
        stepped.run(second.join());
        stepped.run(third.join());
        assertThat(runs).isCompleted();
        assertThat(stepped.ran).containsExactly(0L, 1L, 2L);
    }

    @Test
    @DisplayName("an action whose failure throws when it is looked at does not keep a stop from the others")
    void unreadableFailureAtAStop() {
        Reservation first = stepped.next();
        CompletableFuture<Reservation> refused = sequencer.nextAsync();
        var unused = refused.handle((ticket, failure) -> {
            throw new Unreadable();
        });
        CompletableFuture<Reservation> refusedToo = sequencer.nextAsync();
        sequencer.stop();
        assertThat(List.of(refused, refusedToo)).allMatch(CompletableFuture::isCompletedExceptionally);
        first.close();
        assertThat(sequencer.snapshot().open()).isZero();
    }

    @Test
    @DisplayName("who is interrupted gives up the wait, and the ticket goes to the next one")
    void interrupt() {
        Reservation first = stepped.next();
        Waiter interrupted = waiting();
        Waiter next = waiting();
        interrupted.thread.interrupt();
        assertThat(interrupted.end()).isInstanceOf(InterruptedException.class);
        assertThat(next.thread.isAlive()).isTrue();
        stepped.run(first);
        Reservation second = (Reservation) next.end();
        assertThat(numberOf(second)).as("no ticket is lost").isEqualTo(1);
        stepped.assertUsable(second);
    }

    @Test
    @DisplayName("A thread that is interrupted before it has to wait gets its ticket, and keeps the interrupt")
    void interruptedWithoutAWait() throws InterruptedException {
        Thread.currentThread().interrupt();
        Reservation ticket = sequencer.next();
        assertThat(Thread.interrupted()).isTrue();
        Thread.currentThread().interrupt();
        assertThatThrownBy(sequencer::next).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        stepped.assertUsable(ticket);
    }

    @Test
    @DisplayName("A ticket and an interrupt at the same time: the thread has the one or the other, and nothing is lost")
    void interruptAndTicket() {
        int tickets = 0;
        int interrupts = 0;
        for (int round = 0; round < 500; round++) {
            Reservation ticket = stepped.next();
            Waiter waiter = new Waiter(sequencer);
            if (round % 2 == 0) {
                Patience.awaitParked(waiter.thread);
            }
            Thread interrupter = new Thread(waiter.thread::interrupt);
            interrupter.start();
            stepped.run(ticket);
            Patience.join(interrupter);
            if (waiter.end() instanceof Reservation got) {
                tickets++;
                stepped.run(got);
                assertThat(stepped.ran).last().isEqualTo(numberOf(got));
            } else {
                assertThat(waiter.end()).isInstanceOf(InterruptedException.class);
                assertThat(waiter.isInterruptedAfter).isFalse();
                interrupts++;
            }
        }
        assertThat(tickets + interrupts).isEqualTo(500);
        stepped.assertGoesOn();
    }

    @Test
    void limit() throws Exception {
        Reservation first = stepped.next();
        assertThatThrownBy(() -> sequencer.next(Duration.ZERO)).isInstanceOf(TimeoutException.class);
        assertThatThrownBy(() -> sequencer.next(Duration.ofSeconds(-1)))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("within PT0S");
        assertThatThrownBy(() -> sequencer.next(Duration.ofMillis(1)))
                .isInstanceOf(TimeoutException.class)
                .hasMessage(
                        "there was no room in the window of 1 tickets within PT0.001S; the window waits for ticket 0"
                                + " (open)");
        stepped.run(first);
        Reservation second = sequencer.next(Duration.ZERO);
        assertThat(numberOf(second)).as("no ticket is lost").isEqualTo(1);
        second.close();
        stepped.assertUsable(sequencer.next(Duration.ofSeconds(Long.MAX_VALUE)));
    }

    @Test
    @DisplayName("A ticket that comes at the very end of the limit is used or given up, never lost")
    void limitAndTicket() throws InterruptedException {
        int tickets = 0;
        for (int round = 0; round < 500; round++) {
            Reservation first = stepped.next();
            CyclicBarrier start = new CyclicBarrier(2);
            Thread runner = new Thread(() -> {
                Patience.meet(start);
                stepped.run(first);
            });
            runner.start();
            Patience.meet(start);
            try {
                Reservation second = sequencer.next(Duration.ofNanos(1 + round % 200 * 500));
                tickets++;
                Patience.join(runner);
                stepped.run(second);
            } catch (TimeoutException tooLate) {
                Patience.join(runner);
            }
        }
        assertThat(stepped.ran).hasSize(500 + tickets).isSorted().doesNotHaveDuplicates();
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("A future that is cancelled, or completed by its holder, gets no ticket, and holds up nobody")
    void cancellation() {
        Reservation first = stepped.next();
        List<CompletableFuture<Reservation>> waiting = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            waiting.add(sequencer.nextAsync());
        }
        assertThat(waiting.get(0).cancel(true)).isTrue();
        assertThat(waiting.get(2).completeExceptionally(new ThrownOnPurpose())).isTrue();
        assertThat(waiting.get(3).complete(null)).isTrue();
        assertThat(waiting.get(5).cancel(false)).isTrue();
        stepped.run(first);
        assertThat(numberOf(waiting.get(1).join())).isEqualTo(1);
        assertThat(waiting.get(4)).isNotDone();
        waiting.get(1).join().close();
        assertThat(numberOf(waiting.get(4).join())).isEqualTo(2);
        stepped.assertUsable(waiting.get(4).join());
    }

    @Test
    @DisplayName("No ticket is issued to one whose future is just being cancelled: the next one gets it")
    void grantThatIsTurnedDown() {
        Reservation first = stepped.next();
        CompletableFuture<Reservation> second = sequencer.nextAsync();
        CompletableFuture<Reservation> third = sequencer.nextAsync();
        // room is made while the future is cancelled, and has not yet left the others
        CompletableFuture<Void> onCancel = second.handle((ticket, cancelled) -> {
            stepped.run(first);
            return null;
        });
        second.cancel(false);
        assertThat(onCancel).isCompleted();
        assertThat(third.join()).hasToString("ticket 1 (open)");
        stepped.run(third.join());
        assertThat(stepped.ran).containsExactly(0L, 1L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("Who does not wait does not overtake those who do, when there is room for them")
    void noOvertaking() {
        Reservation first = stepped.next();
        CompletableFuture<Void> flushed = sequencer.flush();
        CompletableFuture<Reservation> second = sequencer.nextAsync();
        List<Object> seen = new ArrayList<>();
        // between the end of the output and the moment when the next one is told of its ticket
        CompletableFuture<Void> hook = flushed.thenRun(() -> {
            seen.add(sequencer.snapshot().open());
            seen.add(second.isDone());
            assertThat(sequencer.tryNext()).isNull();
            assertThatThrownBy(() -> sequencer.next(Duration.ZERO)).isInstanceOf(SelfWaitException.class);
        });
        stepped.run(first);
        assertThat(hook).isCompleted();
        assertThat(seen).containsExactly(1L, false);
        assertThat(numberOf(second.join())).isEqualTo(1);
        stepped.assertUsable(second.join());
    }

    @Test
    @DisplayName("Actions that depend on a ticket may run, skip and take tickets, however many there are")
    void dependentActions() {
        int count = 20_000;
        AtomicInteger done = new AtomicInteger();
        Reservation first = stepped.next();
        for (int i = 1; i < count; i++) {
            int number = i;
            sequencer.nextAsync().thenAccept(ticket -> {
                done.incrementAndGet();
                if (number % 3 == 0) {
                    ticket.close();
                } else {
                    stepped.run(ticket);
                }
                if (number < count - 1) {
                    // there are others who wait
                    assertThat(sequencer.tryNext()).isNull();
                }
            });
        }
        stepped.run(first);
        stepped.executor.runAll();
        assertThat(done).hasValue(count - 1);
        assertThat(stepped.ran).hasSize(count - (count - 1) / 3).isSorted().doesNotHaveDuplicates();
        assertThat(sequencer.snapshot()).isEqualTo(new SequencerSnapshot(count, 0, Duration.ZERO));
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("An action that takes the next ticket and leaves its output, again and again, needs no stack")
    void endlessActions() {
        Chain chain = new Chain(20_000);
        Reservation first = stepped.next();
        chain.takeNext();
        stepped.run(first);
        stepped.executor.runAll();
        assertThat(chain.left).isZero();
        assertThat(stepped.ran).hasSize(20_001).isSorted().doesNotHaveDuplicates();
        stepped.assertGoesOn();
    }

    private final class Chain {
        int left;

        Chain(int left) {
            this.left = left;
        }

        void takeNext() {
            if (left > 0) {
                sequencer.nextAsync().thenAccept(ticket -> {
                    left--;
                    stepped.run(ticket);
                    takeNext();
                });
            }
        }
    }

    @Test
    @DisplayName("who has given up a wait is unreachable at once, as is one who has got a ticket and used it")
    void memory() {
        Reservation first = stepped.next();
        List<WeakReference<?>> gone = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            CompletableFuture<Reservation> given = sequencer.nextAsync();
            given.cancel(false);
            gone.add(new WeakReference<>(given));
        }
        Reachability.assertCleared(gone);
        CompletableFuture<Reservation> second = sequencer.nextAsync();
        stepped.run(first);
        stepped.run(second.join());
        gone.add(new WeakReference<>(second));
        second = null;
        Reachability.assertCleared(gone);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("A thread of a pool that waits runs no other task of that pool, which might wait behind it for ever")
    void noHelpingOut() {
        Reservation first = stepped.next();
        AtomicInteger done = new AtomicInteger();
        CountDownLatch allDone = new CountDownLatch(21);
        TicketSequencer own = new TicketSequencer(1);
        Reservation held = own.tryNext();
        Runnable piece = () -> {
            try (Reservation ticket = own.next()) {
                ticket.execute(() -> {
                    done.incrementAndGet();
                    allDone.countDown();
                });
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        };
        CountDownLatch submitted = new CountDownLatch(1);
        CompletableFuture<Void> outer = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 20; i++) {
                CompletableFuture<Void> inner = CompletableFuture.runAsync(piece);
                assertThat(inner).isNotCancelled();
            }
            submitted.countDown();
            piece.run();
        });
        Patience.await(submitted);
        held.close();
        Patience.get(outer);
        Patience.await(allDone);
        assertThat(done).hasValue(21);
        stepped.assertUsable(first);
    }

    @Test
    @DisplayName("A thread of a pool that can have no other in its place waits all the same, and loses no ticket")
    void aPoolWithoutSpareThreads() throws InterruptedException {
        ForkJoinPool pool = new ForkJoinPool(
                1, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, false, 1, 1, 1, null, 60, TimeUnit.SECONDS);
        Reservation first = stepped.next();
        AtomicReference<Thread> worker = new AtomicReference<>();
        CountDownLatch started = new CountDownLatch(1);
        var second = pool.submit(() -> {
            worker.set(Thread.currentThread());
            started.countDown();
            return sequencer.next();
        });
        Patience.await(started);
        Patience.awaitParked(worker.get());
        stepped.run(first);
        stepped.assertUsable(Patience.get(second));
        pool.shutdown();
        assertThat(pool.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @DisplayName("the same if the thread factory of the pool throws")
    void aPoolWhoseFactoryThrows() throws InterruptedException {
        AtomicReference<Thread> worker = new AtomicReference<>();
        AtomicInteger asked = new AtomicInteger();
        ForkJoinPool pool = new ForkJoinPool(
                1,
                ofPool -> {
                    if (asked.incrementAndGet() > 1) {
                        throw new ThrownOnPurpose();
                    }
                    return ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(ofPool);
                },
                null,
                false);
        Reservation first = stepped.next();
        CountDownLatch started = new CountDownLatch(1);
        var second = pool.submit(() -> {
            worker.set(Thread.currentThread());
            started.countDown();
            return sequencer.next();
        });
        Patience.await(started);
        Patience.awaitParked(worker.get());
        stepped.run(first);
        stepped.assertUsable(Patience.get(second));
        assertThat(asked).hasValueGreaterThan(1);
        // after its factory has thrown, a pool of the JDK may never terminate; its threads are daemons
        pool.shutdown();
    }

    @Test
    @DisplayName("an output is refused a wait only if there is no room, whoever else is about to wait")
    void roomInsideAnOutput() {
        AtomicInteger got = new AtomicInteger();
        for (int round = 0; round < 1000; round++) {
            SteppedSequencer four = new SteppedSequencer(4);
            List<Reservation> tickets = four.next(4);
            tickets.get(1).close();
            tickets.get(2).execute(() -> {
                try {
                    four.sequencer.next().close();
                    got.incrementAndGet();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            Waiter waiter = new Waiter(four.sequencer);
            four.run(tickets.get(0));
            ((Reservation) waiter.end()).close();
            tickets.get(3).close();
            assertThat(four.failures).isEmpty();
            four.assertGoesOn();
        }
        assertThat(got).hasValue(1000);
    }

    @Test
    @DisplayName("a ticket for a future that its holder has completed without a withdrawal is given back")
    void completedByItsHolder() {
        Reservation first = stepped.next();
        CompletableFuture<Reservation> request = sequencer.nextAsync();
        request.completeAsync(() -> first, Runnable::run);
        assertThat(request).isCompletedWithValue(first);
        first.close();
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("a ticket stays its holder's if a dependent action of the request fails in the worst way")
    void afterADependentActionThatFails() {
        Reservation first = stepped.next();
        CompletableFuture<Reservation> request = sequencer.nextAsync();
        var unused = request.thenAccept(ticket -> {
            throw new Unreadable();
        });
        first.close();
        stepped.executor.runAll();
        stepped.assertUsable(request.join());
    }
}
