package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Coins that move between two accounts, and statements that only read one. */
@SampleTest
class TransfersTest {
    private final ExecutorService clients = Executors.newCachedThreadPool();

    @LocalServerPort
    int port;

    @Autowired
    HeldCounter counter;

    Http http;

    @BeforeEach
    void begin() {
        http = new Http(port);
        counter.close();
    }

    @AfterEach
    void end() throws InterruptedException {
        counter.open();
        clients.shutdown();
        assertThat(clients.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void transfersAndStatementsOfAnAccountKeepTheirOrderAndHoldUpNoOther() throws Exception {
        long alice = coins("alice");
        long bob = coins("bob");
        CompletableFuture<Http.Answer> all = later(() -> transfer("alice", "bob", HeldCounter.HELD));
        await().until(() -> counter.begun.contains(HeldCounter.HELD));
        CompletableFuture<Http.Answer> some = later(() -> transfer("bob", "carol", 5));
        await().until(() -> queued() == 1);
        CompletableFuture<Http.Answer> statement = later(() -> http.get("/savings/alice"));
        await().until(() -> queued() == 2);

        assertThat(coins("dave")).as("that of another account").isNotNegative();
        assertThat(counter.begun).doesNotContain(5);
        assertThat(all).isNotDone();
        assertThat(some).isNotDone();
        assertThat(statement).isNotDone();

        counter.open();
        assertThat(all.get(30, TimeUnit.SECONDS).json().toString())
                .isEqualTo("{\"from\":\"alice\",\"to\":\"bob\",\"coins\":1000,\"result\":\"booked\"}");
        assertThat(some.get(30, TimeUnit.SECONDS).text("result")).isEqualTo("booked");
        assertThat(statement.get(30, TimeUnit.SECONDS).number("coins")).isEqualTo(alice - 1000);
        assertThat(coins("bob")).isEqualTo(bob + 1000 - 5);
    }

    @Test
    void theTotalIsNeverCountedInTheMiddleOfATransfer() throws Exception {
        CompletableFuture<Http.Answer> transfer = later(() -> transfer("alice", "bob", HeldCounter.HELD));
        await().until(() -> counter.begun.contains(HeldCounter.HELD));
        CompletableFuture<Http.Answer> total = later(() -> http.get("/savings"));
        await().until(() -> queued() == 1);
        CompletableFuture<Http.Answer> later = later(() -> http.get("/savings/dave"));
        await().until(() -> queued() == 2);
        assertThat(total).isNotDone();
        counter.open();
        assertThat(total.get(30, TimeUnit.SECONDS).json().toString()).isEqualTo("{\"accounts\":4,\"coins\":4000}");
        assertThat(transfer.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
        assertThat(later.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
    }

    @Test
    void coinsThatAreNotThereAreDeclined() {
        while (coins("dave") > 0) {
            transfer("dave", "carol", (int) Math.min(coins("dave"), 999));
        }
        assertThat(transfer("dave", "carol", 1).text("result")).isEqualTo("declined");
        assertThat(coins("dave")).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    from=alice&to=nobody&coins=5   | 'to' must be one of alice, bob, carol, dave.
                    from=nobody&to=alice&coins=5   | 'from' must be one of alice, bob, carol, dave.
                    from=alice&to=bob&coins=0      | 'coins' must be a whole number from 1 to 1000.
                    from=alice&to=bob&coins=1001   | 'coins' must be a whole number from 1 to 1000.
                    from=alice&coins=5             | Required parameter 'to' is not present.
                    """)
    void wrongTransfersAreRefused(String form, String detail) {
        Http.Answer answer = post(form);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.contentType()).startsWith("application/problem+json");
        assertThat(answer.text("detail")).isEqualTo(detail);
    }

    @Test
    void anAccountThatDoesNotExist() {
        Http.Answer answer = http.get("/savings/nobody");
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.text("detail")).contains("one of alice, bob, carol, dave.");
    }

    private CompletableFuture<Http.Answer> later(java.util.function.Supplier<Http.Answer> request) {
        return CompletableFuture.supplyAsync(request, clients);
    }

    private Http.Answer transfer(String from, String to, int coins) {
        return post("from=" + from + "&to=" + to + "&coins=" + coins);
    }

    private Http.Answer post(String form) {
        return http.post(
                "/transfers",
                "application/x-www-form-urlencoded",
                form.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    private long coins(String account) {
        return http.get("/savings/" + account).number("coins");
    }

    private long queued() {
        return http.get("/actuator/orderedexecutors/groupedExecutor")
                .json()
                .path("stats")
                .path("queued")
                .asLong(-1);
    }
}
