package io.orderedexecutor.sample.accounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.sample.accounts.Statement.Entry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What a bank knows of its events. */
class BankTest {
    private static final Event DEPOSIT = deposit("ida");

    private final Queue<CompletableFuture<Entry>> futures = new ArrayDeque<>();

    private static Event deposit(String client) {
        return new Event(client, Event.Type.DEPOSIT, 500);
    }

    private static Bank bank(BiFunction<Event, Account, CompletableFuture<Entry>> booking) {
        return new Bank(booking);
    }

    private CompletableFuture<Entry> later(Event event, Account account) {
        CompletableFuture<Entry> future = new CompletableFuture<>();
        futures.add(future);
        return future;
    }

    private static CompletableFuture<Entry> atOnce(Event event, Account account) {
        return CompletableFuture.completedFuture(account.book(event));
    }

    private static Statement statement(Bank bank, String client) {
        return bank.statement(client, Duration.ZERO).orElseThrow().join();
    }

    @Test
    void acceptedEventIsPendingUntilItIsProcessed() {
        Bank bank = bank(this::later);
        bank.accept(DEPOSIT);
        CompletableFuture<Statement> whenIdle =
                bank.statement("ida", Duration.ofMinutes(1)).orElseThrow();
        assertThat(statement(bank, "ida").pending()).isEqualTo(1);
        assertThat(whenIdle).isNotDone();

        futures.remove().complete(null);

        assertThat(whenIdle).isCompleted();
        assertThat(statement(bank, "ida").pending()).isZero();
        assertThat(statement(bank, "ida").processed()).isEqualTo(1);
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void eventThatFailsIsReportedAndNoLongerPending(CapturedOutput output) {
        Bank bank = bank(this::later);
        bank.accept(DEPOSIT);

        futures.remove().completeExceptionally(new IllegalStateException("thrown by the test"));

        assertThat(statement(bank, "ida").pending()).isZero();
        assertThat(output).contains("Not booked", "thrown by the test").doesNotContain("Event[", "=ida");
    }

    /** When the application has to end, there may be very many of them: {@code UnfinishedCalls} counts them. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void eventThatIsCancelledIsNotReported(CapturedOutput output) {
        Bank bank = bank(this::later);
        bank.accept(DEPOSIT);

        futures.remove().completeExceptionally(new CancellationException());

        assertThat(statement(bank, "ida").pending()).isZero();
        assertThat(output).doesNotContain("Not booked");
    }

    @Test
    void eventThatIsRefusedIsNotPendingAndNotProcessed() {
        Bank bank = bank((event, account) -> {
            if (event.type() == Event.Type.WITHDRAWAL) {
                throw new RejectedExecutionException("refused by the test");
            }
            return atOnce(event, account);
        });
        bank.accept(DEPOSIT);

        assertThatThrownBy(() -> bank.accept(new Event("ida", Event.Type.WITHDRAWAL, 1)))
                .isInstanceOf(RejectedExecutionException.class);

        assertThat(statement(bank, "ida").pending()).isZero();
        assertThat(statement(bank, "ida").processed()).isEqualTo(1);
        assertThat(bank.statement("ida", Duration.ofMinutes(1)).orElseThrow()).isCompleted();
    }

    @Test
    void statementOfManyEventsShowsTheLastOnes() {
        Bank bank = bank(BankTest::atOnce);
        for (int i = 0; i < Statement.MAX_EVENTS + 2; i++) {
            bank.accept(DEPOSIT);
        }

        assertThat(statement(bank, "ida").processed()).isEqualTo(Statement.MAX_EVENTS + 2);
        assertThat(statement(bank, "ida").events())
                .hasSize(Statement.MAX_EVENTS)
                .extracting(Entry::balance)
                .startsWith(1500L)
                .endsWith(500L * (Statement.MAX_EVENTS + 2));
    }
}
