package io.orderedexecutor.engine.ticket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.SteppedSequencer;
import io.orderedexecutor.Ticket;
import io.orderedexecutor.fixtures.Reachability;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of a ticket, in each state and by each of those who may change it. */
class TicketTest {
    private final SteppedSequencer stepped =
            new SteppedSequencer(settings -> settings.window(100).lease(Duration.ofSeconds(1)));

    /** How a ticket comes into a state in which it must not be used again. */
    enum Use {
        RUN_IN_TURN(true, (stepped, ticket) -> stepped.run(ticket)),
        RUN_EARLY(false, (stepped, ticket) -> stepped.run(ticket)),
        SKIPPED_IN_TURN(true, (stepped, ticket) -> ticket.skip()),
        SKIPPED_EARLY(false, (stepped, ticket) -> ticket.skip()),
        CLOSED_IN_TURN(true, (stepped, ticket) -> ticket.close()),
        CLOSED_EARLY(false, (stepped, ticket) -> ticket.close()),
        GIVEN_UP_IN_TURN(true, (stepped, ticket) -> ticket.giveUp()),
        GIVEN_UP_EARLY(false, (stepped, ticket) -> ticket.giveUp()),
        GIVEN_UP_AFTER_RUN_EARLY(false, (stepped, ticket) -> {
            stepped.run(ticket);
            ticket.giveUp();
        }),
        EXPIRED(true, (stepped, ticket) -> {
            stepped.pass(Duration.ofSeconds(1));
            stepped.timer.fire();
        });

        final boolean inTurn;

        @SuppressWarnings("ImmutableEnumChecker") // the lambdas hold nothing
        final BiConsumer<SteppedSequencer, QueuedTicket> first;

        Use(boolean inTurn, BiConsumer<SteppedSequencer, QueuedTicket> first) {
            this.inTurn = inTurn;
            this.first = first;
        }

