package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of a ticket, in each way to use it. */
class TicketUseTest {
    private final SteppedSequencer stepped =
            new SteppedSequencer(settings -> settings.window(100).lease(Duration.ofSeconds(1)));

    /** How a ticket comes into a state in which it must not be used again. */
    enum Use {
        EXECUTED_IN_TURN(true, (stepped, ticket) -> stepped.run(ticket)),
        EXECUTED_EARLY(false, (stepped, ticket) -> stepped.run(ticket)),
        SUBMITTED_IN_TURN(true, Use::submit),
        SUBMITTED_EARLY(false, Use::submit),
        HELD_EARLY(false, (stepped, ticket) -> {
            CompletableFuture<Object> stage = ticket.submitAsync(() -> {
                stepped.output(ticket).run();
                return CompletableFuture.completedFuture(null);
            });
            assertThat(stage).isNotDone();
        }),
        CANCELLED_EARLY(
                false,
                (stepped, ticket) ->
                        assertThat(submit(stepped, ticket).cancel(false)).isTrue()),
        CLOSED_IN_TURN(true, (stepped, ticket) -> ticket.close()),
        CLOSED_EARLY(false, (stepped, ticket) -> ticket.close()),
        EXPIRED(true, (stepped, ticket) -> {
            stepped.pass(Duration.ofSeconds(1));
            stepped.fire();
        });

        final boolean inTurn;

        @SuppressWarnings("ImmutableEnumChecker") // the lambdas hold nothing
        final BiConsumer<SteppedSequencer, Reservation> first;

        Use(boolean inTurn, BiConsumer<SteppedSequencer, Reservation> first) {
            this.inTurn = inTurn;
            this.first = first;
        }

        static CompletableFuture<Object> submit(SteppedSequencer stepped, Reservation ticket) {
            return ticket.submit(() -> {
                stepped.output(ticket).run();
                return null;
            });
        }

