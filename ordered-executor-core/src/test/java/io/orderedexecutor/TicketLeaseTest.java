package io.orderedexecutor;

import static io.orderedexecutor.fixtures.Tickets.numberOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A ticket that is lost becomes one that is skipped, and somebody is told. */
public class TicketLeaseTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedSequencer stepped =
            new SteppedSequencer(settings -> settings.window(10).lease(SECOND));
    private final List<Throwable> uncaught = new ArrayList<>();

    @RegisterExtension
    final DefaultHandler handler = new DefaultHandler((thread, failure) -> uncaught.add(failure));

    private void pass(Duration time) {
        stepped.pass(time);
        stepped.fire();
    }

    @Test
    @DisplayName("a ticket that is not used in its time is skipped, what was left behind it runs, and the "
            + "handler is told")
    void aLostTicket() {
        Reservation lost = stepped.next();
        stepped.run(stepped.next());
        assertThat(stepped.timer.pauses()).containsExactly(SECOND);
        pass(SECOND);
        assertThat(stepped.ran).containsExactly(1L);
        assertThat(stepped.failures)
                .singleElement()
                .isInstanceOf(TimeoutException.class)
                .extracting(Throwable::getMessage)
                .isEqualTo("ticket 0 was neither used nor given back within its lease of PT1S from its turn on, so the"
                        + " tickets behind it go on; close tickets in a try-with-resources statement");
        assertThatThrownBy(() -> stepped.run(lost))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ticket 0 (expired)");
        lost.close();
        assertThat(stepped.timer.waiting()).as("timers when nothing is awaited").isZero();
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName(
            "A timer that comes too early waits for the rest, and one that comes after the use finds nothing to do")
    void earlyAndLate() {
        Reservation ticket = stepped.next();
        pass(Duration.ofMillis(999));
        assertThat(stepped.timer.pauses()).containsExactly(SECOND, Duration.ofMillis(1));
        stepped.run(ticket);
        pass(Duration.ofMillis(1));
        assertThat(stepped.failures).isEmpty();
        assertThat(stepped.timer.waiting()).isZero();
        assertThat(stepped.ran).containsExactly(0L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("There is one timer, whatever the number of tickets, and it follows the ticket that is awaited")
    void oneTimer() {
        for (int i = 0; i < 1000; i++) {
            stepped.run(stepped.next());
        }
        assertThat(stepped.timer.pauses()).containsExactly(SECOND);
        Reservation first = stepped.next();
        Reservation second = stepped.next();
        stepped.pass(Duration.ofMillis(400));
        stepped.run(first);
        stepped.pass(Duration.ofMillis(600));
        stepped.fire();
        assertThat(stepped.timer.pauses()).containsExactly(SECOND, Duration.ofMillis(400));
        assertThat(stepped.failures).isEmpty();
        pass(Duration.ofMillis(400));
        assertThat(stepped.failures).hasSize(1);
        assertThat(second).hasToString("ticket 1001 (expired)");
        assertThat(stepped.ran).hasSize(1001);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("Each of many tickets that are lost in a row is told, and those between them run")
    void manyLostTickets() {
        for (int i = 0; i < 10; i++) {
            Reservation ticket = stepped.next();
            if (i % 2 == 1) {
                stepped.run(ticket);
            }
        }
        for (int lost = 1; lost <= 5; lost++) {
            pass(SECOND);
            assertThat(stepped.failures).hasSize(lost);
        }
        assertThat(stepped.ran).containsExactly(1L, 3L, 5L, 7L, 9L);
        assertThat(stepped.failures).hasSize(5);
        assertThat(stepped.timer.waiting()).isZero();
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName(
            "A lease runs from the moment that its ticket is awaited: one that is behind a slow output does not expire")
    void fromTheMomentItIsAwaited() {
        Reservation first = stepped.next();
        Reservation behindASlowOne = stepped.next();
        Reservation lost = stepped.next();
        stepped.run(stepped.next());
        first.execute(() -> {
            stepped.ran.add(0L);
            stepped.pass(Duration.ofDays(1));
            stepped.fire();
        });
        stepped.fire();
        pass(SECOND.minusNanos(1));
        assertThat(stepped.failures).as("while it may still be used").isEmpty();
        stepped.run(behindASlowOne);
        assertThat(stepped.ran).containsExactly(0L, 1L);
        pass(SECOND.minusNanos(1));
        assertThat(lost).hasToString("ticket 2 (open)");
        pass(Duration.ofNanos(1));
        assertThat(stepped.failures).hasSize(1);
        assertThat(stepped.ran).containsExactly(0L, 1L, 3L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("a thread whose turn is bounded does not skip lost tickets and begin anew behind each")
    void theTurnOfACallerEndsAtALostTicket() {
        SteppedSequencer two =
                new SteppedSequencer(settings -> settings.lease(SECOND).turn(2, Duration.ofDays(1)));
        List<Reservation> tickets = two.next(9);
        for (int i = 1; i < 9; i++) {
            if (i % 3 != 0) {
                two.run(tickets.get(i));
            }
        }
        two.pass(SECOND);
        two.run(tickets.get(0));
        assertThat(two.ran).containsExactly(0L, 1L);
        while (two.executor.runAll() > 0 || two.timer.waiting() > 0) {
            two.pass(SECOND);
            two.fire();
        }
        assertThat(two.ran).containsExactly(0L, 1L, 2L, 4L, 5L, 7L, 8L);
        assertThat(two.failures).hasSize(2);
        two.assertGoesOn();
    }

    @Test
    @DisplayName(
            "while a handler is told, and while an action depends on a ticket, no lock is held: others get through")
    void noForeignCodeUnderALock() {
        AtomicReference<TicketSequencer> own = new AtomicReference<>();
        List<Boolean> wentThrough = new ArrayList<>();
        Runnable othersGoThrough = () -> {
            Thread other = new Thread(() -> {
                assertThat(own.get().snapshot().open()).isPositive();
                wentThrough.add(own.get().tryNext() == null);
            });
            other.start();
            Patience.join(other);
        };
        SteppedSequencer two = new SteppedSequencer(
                settings -> settings.window(2).lease(SECOND).onFailure((number, failure) -> othersGoThrough.run()));
        own.set(two.sequencer);
        List<Reservation> tickets = two.next(2);
        CompletableFuture<Void> third = two.sequencer.nextAsync().thenAccept(ticket -> {
            othersGoThrough.run();
            ticket.close();
        });
        two.pass(SECOND);
        two.fire();
        assertThat(third).isCompleted();
        assertThat(wentThrough).containsExactly(true, true);
        two.run(tickets.get(1));
        two.assertGoesOn();
    }

    @Test
    @DisplayName("a handler that is told of a lost ticket is refused a wait for the room that it is about to make")
    void selfWait() {
        TicketSequencer[] own = new TicketSequencer[1];
        List<Throwable> told = new ArrayList<>();
        SteppedSequencer one = new SteppedSequencer(settings -> settings.window(1)
                .lease(SECOND)
                .onFailure((ticket, failure) -> {
                    told.add(failure);
                    assertThatThrownBy(own[0]::next).isInstanceOf(SelfWaitException.class);
                    told.add(failure);
                }));
        own[0] = one.sequencer;
        assertThat(numberOf(one.next())).isZero();
        one.pass(SECOND);
        one.fire();
        assertThat(told).hasSize(2);
        one.assertGoesOn();
    }

    @Test
    @DisplayName("a handler that fails is told to the uncaught exception handler, and the tail runs")
    void failingHandler() {
        ThrownOnPurpose ofHandler = new ThrownOnPurpose();
        SteppedSequencer failing =
                new SteppedSequencer(settings -> settings.lease(SECOND).onFailure((ticket, failure) -> {
                    throw ofHandler;
                }));
        assertThat(numberOf(failing.next())).isZero();
        failing.run(failing.next());
        failing.pass(SECOND);
        failing.fire();
        assertThat(uncaught).containsExactly(ofHandler);
        assertThat(failing.ran).containsExactly(1L);
        failing.assertGoesOn();
    }

    @Test
    @DisplayName("a timer that fails is reported, and the next ticket that is awaited has one again")
    void brokenTimer() {
        Error broken = new OutOfMemoryError("thrown by the test");
        stepped.timer.breakWith(broken);
        Reservation first = stepped.next();
        assertThat(uncaught).containsExactly(broken);
        stepped.timer.breakWith(null);
        stepped.run(first);
        assertThat(numberOf(stepped.next())).isEqualTo(1);
        stepped.run(stepped.next());
        pass(SECOND);
        assertThat(stepped.failures).hasSize(1);
        assertThat(stepped.ran).containsExactly(0L, 2L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("the timer runs neither the handler nor an output: the executor does")
    void theTimerRunsNothing() {
        assertThat(numberOf(stepped.next())).isZero();
        stepped.run(stepped.next());
        stepped.pass(SECOND);
        stepped.timer.fire();
        assertThat(stepped.failures).isEmpty();
        assertThat(stepped.ran).isEmpty();
        stepped.executor.runAll();
        assertThat(stepped.failures).hasSize(1);
        assertThat(stepped.ran).containsExactly(1L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("nor does it if the executor refuses, or would run them on its thread: the helper does")
    void norIfTheExecutorRefuses() throws InterruptedException {
        List<Executor> executors = List.of(Runnable::run, refused -> {
            throw new RejectedExecutionException();
        });
        for (Executor executor : executors) {
            BlockingQueue<Thread> ranOn = new LinkedBlockingQueue<>();
            HandTimer timer = new HandTimer();
            TicketSequencer sequencer = TicketSequencer.builder()
                    .executor(executor)
                    .platform(timer)
                    .lease(Duration.ofNanos(1))
                    .onFailure((ticket, failure) -> ranOn.add(Thread.currentThread()))
                    .build();
            assertThat(sequencer.tryNext()).isNotNull();
            sequencer.tryNext().execute(() -> ranOn.add(Thread.currentThread()));
            timer.fire();
            for (int i = 0; i < 2; i++) {
                assertThat(ranOn.poll(Patience.SECONDS, TimeUnit.SECONDS))
                        .isNotNull()
                        .isNotSameAs(Thread.currentThread());
            }
        }
    }

    @Test
    @DisplayName("Those who wait get the room that a lost ticket leaves")
    void roomForThoseWhoWait() {
        stepped.next(10);
        CompletableFuture<Reservation> waiting = stepped.sequencer.nextAsync();
        pass(SECOND);
        assertThat(numberOf(waiting.join())).isEqualTo(10);
        assertThat(stepped.failures).hasSize(1);
        for (int lost = 2; lost <= 10; lost++) {
            pass(SECOND);
            assertThat(stepped.failures).hasSize(lost);
        }
        stepped.assertUsable(waiting.join());
    }

    @Test
    @DisplayName("A lease of more than 292 years never ends")
    void aLeaseBeyondTheClocksRangeNeverEnds() {
        SteppedSequencer forever = new SteppedSequencer(settings -> settings.lease(Duration.ofSeconds(Long.MAX_VALUE)));
        Reservation ticket = forever.next();
        forever.pass(Duration.ofDays(100_000));
        forever.fire();
        assertThat(forever.failures).isEmpty();
        forever.assertUsable(ticket);
    }

    @Test
    @DisplayName("with the JDK's own timer and clock a lost ticket is skipped, too")
    void realTime() {
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch ran = new CountDownLatch(1);
        TicketSequencer sequencer = TicketSequencer.builder()
                .lease(Duration.ofMillis(20))
                .onFailure((ticket, failure) -> told.countDown())
                .build();
        assertThat(sequencer.tryNext()).isNotNull();
        sequencer.tryNext().execute(ran::countDown);
        Patience.await(told);
        Patience.await(ran);
    }
}
