package io.orderedexecutor;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static io.orderedexecutor.fixtures.Tickets.numberOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The defects that an earlier ordered scheduler has and this one has not. */
class TicketDefectsTest {
    private final List<Throwable> uncaught = new ArrayList<>();

    @RegisterExtension
    final DefaultHandler handler = new DefaultHandler((thread, failure) -> uncaught.add(failure));

    @Test
    @DisplayName("a ticket that is lost to a failure is skipped when the try statement ends")
    void o1LostTicket() {
        SteppedSequencer stepped = new SteppedSequencer(2);
        assertThatThrownBy(() -> {
                    try (Reservation ticket = stepped.next()) {
                        assertThat(numberOf(ticket)).isZero();
                        stepped.run(stepped.next());
                        throw new ThrownOnPurpose();
                    }
                })
                .isInstanceOf(ThrownOnPurpose.class);
        assertThat(stepped.ran).containsExactly(1L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("a ticket that nobody closes is skipped when its lease is over")
    void o1Lease() {
        SteppedSequencer stepped =
                new SteppedSequencer(settings -> settings.window(2).lease(Duration.ofSeconds(1)));
        assertThat(numberOf(stepped.next())).isZero();
        stepped.run(stepped.next());
        stepped.pass(Duration.ofSeconds(1));
        stepped.fire();
        assertThat(stepped.ran).containsExactly(1L);
        assertThat(stepped.failures).singleElement().isInstanceOf(TimeoutException.class);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("who waits behind a lost ticket does not spin, and can be interrupted")
    void o1Interrupt() {
        SteppedSequencer stepped = new SteppedSequencer(1);
        Reservation lost = stepped.next();
        AtomicReference<Throwable> outcome = new AtomicReference<>();
        Thread waiter = new Thread(() -> {
            try (Reservation ticket = stepped.sequencer.next()) {
                outcome.set(new AssertionError(ticket));
            } catch (Throwable thrown) {
                outcome.set(thrown);
            }
        });
        waiter.start();
        Patience.awaitParked(waiter);
        waiter.interrupt();
        Patience.join(waiter);
        assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
        stepped.assertUsable(lost);
    }

    @Test
    @DisplayName("a ticket that is used twice does not run in another's place, a whole window later neither")
    void o2UsedTwice() {
        SteppedSequencer stepped = new SteppedSequencer(4);
        List<Reservation> tickets = stepped.next(4);
        tickets.forEach(stepped::run);
        List<Reservation> later = stepped.next(4);
        for (Reservation used : tickets) {
            assertThatThrownBy(() -> stepped.run(used)).isInstanceOf(IllegalStateException.class);
        }
        assertThat(stepped.ran).containsExactly(0L, 1L, 2L, 3L);
        later.forEach(stepped::run);
        assertThat(stepped.ran).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("a duplicate of a ticket whose output was left does not overwrite it")
    void o3Duplicate() {
        SteppedSequencer stepped = new SteppedSequencer(2);
        List<Reservation> tickets = stepped.next(2);
        stepped.run(tickets.get(1));
        assertThatThrownBy(() -> tickets.get(1).execute(() -> stepped.ran.add(-1L)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ticket 1 (used)");
        stepped.run(tickets.get(0));
        assertThat(stepped.ran).containsExactly(0L, 1L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("an output that wants the ticket a whole window later is told so, and does not hang")
    void o4NestedRunAWindowLater() {
        SteppedSequencer stepped = new SteppedSequencer(3);
        List<Reservation> tickets = stepped.next(3);
        tickets.get(0).execute(() -> {
            assertThat(stepped.sequencer.tryNext()).isNull();
            assertThatThrownBy(stepped.sequencer::next).isInstanceOf(SelfWaitException.class);
            CompletableFuture<Void> windowLater = stepped.sequencer.nextAsync().thenAccept(stepped::run);
            assertThat(windowLater).isNotDone();
            stepped.ran.add(0L);
        });
        assertThat(stepped.failures).isEmpty();
        stepped.run(tickets.get(2));
        stepped.run(tickets.get(1));
        assertThat(stepped.ran).containsExactly(0L, 1L, 2L, 3L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("a window that is none is refused, and a huge one works")
    void o5Window() {
        for (int window : new int[] {0, -5, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> new TicketSequencer(window))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("window is " + window);
        }
        for (int window : new int[] {1, 3, 1000, 1_000_000_000}) {
            SteppedSequencer stepped = new SteppedSequencer(window);
            List<Reservation> tickets = stepped.next(Math.min(window, 2000));
            assertThat(stepped.sequencer.tryNext() == null).isEqualTo(window < 2000);
            stepped.run(tickets.get(0));
            assertThat(stepped.ran).containsExactly(0L);
        }
    }

    @Test
    @DisplayName("execute in the try and close in the finally is what it says, and harms no other")
    void o7RunThenClose() {
        SteppedSequencer stepped = new SteppedSequencer(3);
        List<Reservation> tickets = stepped.next(3);
        for (int i = 2; i >= 0; i--) {
            Reservation ticket = tickets.get(i);
            try {
                stepped.run(ticket);
            } finally {
                ticket.close();
            }
        }
        assertThat(stepped.ran).containsExactly(0L, 1L, 2L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("one who waits gets in after each output of a drain, not after the whole of it")
    void o8TailOfEachOutput() {
        SteppedSequencer stepped = new SteppedSequencer(10);
        List<Reservation> tickets = stepped.next(10);
        List<CompletableFuture<Reservation>> waiting = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            waiting.add(stepped.sequencer.nextAsync());
        }
        for (int i = 9; i >= 0; i--) {
            int before = i;
            tickets.get(i).execute(() -> {
                stepped.ran.add((long) before);
                assertThat(waiting.stream().filter(CompletableFuture::isDone)).hasSize(before);
                assertThat(stepped.sequencer.snapshot().tail()).isEqualTo(before);
            });
        }
        assertThat(stepped.failures).isEmpty();
        assertThat(waiting).allMatch(CompletableFuture::isDone);
        waiting.forEach(future -> stepped.run(future.join()));
        assertThat(stepped.ran).hasSize(20).isSorted();
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("a caller runs outputs of others for a turn, and hands the rest over")
    void o8BoundedDrain() {
        SteppedSequencer stepped = new SteppedSequencer(1024);
        List<Reservation> tickets = stepped.next(1000);
        tickets.subList(1, 1000).forEach(stepped::run);
        stepped.run(tickets.get(0));
        assertThat(stepped.ran).hasSize(64);
        assertThat(stepped.executor.runAll()).isEqualTo(1000 / 64);
        assertThat(stepped.ran).hasSize(1000).isSorted().doesNotHaveDuplicates();
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("a failure that nobody handles reaches the uncaught exception handler, and so does a handler's own")
    void o9FailuresAreSeen() {
        ThrownOnPurpose failure = new ThrownOnPurpose();
        TicketSequencer byDefault = new TicketSequencer(1);
        byDefault.tryNext().execute(() -> {
            throw failure;
        });
        assertThat(uncaught).containsExactly(failure);
        uncaught.clear();

        AssertionError ofHandler = new AssertionError("thrown by the test");
        SteppedSequencer stepped = new SteppedSequencer(settings -> settings.onFailure((ticket, thrown) -> {
            throw ofHandler;
        }));
        List<Reservation> tickets = stepped.next(2);
        stepped.run(tickets.get(1));
        tickets.get(0).execute(() -> {
            throw failure;
        });
        assertThat(uncaught).containsExactly(ofHandler);
        assertThat(stepped.ran).containsExactly(1L);
        stepped.assertGoesOn();
    }

    @Test
    @DisplayName("nothing in here goes behind the JDK's back")
    void o10NoUnsafe() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("sun..", "jdk..", "com.sun.."))
                .check(new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("io.orderedexecutor"));
    }
}
