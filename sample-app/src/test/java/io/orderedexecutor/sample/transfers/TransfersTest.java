package io.orderedexecutor.sample.transfers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.sample.fixtures.HeldDatabase;
import io.orderedexecutor.sample.fixtures.Http;
import io.orderedexecutor.sample.fixtures.SampleTest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;

/** Transfers between two accounts, statements that only read one, and the total of all. */
@SampleTest
class TransfersTest {
    private final ExecutorService clients = Executors.newCachedThreadPool();

    @Autowired
    HeldDatabase database;

    @Autowired
    Http http;

    @AfterEach
    void end() throws InterruptedException {
        database.letGo();
        clients.shutdown();
        assertThat(clients.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void callsOfAnAccountBehindLongTransferKeepTheirOrderAndHoldUpNoOther() throws Exception {
        long alice = balance("alice");
        long bob = balance("bob");
        CompletableFuture<Http.Answer> all = later(() -> transfer("alice", "bob", HeldDatabase.HELD));
        await().until(() -> database.begun().contains(HeldDatabase.HELD));
        CompletableFuture<Http.Answer> some = later(() -> transfer("bob", "carol", 5));
        await().until(() -> queued() == 1);
        CompletableFuture<Http.Answer> statement = later(() -> http.get("/savings/alice"));
        await().until(() -> queued() == 2);

        assertThat(balance("dave")).as("that of another account").isNotNegative();
        assertThat(database.begun()).doesNotContain(5);
        assertThat(all).isNotDone();
        assertThat(some).isNotDone();
        assertThat(statement).isNotDone();

        database.letGo();
        assertThat(all.get(30, TimeUnit.SECONDS).json().toString())
                .isEqualTo("{\"from\":\"alice\",\"to\":\"bob\",\"amount\":1000,\"result\":\"booked\"}");
        assertThat(some.get(30, TimeUnit.SECONDS).text("result")).isEqualTo("booked");
        assertThat(statement.get(30, TimeUnit.SECONDS).number("balance")).isEqualTo(alice - 1000);
        assertThat(balance("bob")).isEqualTo(bob + 1000 - 5);
    }

    /** The account has no lock: a deposit has it as its stripe, and a transfer as one of its groups. */
    @Test
    void depositsAndTransfersOfOneAccountLoseNoUpdate() throws Exception {
        long alice = balance("alice");
        List<CompletableFuture<Http.Answer>> calls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            boolean deposits = i % 2 == 0;
            calls.add(later(() -> untilThereIsRoom(
                    () -> deposits ? post("/savings/alice/deposits", "amount=1") : transfer("alice", "bob", 1))));
        }
        for (CompletableFuture<Http.Answer> call : calls) {
            assertThat(call.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
        }
        assertThat(balance("alice")).as("50 deposits less 50 transfers").isEqualTo(alice);
        assertThat(post("/savings/nobody/deposits", "amount=1").status()).isEqualTo(404);
        assertThat(post("/savings/alice/deposits", "amount=0").status()).isEqualTo(400);
    }

    private static Http.Answer untilThereIsRoom(Supplier<Http.Answer> request) {
        Http.Answer answer = request.get();
        while (answer.status() == 503) {
            answer = request.get();
        }
        return answer;
    }

    @Test
    void totalBehindLongTransferIsTakenAfterIt() throws Exception {
        long sum = http.get("/savings").number("balance");
        CompletableFuture<Http.Answer> transfer = later(() -> transfer("carol", "dave", HeldDatabase.HELD));
        await().until(() -> database.begun().contains(HeldDatabase.HELD));
        CompletableFuture<Http.Answer> total = later(() -> http.get("/savings"));
        await().until(() -> queued() == 1);
        CompletableFuture<Http.Answer> later = later(() -> http.get("/savings/alice"));
        await().until(() -> queued() == 2);
        assertThat(total).isNotDone();
        database.letGo();
        assertThat(total.get(30, TimeUnit.SECONDS).json().toString())
                .isEqualTo("{\"accounts\":4,\"balance\":" + sum + "}");
        assertThat(transfer.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
        assertThat(later.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
    }

    /** A client and an account may have the same name. */
    @Test
    void savingsDoNotWaitForEvents() throws Exception {
        http.events("/events", Http.deposit("alice", HeldDatabase.HELD));
        await().until(() -> database.begun().contains(HeldDatabase.HELD));
        CompletableFuture<Http.Answer> statement = later(() -> http.get("/savings/alice"));
        CompletableFuture<Http.Answer> total = later(() -> http.get("/savings"));
        assertThat(statement.get(10, TimeUnit.SECONDS).status()).isEqualTo(200);
        assertThat(total.get(10, TimeUnit.SECONDS).status()).isEqualTo(200);
    }

    @Test
    void transferOfMoreThanTheBalanceIsDeclined() {
        while (balance("dave") > 0) {
            transfer("dave", "carol", (int) Math.min(balance("dave"), 999));
        }
        assertThat(transfer("dave", "carol", 1).text("result")).isEqualTo("declined");
        assertThat(balance("dave")).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    from=alice&to=nobody&amount=5   | 'to' must be one of alice, bob, carol, dave.
                    from=nobody&to=alice&amount=5   | 'from' must be one of alice, bob, carol, dave.
                    from=alice&to=bob&amount=0      | 'amount' must be a whole number from 1 to 1000.
                    from=alice&to=bob&amount=1001   | 'amount' must be a whole number from 1 to 1000.
                    from=alice&to=alice&amount=5   | 'from' and 'to' must be different accounts.
                    from=alice&to=bob&amount=some  | 'amount' cannot be 'some'. Durations are such as 5s or 500ms, all others are whole numbers.
                    from=alice&amount=5             | Required parameter 'to' is not present.
                    """)
    void invalidTransferIsRefused(String form, String detail) {
        Http.Answer answer = post("/transfers", form);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.contentType()).startsWith("application/problem+json");
        assertThat(answer.text("detail")).isEqualTo(detail);
    }

    @Test
    void statementOfUnknownAccountIsNotFound() {
        Http.Answer answer = http.get("/savings/nobody");
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.text("detail")).contains("one of alice, bob, carol, dave.");
    }

    @Test
    void transferForWhichThereIsNoRoomIsRefusedAtOnceAndTheOthersAreMade() throws Exception {
        List<CompletableFuture<Http.Answer>> accepted = new ArrayList<>();
        accepted.add(later(() -> transfer("carol", "dave", HeldDatabase.HELD)));
        await().until(() -> database.begun().contains(HeldDatabase.HELD));
        for (int i = 1; i <= 10; i++) {
            accepted.add(later(() -> transfer("carol", "dave", 1)));
        }
        await().until(() -> queued() == 10);

        Http.Answer refused = transfer("carol", "dave", 1);

        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.contentType()).isEqualTo("application/problem+json");
        assertThat(refused.response().headers().firstValue("Retry-After")).hasValue("1");
        assertThat(refused.text("detail")).startsWith("Nothing was done: too many calls are waiting");
        database.letGo();
        for (CompletableFuture<Http.Answer> answer : accepted) {
            assertThat(answer.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
        }
    }

    private CompletableFuture<Http.Answer> later(Supplier<Http.Answer> request) {
        return CompletableFuture.supplyAsync(request, clients);
    }

    private Http.Answer transfer(String from, String to, int amount) {
        return post("/transfers", "from=" + from + "&to=" + to + "&amount=" + amount);
    }

    private Http.Answer post(String path, String form) {
        return http.post(path, "application/x-www-form-urlencoded", form.getBytes(StandardCharsets.UTF_8));
    }

    private long balance(String account) {
        return http.get("/savings/" + account).number("balance");
    }

    private long queued() {
        return http.get("/actuator/orderedexecutors/savings")
                .json()
                .path("stats")
                .path("queued")
                .asLong(-1);
    }
}
