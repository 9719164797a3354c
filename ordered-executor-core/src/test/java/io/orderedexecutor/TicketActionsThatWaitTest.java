package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Tickets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Waits in dependent actions of an output that the application has cancelled: its ticket leaves afterwards. */
class TicketActionsThatWaitTest {
    private final SteppedSequencer stepped = new SteppedSequencer(2);
    private final TicketSequencer sequencer = stepped.sequencer;
    private final List<Reservation> tickets = stepped.next(2);

    private record Call(Thread thread, FutureTask<Boolean> task) {}

    /** On a thread of its own, since it may wait for ever. */
    private static Call begin(Callable<Boolean> action) {
        FutureTask<Boolean> task = new FutureTask<>(action);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return new Call(thread, task);
    }

    private void nextIsClosed() throws InterruptedException {
        Reservation next = sequencer.next();
        assertThat(Tickets.numberOf(next)).isEqualTo(2);
        next.close();
    }

    @Test
    @DisplayName("a wait for what comes behind an output that holds its ticket is refused")
    void heldOutput() {
        CompletableFuture<String> held = tickets.get(0).submitAsync(CompletableFuture::new);
        CompletableFuture<String> behind = tickets.get(1).submit(() -> "behind");
        CompletableFuture<String> told = held.handle((result, cancelled) -> {
            assertThatThrownBy(sequencer::next).isInstanceOf(SelfWaitException.class);
            assertThatThrownBy(() -> sequencer.next(Duration.ofDays(1))).isInstanceOf(SelfWaitException.class);
            assertThatThrownBy(behind::join)
                    .isInstanceOf(SelfWaitException.class)
                    .hasMessageContaining("in a dependent action of a future that it has completed");
            return "told";
        });
        assertThat(Patience.get(begin(() -> held.cancel(false)).task)).isTrue();
        assertThat(told).isCompletedWithValue("told");
        assertThat(behind).isCompletedWithValue("behind");
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("a wait behind an output that is queued ends when another thread has ended those before")
    void queuedOutput() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> held = tickets.get(0).submitAsync(() -> stage);
        CompletableFuture<String> queued = tickets.get(1).submit(() -> "never");
        CompletableFuture<String> waited = queued.handle((result, cancelled) -> {
            try {
                nextIsClosed();
                return held.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        Call cancels = begin(() -> queued.cancel(false));
        Patience.awaitParked(cancels.thread);
        stage.complete("held");
        assertThat(Patience.get(cancels.task)).isTrue();
        assertThat(waited).isCompletedWithValue("held");
        stepped.assertGoesOn();
    }

    enum Waits {
        FOR_A_TICKET,
        FOR_AN_OUTPUT,
        FOR_A_TICKET_AFTER_AN_INTERRUPT,
        FOR_AN_OUTPUT_AFTER_AN_INTERRUPT;

        boolean interrupts() {
            return compareTo(FOR_AN_OUTPUT) > 0;
        }

        boolean areForATicket() {
            return this == FOR_A_TICKET || this == FOR_A_TICKET_AFTER_AN_INTERRUPT;
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a wait behind an output that runs ends when that ends, if need be by the interrupt of cancel(true)")
    void runningOutput(Waits waits) {
        SteppedSequencer three = new SteppedSequencer(3);
        List<Reservation> ofThree = three.next(3);
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Boolean> running = ofThree.get(1).submit(() -> {
            started.countDown();
            return end.await(Patience.SECONDS, TimeUnit.SECONDS);
        });
        CompletableFuture<String> behind = ofThree.get(2).submit(() -> "behind");
        CompletableFuture<Boolean> waited = running.handle((result, cancelled) -> {
            try {
                if (waits.areForATicket()) {
                    // tickets 0 and 1 have to be done
                    three.sequencer.next().close();
                    three.sequencer.next().close();
                    return true;
                }
                return behind.join().equals("behind");
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        Call runs = begin(() -> {
            ofThree.get(0).close();
            return true;
        });
        Patience.await(started);
        Call cancels = begin(() -> running.cancel(waits.interrupts()));
        if (!waits.interrupts()) {
            Patience.awaitParked(cancels.thread);
            assertThat(waited).isNotDone();
            end.countDown();
        }
        assertThat(Patience.get(cancels.task)).isTrue();
        assertThat(Patience.get(runs.task)).isTrue();
        assertThat(waited).isCompletedWithValue(true);
        assertThat(behind).isCompletedWithValue("behind");
        three.assertGoesOn();
    }

    @Test
    @DisplayName("Work that a thread takes in the place of other work does not leave that behind")
    void workOfAnother() throws InterruptedException {
        BlockingQueue<Runnable> accepted = new LinkedBlockingQueue<>();
        List<Reservation> issued = new ArrayList<>();
        AtomicReference<Runnable> beforeRefusal = new AtomicReference<>(() -> {
            issued.get(0).execute(() -> {});
            Thread another = new Thread(accepted.remove());
            another.start();
            Patience.join(another);
        });
        SteppedSequencer leased = new SteppedSequencer(settings -> settings.window(3)
                .turn(1, Duration.ofDays(1))
                .lease(Duration.ofSeconds(1))
                .executor(work -> {
                    Runnable first = beforeRefusal.getAndSet(null);
                    if (first == null) {
                        accepted.add(work);
                    } else {
                        first.run();
                        throw new RejectedExecutionException();
                    }
                }));
        issued.addAll(leased.next(3));
        List<CompletableFuture<String>> left =
                List.of(issued.get(1).submit(() -> "second"), issued.get(2).submit(() -> "third"));
        leased.pass(Duration.ofSeconds(1));
        leased.timer.fire();
        while (!left.get(1).isDone()) {
            Runnable work = accepted.poll(Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(work).as("what makes the next output run").isNotNull();
            work.run();
        }
        assertThat(left.get(0)).isCompletedWithValue("second");
        assertThat(left.get(1)).isCompletedWithValue("third");
        assertThat(leased.failures).isEmpty();
    }
}