        boolean runs() {
            return this == RUN_IN_TURN || this == RUN_EARLY;
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a second use is refused, whatever the first was, and no other ticket is affected")
    void secondUse(Use use) {
        QueuedTicket before = stepped.next();
        QueuedTicket ticket = stepped.next();
        stepped.pass(Duration.ofMillis(500));
        QueuedTicket after = stepped.next();
        if (use.inTurn) {
            stepped.run(before);
        }
        use.first.accept(stepped, ticket);
        assertUsed(ticket);
        if (!use.inTurn) {
            stepped.run(before);
        }
        assertUsed(ticket);
        stepped.executor.runAll();
        assertUsed(ticket);
        stepped.run(after);
        assertUsed(ticket);
        assertThat(stepped.ran).isEqualTo(use.runs() ? List.of(0L, 1L, 2L) : List.of(0L, 2L));
        assertThat(stepped.failures).hasSize(use == Use.EXPIRED ? 1 : 0);
        stepped.assertGoesOn();
    }

    private static void assertUsed(QueuedTicket ticket) {
        assertThatThrownBy(() -> ticket.run(() -> {
                    throw new AssertionError("a second output ran");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ticket 1 (")
                .hasMessageContaining("cannot be used again");
        assertThatThrownBy(ticket::skip).isInstanceOf(IllegalStateException.class);
        ticket.close();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("A ticket is given up once at most, and not after its output has run")
    void givenUpAgain(Use use) {
        QueuedTicket before = stepped.next();
        QueuedTicket ticket = stepped.next();
        stepped.pass(Duration.ofMillis(500));
        QueuedTicket after = stepped.next();
        if (use.inTurn) {
            stepped.run(before);
        }
        use.first.accept(stepped, ticket);
        if (!use.inTurn) {
            stepped.run(before);
        }
        stepped.executor.runAll();
        ticket.giveUp();
        ticket.giveUp();
        stepped.run(after);
        assertThat(stepped.ran).isEqualTo(use.runs() ? List.of(0L, 1L, 2L) : List.of(0L, 2L));
        stepped.assertGoesOn();
    }

    @Test
    void aNullOutputIsRefusedAndUsesNothing() {
        QueuedTicket ticket = stepped.next();
        assertThatThrownBy(() -> ticket.run(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("output");
        stepped.run(ticket);
        assertThat(stepped.ran).containsExactly(0L);
        stepped.assertGoesOn();
    }

    @Test
    void tellsItsPositionAndWhatBecameOfIt() {
        List<QueuedTicket> tickets = stepped.next(4);
        assertThat(tickets).extracting(Ticket::position).containsExactly(0L, 1L, 2L, 3L);
        tickets.get(2).skip();
        stepped.run(tickets.get(3));
        assertThat(tickets).hasToString("[ticket 0 (open), ticket 1 (open), ticket 2 (skipped), ticket 3 (used)]");
        stepped.pass(Duration.ofSeconds(1));
        stepped.timer.fire();
        assertThat(tickets.get(0)).hasToString("ticket 0 (expired)");
    }

    @Test
    @DisplayName("Who gives a ticket up in its turn passes on what was left behind it")
    void givingUpPassesOn() {
        List<QueuedTicket> tickets = stepped.next(3);
        stepped.run(tickets.get(2));
        tickets.get(1).giveUp();
        tickets.get(0).giveUp();
        assertThat(stepped.ran).isEmpty();
        assertThat(stepped.executor.runAll()).isEqualTo(1);
        assertThat(stepped.ran).containsExactly(2L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("What was passed on can be given up as long as nobody has come for it")
    void givingUpWhatWasPassedOn() {
        List<QueuedTicket> tickets = stepped.next(2);
        stepped.run(tickets.get(1));
        tickets.get(0).giveUp();
        tickets.get(1).giveUp();
        assertThat(stepped.executor.runAll()).isEqualTo(1);
        assertThat(stepped.ran).isEmpty();
        stepped.assertGoesOn();
    }

    @Test
    void isServedWhenItsOutputHasRun() {
        List<QueuedTicket> tickets = stepped.next(3);
        List<CompletableFuture<Void>> served = new ArrayList<>();
        tickets.forEach(ticket -> served.add(ticket.whenServed()));
        tickets.get(1).run(() -> {
            stepped.ran.add(1L);
            assertThat(served).extracting(CompletableFuture::isDone).containsExactly(true, false, false);
            assertThat(tickets.get(1).whenServed()).isSameAs(served.get(1)).isNotDone();
        });
        assertThat(served).extracting(CompletableFuture::isDone).containsExactly(false, false, false);
        stepped.run(tickets.get(0));
        assertThat(stepped.failures).isEmpty();
        assertThat(stepped.ran).containsExactly(0L, 1L);
        assertThat(served).extracting(CompletableFuture::isDone).containsExactly(true, true, false);
        tickets.get(2).skip();
        assertThat(served.get(2)).isDone();
        assertThat(tickets.get(0).whenServed()).isDone();
        QueuedTicket neverAsked = stepped.next();
        neverAsked.skip();
        assertThat(neverAsked.whenServed()).isDone();
    }

    @Test
    @DisplayName("a ticket that is kept after its use keeps neither its output nor later tickets and theirs")
    void aKeptTicketKeepsNothing() {
        List<WeakReference<?>> gone = new ArrayList<>();
        QueuedTicket keptFirst = stepped.next();
        QueuedTicket keptSkipped = stepped.next();
        gone.add(Reachability.submitHolding(keptFirst::run));
        for (int i = 0; i < 10; i++) {
            gone.add(new WeakReference<>(runLater()));
        }
        keptSkipped.skip();
        QueuedTicket keptLast = stepped.next();
        gone.add(Reachability.submitHolding(keptLast::run));
        for (int i = 0; i < 10; i++) {
            QueuedTicket later = stepped.next();
            gone.add(Reachability.submitHolding(later::run));
            gone.add(new WeakReference<>(later));
        }
        // the sequencer may keep the last ticket of all
        stepped.assertGoesOn();
        Reachability.assertCleared(gone);
        assertThat(List.of(keptFirst, keptSkipped, keptLast))
                .extracting(Ticket::position)
                .containsExactly(0L, 1L, 12L);
    }

    private QueuedTicket runLater() {
        QueuedTicket ticket = stepped.next();
        stepped.run(ticket);
        return ticket;
    }

    @Test
    @DisplayName("an output that was given up before its turn is unreachable at once, and so is one that was passed on")
    void givenUpOutputsAreGone() {
        List<WeakReference<?>> gone = new ArrayList<>();
        List<QueuedTicket> tickets = stepped.next(4);
        gone.add(Reachability.submitHolding(tickets.get(2)::run));
        tickets.get(2).giveUp();
        gone.add(Reachability.submitHolding(tickets.get(1)::run));
        tickets.get(0).giveUp();
        tickets.get(1).giveUp();
        assertThat(stepped.executor.waiting()).as("steps in vain").isEqualTo(1);
        Reachability.assertCleared(gone);
        stepped.run(tickets.get(3));
        assertThat(stepped.ran).containsExactly(3L);
        stepped.assertGoesOn();
    }
}
