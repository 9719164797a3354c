package io.orderedexecutor;

import static io.orderedexecutor.fixtures.Tickets.numberOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.RefusingExecutor;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.SequencerSnapshot;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Order, turns, the window, failures and figures, step by step. */
class TicketSequencerTest {

    private static List<Long> upTo(long count) {
        return LongStream.range(0, count).boxed().toList();
    }

    // order

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1000})
    @DisplayName("a whole window that is used from its end runs from its beginning, window after window")
    void reversed(int window) {
        SteppedSequencer stepped = new SteppedSequencer(window);
        for (int round = 1; round <= 3; round++) {
            List<Reservation> tickets = stepped.next(window);
            assertThat(stepped.sequencer.tryNext()).as("a ticket too many").isNull();
            for (int i = window - 1; i >= 0; i--) {
                stepped.run(tickets.get(i));
            }
            stepped.executor.runAll();
            assertThat(stepped.ran).isEqualTo(upTo((long) round * window));
        }
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("An output that uses later tickets leaves them to come after it, and takes its own use as done")
    void nestedUses() {
        SteppedSequencer stepped = new SteppedSequencer(10);
        List<Reservation> tickets = stepped.next(4);
        tickets.get(0).execute(() -> {
            stepped.run(tickets.get(2));
            tickets.get(1).execute(() -> {
                stepped.run(tickets.get(3));
                stepped.ran.add(1L);
            });
            assertThatThrownBy(() -> stepped.run(tickets.get(0))).isInstanceOf(IllegalStateException.class);
            tickets.get(0).close();
            stepped.run(stepped.next());
            stepped.ran.add(0L);
        });
        assertThat(stepped.ran).containsExactly(0L, 1L, 2L, 3L, 4L);
        assertThat(stepped.failures).isEmpty();
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("Two sequencers whose outputs use each other's tickets are not nested in each other without end")
    void nestedSequencers() {
        SteppedSequencer one = new SteppedSequencer(100_000);
        SteppedSequencer other = new SteppedSequencer(100_000);
        play(one, other, 50_000);
        one.executor.runAll();
        other.executor.runAll();
        one.executor.runAll();
        assertThat(one.failures).isEmpty();
        assertThat(other.failures).isEmpty();
        assertThat(one.ran.size() + other.ran.size()).isEqualTo(50_000);
        assertThat(one.ran).isEqualTo(upTo(25_000));
        assertThat(other.ran).isEqualTo(upTo(25_000));
    }

    private static void play(SteppedSequencer here, SteppedSequencer there, int left) {
        if (left > 0) {
            Reservation ticket = here.next();
            ticket.execute(() -> {
                here.ran.add(numberOf(ticket));
                play(there, here, left - 1);
            });
        }
    }

    // turns

    @Test
    @DisplayName("a thread runs its own output and those behind it up to its turn, and another goes on")
    void turnOfOutputs() {
        SteppedSequencer stepped = new SteppedSequencer(settings -> settings.turn(3, Duration.ofDays(1)));
        List<Reservation> tickets = stepped.next(8);
        tickets.subList(1, 8).forEach(stepped::run);
        stepped.run(tickets.get(0));
        assertThat(stepped.ran).containsExactly(0L, 1L, 2L);
        assertThat(stepped.executor.waiting()).isEqualTo(1);
        stepped.executor.runNext();
        assertThat(stepped.ran).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        assertThat(stepped.executor.runAll()).isEqualTo(1);
        assertThat(stepped.ran).isEqualTo(upTo(8));
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("a turn is over when its time is, measured from the end of the thread's own output")
    void turnOfTime() {
        SteppedSequencer stepped = new SteppedSequencer(settings -> settings.turn(1000, Duration.ofMillis(10)));
        List<Reservation> tickets = stepped.next(9);
        for (Reservation ticket : tickets.subList(1, 9)) {
            ticket.execute(() -> {
                stepped.pass(Duration.ofMillis(4));
                stepped.ran.add(numberOf(ticket));
            });
        }
        tickets.get(0).execute(() -> {
            stepped.pass(Duration.ofMillis(50));
            stepped.ran.add(0L);
        });
        assertThat(stepped.ran).containsExactly(0L, 1L, 2L, 3L);
        stepped.executor.runNext();
        assertThat(stepped.ran).isEqualTo(upTo(8));
        assertThat(stepped.executor.runAll()).isEqualTo(1);
        assertThat(stepped.ran).isEqualTo(upTo(9));
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("whoever closes the first of many tickets that were closed goes past all of them at once")
    void closedTicketsAreNobodysTurn() {
        SteppedSequencer stepped = new SteppedSequencer(settings -> settings.turn(1, Duration.ofMillis(1)));
        List<Reservation> tickets = stepped.next(1000);
        tickets.subList(1, 999).forEach(Reservation::close);
        stepped.run(tickets.get(999));
        assertThat(stepped.sequencer.snapshot().tail()).isZero();
        tickets.get(0).close();
        assertThat(stepped.ran).containsExactly(999L);
        assertThat(stepped.executor.waiting()).isZero();
        assertThat(stepped.sequencer.snapshot()).isEqualTo(new SequencerSnapshot(1000, 0, Duration.ZERO));
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("a thread that is refused relief goes on for another turn, and then asks again")
    void refusal() {
        SteppedSequencer stepped = new SteppedSequencer(settings -> settings.turn(2, Duration.ofDays(1)));
        stepped.executor.refuse(true);
        List<Reservation> tickets = stepped.next(9);
        tickets.get(5).execute(() -> {
            stepped.ran.add(5L);
            stepped.executor.refuse(false);
        });
        List.of(1, 2, 3, 4, 6, 7, 8).forEach(i -> stepped.run(tickets.get(i)));
        stepped.run(tickets.get(0));
        assertThat(stepped.ran).isEqualTo(upTo(6));
        assertThat(stepped.executor.runAll()).isEqualTo(2);
        assertThat(stepped.ran).isEqualTo(upTo(9));
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("who closes a ticket and is refused relief goes on for a turn, not for one output")
    void refusalOfOneWhoCloses() {
        AtomicInteger asked = new AtomicInteger();
        SteppedSequencer stepped = new SteppedSequencer(
                settings -> settings.turn(4, Duration.ofDays(1)).executor(step -> {
                    asked.incrementAndGet();
                    throw new RejectedExecutionException();
                }));
        List<Reservation> tickets = stepped.next(8);
        tickets.subList(1, 8).forEach(stepped::run);
        tickets.get(0).close();
        assertThat(stepped.ran).isEqualTo(upTo(8).subList(1, 8));
        assertThat(asked).hasValue(1);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("an executor that runs inline, twice, with an Error or with a checked exception stalls nothing")
    void executorsThatRunInlineTwiceOrThrow() {
        for (Executor strange : List.<Executor>of(
                Runnable::run,
                step -> {
                    step.run();
                    step.run();
                },
                step -> {
                    step.run();
                    throw new ThrownOnPurpose();
                },
                step -> {
                    Thread other = new Thread(step);
                    other.start();
                    Patience.join(other);
                    step.run();
                    throw new ThrownOnPurpose();
                },
                step -> {
                    throw new StackOverflowError("thrown by the test");
                },
                step -> {
                    throw TicketSequencerTest.<RuntimeException>unchecked(new TimeoutException("thrown by the test"));
                })) {
            SteppedSequencer stepped = new SteppedSequencer(
                    settings -> settings.turn(1, Duration.ofDays(1)).executor(strange));
            List<Reservation> tickets = stepped.next(100);
            tickets.subList(1, 100).forEach(stepped::run);
            stepped.run(tickets.get(0));
            assertThat(stepped.ran).isEqualTo(upTo(100));
            stepped.assertGoesOn();
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // that is the trick
    private static <E extends Exception> E unchecked(Exception checked) throws E {
        throw (E) checked;
    }

    @Test
    @DisplayName("A step that an executor keeps and runs again much later does nothing")
    void aStepThatRunsAgainDoesNothing() {
        List<Runnable> steps = new ArrayList<>();
        SteppedSequencer stepped = new SteppedSequencer(
                settings -> settings.turn(1, Duration.ofDays(1)).executor(steps::add));
        List<Reservation> tickets = stepped.next(3);
        stepped.run(tickets.get(2));
        stepped.run(tickets.get(1));
        stepped.run(tickets.get(0));
        for (int i = 0; i < steps.size(); i++) {
            steps.get(i).run();
            List.copyOf(steps).subList(0, i).forEach(Runnable::run);
        }
        assertThat(steps).hasSize(2);
        assertThat(stepped.ran).isEqualTo(upTo(3));
        Reservation awaited = stepped.next();
        List.copyOf(steps).forEach(Runnable::run);
        assertThat(awaited).hasToString("ticket 3 (open)");
        stepped.assertUsable(awaited);
    }

    @Test
    @DisplayName("200,000 outputs that were left run on any executor, inline ones too, and need no stack")
    void depth() {
        for (Executor executor : List.<Executor>of(Runnable::run, new RefusingExecutor(Runnable::run, 2))) {
            SteppedSequencer stepped =
                    new SteppedSequencer(settings -> settings.window(300_000).executor(executor));
            List<Reservation> tickets = stepped.next(200_000);
            tickets.subList(1, 200_000).forEach(stepped::run);
            stepped.run(tickets.get(0));
            assertThat(stepped.ran).isEqualTo(upTo(200_000));
            stepped.assertGoesOn();
        }
    }

    // the window

    @Test
    @DisplayName("A window of a thousand million costs nothing, and holds what it says")
    void hugeWindow() {
        SteppedSequencer stepped = new SteppedSequencer(1_000_000_000);
        stepped.next(10_000).forEach(stepped::run);
        assertThat(stepped.ran).isEqualTo(upTo(10_000));
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("an output that waits for room which only its own end can make is refused, not hung")
    void selfWait() {
        SteppedSequencer stepped = new SteppedSequencer(2);
        List<Reservation> tickets = stepped.next(2);
        tickets.get(0).execute(() -> {
            assertThatThrownBy(stepped.sequencer::next)
                    .isInstanceOf(SelfWaitException.class)
                    .hasMessageContaining("window of 2 tickets");
            assertThatThrownBy(() -> stepped.sequencer.next(Duration.ofDays(1))).isInstanceOf(SelfWaitException.class);
            stepped.ran.add(0L);
        });
        assertThat(stepped.failures).isEmpty();
        assertThat(stepped.ran).containsExactly(0L);
        stepped.run(tickets.get(1));
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("so is a handler, and an action that depends on a ticket and runs between two outputs")
    void selfWaitBesideOutputs() {
        List<String> refused = new ArrayList<>();
        TicketSequencer[] own = new TicketSequencer[1];
        SteppedSequencer stepped =
                new SteppedSequencer(settings -> settings.window(1).onFailure((ticket, failure) -> {
                    assertThatThrownBy(own[0]::next).isInstanceOf(SelfWaitException.class);
                    refused.add("handler");
                }));
        own[0] = stepped.sequencer;
        Reservation first = stepped.next();
        CompletableFuture<Reservation> second = stepped.sequencer.nextAsync();
        CompletableFuture<Void> dependent = second.thenAccept(ticket -> {
            assertThatThrownBy(stepped.sequencer::next).isInstanceOf(SelfWaitException.class);
            refused.add("action");
            stepped.run(ticket);
        });
        first.execute(() -> {
            throw new ThrownOnPurpose();
        });
        assertThat(dependent).isCompleted();
        assertThat(refused).containsExactly("handler", "action");
        assertThat(stepped.ran).containsExactly(1L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName(
            "A thread that has run an output is an ordinary one again, and so is one that runs another sequencer's")
    void noSelfWait() throws Exception {
        SteppedSequencer stepped = new SteppedSequencer(1);
        Reservation first = stepped.next();
        SteppedSequencer other = new SteppedSequencer(1);
        other.next().execute(() -> {
            assertThatThrownBy(() -> stepped.sequencer.next(Duration.ofNanos(1)))
                    .isInstanceOf(TimeoutException.class);
            other.ran.add(0L);
        });
        stepped.run(first);
        assertThat(other.ran).containsExactly(0L);
        Reservation second = stepped.next();
        assertThatThrownBy(() -> stepped.sequencer.next(Duration.ofNanos(1)))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("window of 1 tickets within PT0.000000001S")
                .hasMessageContaining("ticket 1 (open)");
        stepped.run(second);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("The other tickets can be had while an output runs")
    void ticketsInsideAnOutput() throws Exception {
        SteppedSequencer stepped = new SteppedSequencer(3);
        Reservation first = stepped.next();
        List<Reservation> inside = new ArrayList<>();
        first.execute(() -> {
            inside.add(unchecked(stepped));
            inside.add(stepped.next());
            assertThat(stepped.sequencer.tryNext()).isNull();
            stepped.ran.add(0L);
        });
        assertThat(stepped.failures).isEmpty();
        inside.forEach(stepped::run);
        assertThat(stepped.ran).containsExactly(0L, 1L, 2L);
        stepped.assertGoesOn();
    }

    private static Reservation unchecked(SteppedSequencer stepped) {
        try {
            return stepped.sequencer.next();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // the end

    @Test
    @DisplayName("flush is done when all tickets that were issued are, and can be given up without harm")
    void flush() {
        SteppedSequencer stepped = new SteppedSequencer(4);
        assertThat(stepped.sequencer.flush()).isCompleted();
        List<Reservation> tickets = stepped.next(3);
        CompletableFuture<Void> flushed = stepped.sequencer.flush();
        stepped.sequencer.flush().cancel(true);
        Reservation later = stepped.next();
        stepped.run(tickets.get(2));
        assertThat(flushed).isNotDone();
        tickets.get(0).close();
        assertThat(flushed).isNotDone();
        stepped.run(tickets.get(1));
        assertThat(flushed).isCompleted();
        assertThat(stepped.sequencer.flush()).isNotDone();
        stepped.assertUsable(later);
    }

    @Test
    @DisplayName(
            "stop refuses who wants, waits for or uses a ticket, and each output that was left is told in its turn")
    void stop() {
        SteppedSequencer stepped = new SteppedSequencer(3);
        List<Reservation> tickets = stepped.next(3);
        stepped.run(tickets.get(1));
        CompletableFuture<Reservation> waiting = stepped.sequencer.nextAsync();
        CompletableFuture<Void> flushed = stepped.sequencer.flush();
        stepped.sequencer.stop();
        stepped.sequencer.stop();
        assertThat(waiting).isCompletedExceptionally();
        assertThatThrownBy(() -> stepped.run(tickets.get(0)))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("the sequence was stopped")
                .hasMessageContaining("ticket 0");
        assertThat(stepped.failures).singleElement().isInstanceOf(CancellationException.class);
        assertThat(flushed).isNotDone();
        tickets.get(2).close();
        assertThat(flushed).isCompleted();
        assertThat(stepped.ran).isEmpty();
        assertThatThrownBy(stepped.sequencer::next).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(stepped.sequencer::tryNext).isInstanceOf(RejectedExecutionException.class);
        assertThat(stepped.sequencer.nextAsync()).isCompletedExceptionally();
    }

    @Test
    @DisplayName("An output that stops its own sequence goes on to its end")
    void stopFromInside() {
        SteppedSequencer stepped = new SteppedSequencer(3);
        List<Reservation> tickets = stepped.next(2);
        stepped.run(tickets.get(1));
        tickets.get(0).execute(() -> {
            stepped.sequencer.stop();
            stepped.ran.add(0L);
        });
        assertThat(stepped.ran).containsExactly(0L);
        assertThat(stepped.failures).singleElement().isInstanceOf(CancellationException.class);
        assertThat(stepped.sequencer.flush()).isCompleted();
    }

    // failures

    @Test
    @DisplayName("whatever an output throws is told with its ticket, and the next one runs")
    void failuresAreTold() {
        List<String> told = new ArrayList<>();
        SteppedSequencer stepped = new SteppedSequencer(settings -> settings.onFailure(
                (ticket, failure) -> told.add(ticket + " " + failure.getClass().getSimpleName())));
        List<Reservation> tickets = stepped.next(6);
        stepped.run(tickets.get(5));
        tickets.get(4).execute(TicketSequencerTest::overflow);
        tickets.get(3).execute(() -> {
            throw new OutOfMemoryError("thrown by the test");
        });
        tickets.get(2).execute(() -> {
            throw TicketSequencerTest.<RuntimeException>unchecked(new TimeoutException("thrown by the test"));
        });
        stepped.run(tickets.get(1));
        tickets.get(0).execute(() -> {
            throw new ThrownOnPurpose();
        });
        assertThat(told)
                .containsExactly(
                        "0 ThrownOnPurpose", "2 TimeoutException", "3 OutOfMemoryError", "4 StackOverflowError");
        assertThat(stepped.ran).containsExactly(1L, 5L);
        stepped.assertGoesOn();
    }

    @SuppressWarnings("InfiniteRecursion") // which is what it is for
    private static void overflow() {
        overflow();
    }

    @Test
    @DisplayName("A sequence that stops at a failure runs nothing more, tells of each output that was left, and "
            + "refuses the rest")
    void stopping() {
        SteppedSequencer stepped =
                new SteppedSequencer(settings -> settings.window(5).stopOnFailure());
        List<Reservation> tickets = stepped.next(5);
        CompletableFuture<Reservation> waiting = stepped.sequencer.nextAsync();
        stepped.run(tickets.get(2));
        tickets.get(3).close();
        ThrownOnPurpose failure = new ThrownOnPurpose();
        tickets.get(1).execute(() -> {
            throw failure;
        });
        stepped.run(tickets.get(0));
        assertThat(stepped.ran).containsExactly(0L);
        assertThat(stepped.failures).hasSize(2).first().isSameAs(failure);
        assertThat(stepped.failures.get(1))
                .isInstanceOf(CancellationException.class)
                .hasMessageContaining("ticket 2")
                .hasCause(failure);
        assertThatThrownBy(() -> stepped.run(tickets.get(4)))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("ticket 4")
                .hasCause(failure);
        assertThatThrownBy(() -> stepped.run(tickets.get(4))).isInstanceOf(IllegalStateException.class);
        // it had got its ticket when the first output was done
        Patience.get(waiting).close();
        assertRefused(stepped, failure);
        assertThat(stepped.sequencer.snapshot()).isEqualTo(new SequencerSnapshot(6, 0, Duration.ZERO));
        assertThat(stepped.ran).containsExactly(0L);
    }

    private static void assertRefused(SteppedSequencer stepped, Throwable failure) {
        assertThatThrownBy(stepped.sequencer::next)
                .isInstanceOf(RejectedExecutionException.class)
                .hasCause(failure);
        assertThatThrownBy(stepped.sequencer::tryNext).isInstanceOf(RejectedExecutionException.class);
        assertThat(stepped.sequencer.nextAsync())
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(RejectedExecutionException.class)
                .withCause(failure);
    }

    @Test
    @DisplayName(
            "Who waits for a ticket when the sequence stops is refused, and a ticket that was skipped stops nothing")
    void stoppingThoseWhoWait() {
        SteppedSequencer stepped =
                new SteppedSequencer(settings -> settings.window(1).stopOnFailure());
        stepped.next().close();
        Reservation ticket = stepped.next();
        List<CompletableFuture<Reservation>> waiting =
                List.of(stepped.sequencer.nextAsync(), stepped.sequencer.nextAsync());
        ThrownOnPurpose failure = new ThrownOnPurpose();
        ticket.execute(() -> {
            throw failure;
        });
        waiting.forEach(future -> assertThat(future)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(RejectedExecutionException.class)
                .withCause(failure));
        assertThat(stepped.sequencer.snapshot()).isEqualTo(new SequencerSnapshot(2, 0, Duration.ZERO));
        assertRefused(stepped, failure);
    }

    // figures

    @Test
    void snapshots() {
        SteppedSequencer stepped = new SteppedSequencer(10);
        assertThat(stepped.sequencer.snapshot()).isEqualTo(new SequencerSnapshot(0, 0, Duration.ZERO));
        Reservation first = stepped.next();
        CompletableFuture<Void> ofFirst = stepped.sequencer.flush();
        stepped.pass(Duration.ofSeconds(2));
        Reservation second = stepped.next();
        stepped.pass(Duration.ofSeconds(3));
        assertThat(stepped.sequencer.snapshot()).isEqualTo(new SequencerSnapshot(0, 2, Duration.ofSeconds(5)));
        second.close();
        assertThat(stepped.sequencer.snapshot()).isEqualTo(new SequencerSnapshot(0, 2, Duration.ofSeconds(5)));
        Reservation third = stepped.next();
        // then the second ticket, which was closed, is passed
        CompletableFuture<SequencerSnapshot> inBetween = ofFirst.thenApply(nothing -> stepped.sequencer.snapshot());
        first.execute(() -> {
            assertThat(stepped.sequencer.snapshot()).isEqualTo(new SequencerSnapshot(0, 3, Duration.ofSeconds(5)));
            stepped.ran.add(0L);
        });
        assertThat(stepped.failures).isEmpty();
        assertThat(inBetween).isCompletedWithValue(new SequencerSnapshot(2, 1, Duration.ZERO));
        assertThat(stepped.sequencer.snapshot()).isEqualTo(new SequencerSnapshot(2, 1, Duration.ZERO));
        stepped.pass(Duration.ofSeconds(1));
        assertThat(stepped.sequencer)
                .hasToString("TicketSequencer[window 10, SequencerSnapshot[tail=2, open=1, oldestAge=PT1S]]");
        stepped.run(third);
        assertThat(stepped.ran).containsExactly(0L, 2L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("an idle sequencer keeps nothing of what it has done")
    void memory() {
        SteppedSequencer stepped = new SteppedSequencer(settings -> settings.turn(2, Duration.ofDays(1)));
        List<WeakReference<?>> gone = new ArrayList<>();
        List<Reservation> tickets = new ArrayList<>(stepped.next(20));
        for (int i = 19; i >= 0; i--) {
            gone.add(Reachability.submitHolding(tickets.get(i)::execute));
            // the sequencer may keep the last one, and nothing of its output
            if (i < 19) {
                gone.add(new WeakReference<>(tickets.get(i)));
            }
        }
        tickets.clear();
        assertThat(stepped.executor.runAll()).isEqualTo(9);
        Reachability.assertCleared(gone);
        stepped.assertGoesOn();
    }

    // settings

    @Test
    void nonsensicalSettingsAreRefused() {
        for (int window : new int[] {0, -1, Integer.MIN_VALUE, 1_000_000_001, Integer.MAX_VALUE}) {
            String message = "window is " + window + ", but must be from 1 to 1,000,000,000";
            assertThatThrownBy(() -> new TicketSequencer(window))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(message);
            assertThatThrownBy(() -> TicketSequencer.builder().window(window))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(message);
        }
        TicketSequencerBuilder builder = TicketSequencer.builder();
        assertThatThrownBy(() -> builder.lease(Duration.ZERO)).hasMessage("lease is PT0S, but must be more than zero");
        assertThatThrownBy(() -> builder.lease(Duration.ofSeconds(-1))).hasMessageContaining("lease is PT-1S");
        assertThatThrownBy(() -> builder.lease(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("lease");
        assertThatThrownBy(() -> builder.turn(0, Duration.ofMillis(1)))
                .hasMessage("the outputs of a turn are 0, but must be at least 1");
        assertThatThrownBy(() -> NumberedSequencer.builder(0).turn(0, Duration.ofMillis(1)))
                .hasMessage("the outputs of a turn are 0, but must be at least 1");
        assertThatThrownBy(() -> StripedExecutor.builder().turn(0, Duration.ofMillis(1)))
                .hasMessage("the tasks of a turn are 0, but must be at least 1");
        assertThatThrownBy(() -> builder.turn(1, Duration.ZERO)).hasMessageContaining("must be more than zero");
        assertThatThrownBy(() -> builder.executor(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("executor");
        assertThatThrownBy(() -> builder.onFailure(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("handler");
        TicketSequencer sequencer = new TicketSequencer(1);
        assertThatThrownBy(() -> sequencer.next(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("limit");
    }

    @Test
    @DisplayName("A sequencer keeps the settings with which it was built")
    void settingsAreCopied() {
        SteppedExecutor steps = new SteppedExecutor();
        TicketSequencerBuilder builder =
                TicketSequencer.builder().window(2).turn(1, Duration.ofDays(1)).executor(steps);
        TicketSequencer built = builder.build();
        builder.window(1).turn(9, Duration.ofDays(1)).executor(Runnable::run).stopOnFailure();
        Reservation first = built.tryNext();
        Reservation second = built.tryNext();
        List<Integer> ran = new ArrayList<>();
        second.execute(() -> ran.add(2));
        first.execute(() -> ran.add(1));
        assertThat(ran).containsExactly(1);
        assertThat(steps.runAll()).isEqualTo(1);
        assertThat(ran).containsExactly(1, 2);
    }
}
