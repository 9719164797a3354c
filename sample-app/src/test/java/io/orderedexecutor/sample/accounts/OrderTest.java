package io.orderedexecutor.sample.accounts;

import static io.orderedexecutor.sample.fixtures.Http.deposit;
import static io.orderedexecutor.sample.fixtures.Http.withdrawal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.orderedexecutor.sample.fixtures.HeldDatabase;
import io.orderedexecutor.sample.fixtures.Http;
import io.orderedexecutor.sample.fixtures.SampleTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;

/** The order in which events are booked, in both banks. */
@SampleTest
class OrderTest {

    @Autowired
    HeldDatabase database;

    @Autowired
    Http http;

    @ParameterizedTest
    @ValueSource(strings = {"", "/unordered"})
    void acceptedEventIsProcessed(String bank) {
        Http.Answer answer = http.events(bank + "/events", deposit("anna", 7));

        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.json().toString())
                .isEqualTo("{\"accepted\":1,\"events\":\"" + bank + "/clients/{client}/events\"}");
        assertThat(http.get(bank + "/clients/anna/events?wait=20s").json().toString())
                .isEqualTo("{\"client\":\"anna\",\"pending\":0,\"processed\":1,\"balance\":7,\"events\":["
                        + "{\"type\":\"deposit\",\"amount\":7,\"result\":\"booked\",\"balance\":7}]}");
    }

    @Test
    void orderedWithdrawalBehindLongDepositDoesNotOvertakeIt() {
        http.events("/events", deposit("emil", HeldDatabase.HELD) + withdrawal("emil", 5));

        // Others are not held up; when a hundred of their events are through, Emil's could have been, too.
        http.events("/events", deposit("frida", 3).repeat(100));
        assertThat(http.finalStatement("frida").number("processed")).isEqualTo(100);
        assertThat(database.begun()).contains(HeldDatabase.HELD, 3).doesNotContain(5);
        assertThat(http.get("/clients/emil/events").number("pending")).isEqualTo(2);

        database.letGo();
        assertThat(results(http.finalStatement("emil"))).containsExactly("deposit booked", "withdrawal booked");
    }

    @Test
    void unorderedWithdrawalBehindLongDepositOvertakesIt() {
        http.events("/unordered/events", deposit("emil", HeldDatabase.HELD) + withdrawal("emil", 5));

        await().untilAsserted(() ->
                assertThat(results(http.get("/unordered/clients/emil/events"))).containsExactly("withdrawal declined"));

        database.letGo();
        assertThat(results(http.get("/unordered/clients/emil/events?wait=20s")))
                .containsExactly("withdrawal declined", "deposit booked");
    }

    @Test
    void statementOfBusyClientIsSentWhenTheWaitIsOver() {
        http.events("/events", deposit("gerd", HeldDatabase.HELD));

        assertTimeoutPreemptively(
                Duration.ofSeconds(10),
                () -> assertThat(http.get("/clients/gerd/events?wait=10ms").number("pending"))
                        .isEqualTo(1));
    }

    /** Eight senders at the same time, each with events of the same twenty clients. */
    @Test
    void eventsOfConcurrentSendersAreProcessedOnceAndInTheOrderOfEachSender() throws Exception {
        int senders = 8;
        int clients = 20;
        int eventsOfAClient = 50;
        String name = "many-" + UUID.randomUUID() + "-"; // at a second try, the accounts of the first one are not empty
        ExecutorService threads = Executors.newFixedThreadPool(senders);
        try {
            List<Future<Http.Answer>> answers = new ArrayList<>();
            for (int sender = 0; sender < senders; sender++) {
                String lines = lines(name, sender, clients, eventsOfAClient);
                answers.add(threads.submit(() -> http.events("/events", lines)));
            }
            for (Future<Http.Answer> answer : answers) {
                assertThat(answer.get().status()).isEqualTo(202);
                assertThat(answer.get().number("accepted")).isEqualTo((long) clients * eventsOfAClient);
            }
        } finally {
            threads.shutdownNow();
        }

        for (int client = 0; client < clients; client++) {
            Http.Answer statement = http.finalStatement(name + client);
            assertThat(statement.number("pending")).isZero();
            List<List<Integer>> amountsOfSender = new ArrayList<>();
            IntStream.range(0, senders).forEach(sender -> amountsOfSender.add(new ArrayList<>()));
            statement.json().path("events").forEach(event -> {
                int amount = event.path("amount").asInt();
                amountsOfSender.get(amount / 100).add(amount);
            });
            for (int sender = 0; sender < senders; sender++) {
                int first = amount(sender, 0);
                assertThat(amountsOfSender.get(sender))
                        .as("client %s, sender %s", client, sender)
                        .isEqualTo(IntStream.range(first, first + eventsOfAClient)
                                .boxed()
                                .toList());
            }
        }
    }

    /** The clients alternate, so that the events of one are spread over the whole body. */
    private static String lines(String name, int sender, int clients, int eventsOfAClient) {
        StringBuilder lines = new StringBuilder();
        for (int event = 0; event < eventsOfAClient; event++) {
            for (int client = 0; client < clients; client++) {
                lines.append(deposit(name + client, amount(sender, event)));
            }
        }
        return lines.toString();
    }

    /** An amount that tells where an event came from. */
    private static int amount(int sender, int event) {
        return sender * 100 + event + 1;
    }

    private static List<String> results(Http.Answer statement) {
        List<String> results = new ArrayList<>();
        statement
                .json()
                .path("events")
                .forEach(event -> results.add(event.path("type").asString() + " "
                        + event.path("result").asString()));
        return results;
    }
}