        boolean runs() {
            return this != CANCELLED_EARLY && this != CLOSED_IN_TURN && this != CLOSED_EARLY && this != EXPIRED;
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a second use is refused, whatever the first was, and no other ticket is affected")
    void secondUse(Use use) {
        Reservation before = stepped.next();
        Reservation ticket = stepped.next();
        stepped.pass(Duration.ofMillis(500));
        Reservation after = stepped.next();
        if (use.inTurn) {
            stepped.run(before);
        }
        use.first.accept(stepped, ticket);
        assertUsed(ticket);
        if (!use.inTurn) {
            stepped.run(before);
        }
        assertUsed(ticket);
        stepped.run(after);
        assertUsed(ticket);
        assertThat(stepped.ran).isEqualTo(use.runs() ? List.of(0L, 1L, 2L) : List.of(0L, 2L));
        assertThat(stepped.failures).hasSize(use == Use.EXPIRED ? 1 : 0);
        stepped.assertGoesOn();
    }

    private static void assertUsed(Reservation ticket) {
        assertThat(ticket.isOpen()).isFalse();
        assertThatThrownBy(() -> ticket.execute(() -> {
                    throw new AssertionError("a second output ran");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ticket 1 (")
                .hasMessageContaining("so this task is not accepted");
        ticket.close();
    }

    @Test
    void whoUsesATicketTwiceIsToldToTakeAnother() {
        Reservation ticket = stepped.next();
        stepped.run(ticket);
        assertThatIllegalStateException()
                .isThrownBy(() -> stepped.run(ticket))
                .withMessage(
                        "ticket 0 (used) was used before, so this task is not accepted; take a ticket for each output");
        stepped.assertGoesOn();
    }

    @Test
    void aNullOutputIsRefusedAndUsesNothing() {
        Reservation ticket = stepped.next();
        assertThatThrownBy(() -> ticket.execute(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("task");
        assertThatThrownBy(() -> ticket.submit(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("task");
        assertThatThrownBy(() -> ticket.submitAsync(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("task");
        stepped.run(ticket);
        assertThat(stepped.ran).containsExactly(0L);
        stepped.assertGoesOn();
    }

    @Test
    void tellsItsNumberAndWhatBecameOfIt() {
        List<Reservation> tickets = stepped.next(4);
        tickets.get(2).close();
        stepped.run(tickets.get(3));
        assertThat(tickets).hasToString("[ticket 0 (open), ticket 1 (open), ticket 2 (given back), ticket 3 (used)]");
        stepped.pass(Duration.ofSeconds(1));
        stepped.fire();
        assertThat(tickets.get(0)).hasToString("ticket 0 (expired)");
    }

    @Test
    @DisplayName("the result of submit is there when its turn was, and its failure is told by the future alone")
    void submit() {
        List<Reservation> tickets = stepped.next(3);
        CompletableFuture<String> second = tickets.get(1).submit(() -> "second");
        CompletableFuture<Object> third = tickets.get(2).submit(() -> {
            throw new ThrownOnPurpose();
        });
        assertThat(second).isNotDone();
        CompletableFuture<String> first = tickets.get(0).submit(() -> "first");
        assertThat(first).isCompletedWithValue("first");
        assertThat(second).isCompletedWithValue("second");
        assertThat(third).isCompletedExceptionally();
        assertThatThrownBy(third::join).hasCauseInstanceOf(ThrownOnPurpose.class);
        assertThat(stepped.failures).isEmpty();
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("the place of submitAsync is held until its stage is complete, and who completes that runs the next")
    void submitAsync() {
        List<Reservation> tickets = stepped.next(2);
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> first = tickets.get(0).submitAsync(() -> stage);
        AtomicReference<Thread> ranOn = new AtomicReference<>();
        tickets.get(1).execute(() -> ranOn.set(Thread.currentThread()));
        assertThat(ranOn).hasValue(null);
        assertThat(stepped.sequencer.snapshot().open()).isEqualTo(2);
        Thread completer = new Thread(() -> stage.complete("done"));
        completer.start();
        Patience.join(completer);
        assertThat(first).isCompletedWithValue("done");
        assertThat(ranOn).hasValue(completer);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("An output that was left can be cancelled, and what is behind it goes on")
    void cancel() {
        List<Reservation> tickets = stepped.next(3);
        CompletableFuture<Object> second = Use.submit(stepped, tickets.get(1));
        stepped.run(tickets.get(2));
        assertThat(second.cancel(true)).isTrue();
        stepped.run(tickets.get(0));
        assertThat(stepped.ran).containsExactly(0L, 2L);
        stepped.assertGoesOn();
    }

    /** How an output fails whose failure goes to a future. */
    enum Failing {
        THROWS,
        RETURNS_A_FAILED_STAGE,
        HAS_A_STAGE_THAT_FAILS,
        RETURNS_NO_STAGE,
        RETURNS_A_STAGE_BEHIND_IT
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a failure of submit and of a stage stops the sequence, and the futures of what was left say why")
    void stopOnFailure(Failing failing) {
        SteppedSequencer stopping =
                new SteppedSequencer(settings -> settings.window(5).stopOnFailure());
        List<Reservation> tickets = stopping.next(4);
        CompletableFuture<Object> left = Use.submit(stopping, tickets.get(1));
        CompletableFuture<Object> held = tickets.get(2).submitAsync(CompletableFuture::new);
        ThrownOnPurpose failure = new ThrownOnPurpose();
        CompletableFuture<Object> stage = new CompletableFuture<>();
        AtomicInteger runs = new AtomicInteger();
        CompletableFuture<Object> failed = failing == Failing.THROWS
                ? tickets.get(0).submit(() -> {
                    runs.getAndIncrement();
                    throw failure;
                })
                : tickets.get(0).submitAsync(() -> {
                    runs.getAndIncrement();
                    return switch (failing) {
                        case RETURNS_A_FAILED_STAGE -> CompletableFuture.failedFuture(failure);
                        case HAS_A_STAGE_THAT_FAILS -> stage;
                        case RETURNS_A_STAGE_BEHIND_IT -> left;
                        default -> null;
                    };
                });
        stage.completeExceptionally(failure);
        Throwable cause = catchThrowable(failed::join).getCause();
        switch (failing) {
            case RETURNS_NO_STAGE -> assertThat(cause).isInstanceOf(NullPointerException.class);
            case RETURNS_A_STAGE_BEHIND_IT -> assertThat(cause).isInstanceOf(SelfWaitException.class);
            default -> assertThat(cause).isSameAs(failure);
        }
        assertThatThrownBy(left::join)
                .hasCauseInstanceOf(CancellationException.class)
                .hasMessageContaining("ticket 1 did not run");
        assertThatThrownBy(held::join).hasCauseInstanceOf(CancellationException.class);
        assertThatThrownBy(() -> stopping.run(tickets.get(3)))
                .isInstanceOf(RejectedExecutionException.class)
                .hasCause(cause);
        assertThat(runs).as("runs of the output that fails").hasValue(1);
        assertThat(stopping.ran).isEmpty();
        assertThat(stopping.failures).isEmpty();
        assertThat(stopping.sequencer.flush()).isCompleted();
    }

    @Test
    @DisplayName("an output sees the interrupt of its thread, and leaves one behind; a future of its own is no hang")
    void interruptsAreLeftAsTheyAre() {
        CompletableFuture<Object> failed = stepped.next().submit(() -> {
            Thread.currentThread().interrupt();
            throw new ThrownOnPurpose();
        });
        assertThat(Thread.interrupted()).isTrue();
        assertThat(failed).isCompletedExceptionally();
        List<Boolean> seen = new ArrayList<>();
        List<Reservation> tickets = stepped.next(3);
        tickets.get(1).execute(() -> {
            seen.add(Thread.interrupted());
            Thread.currentThread().interrupt();
        });
        CompletableFuture<Object> last = Use.submit(stepped, tickets.get(2));
        Thread.currentThread().interrupt();
        tickets.get(0).execute(() -> seen.add(Thread.currentThread().isInterrupted()));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(seen).containsExactly(true, true);
        assertThat(last).isCompleted();
        Reservation waits = stepped.next();
        CompletableFuture<Object> behind = Use.submit(stepped, stepped.next());
        waits.execute(() -> assertThatThrownBy(behind::join).isInstanceOf(SelfWaitException.class));
        assertThat(behind).isCompleted();
        assertThat(stepped.failures).isEmpty();
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("a ticket that is kept after its use keeps neither its output nor later tickets and theirs")
    void aKeptTicketKeepsNothing() {
        List<WeakReference<?>> gone = new ArrayList<>();
        Reservation keptFirst = stepped.next();
        Reservation keptClosed = stepped.next();
        gone.add(Reachability.submitHolding(keptFirst::execute));
        keptClosed.close();
        Reservation keptLast = stepped.next();
        gone.add(Reachability.submitHolding(keptLast::execute));
        for (int i = 0; i < 10; i++) {
            Reservation later = stepped.next();
            gone.add(Reachability.submitHolding(later::execute));
            gone.add(new WeakReference<>(later));
        }
        stepped.assertGoesOn();
        Reachability.assertCleared(gone);
        assertThat(List.of(keptFirst, keptClosed, keptLast)).noneMatch(Reservation::isOpen);
    }

    @Test
    @DisplayName("the interrupt of a cancelled output reaches neither the next output nor the caller")
    void theInterruptOfAnOutputEndsWithIt() {
        List<Reservation> tickets = stepped.next(3);
        List<Boolean> interrupted = new ArrayList<>();
        AtomicReference<CompletableFuture<Object>> second = new AtomicReference<>();
        second.set(tickets.get(1).submit(() -> {
            second.get().cancel(true);
            interrupted.add(Thread.currentThread().isInterrupted());
            return null;
        }));
        tickets.get(2).execute(() -> interrupted.add(Thread.currentThread().isInterrupted()));
        tickets.get(0).execute(() -> interrupted.add(Thread.currentThread().isInterrupted()));
        interrupted.add(Thread.interrupted());
        assertThat(interrupted).containsExactly(false, true, false, false);
        assertThat(second.get()).isCancelled();
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("an interrupt that the thread had before an output was cancelled is still there afterwards")
    void theThreadKeepsItsOwnInterrupt() {
        List<Reservation> tickets = stepped.next(2);
        AtomicReference<CompletableFuture<Object>> second = new AtomicReference<>();
        second.set(tickets.get(1).submit(() -> {
            second.get().cancel(true);
            return null;
        }));
        Thread.currentThread().interrupt();
        tickets.get(0).close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(second.get()).isCancelled();
        stepped.assertGoesOn();
    }
}
