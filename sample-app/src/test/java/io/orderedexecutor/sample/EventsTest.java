package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

@SampleTest
class EventsTest {
    private static final String DEPOSIT_THAT_IS_HELD = "{\"type\":\"deposit\",\"coins\":" + HeldCounter.HELD + "}";
    private static final String SMALL_WITHDRAWAL = "{\"type\":\"withdrawal\",\"coins\":5}";

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
    void end() {
        counter.open();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/unordered"})
    void anEventIsAcceptedAndThenProcessed(String mode) {
        String events = mode + "/clients/anna/events";

        Http.Answer answer = http.event(events, "{\"type\":\"deposit\",\"coins\":7}");

        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.response().headers().firstValue("Location")).hasValue(events);
        assertThat(answer.json().toString())
                .isEqualTo("{\"client\":\"anna\",\"number\":1,\"events\":\"" + events + "\"}");
        assertThat(http.get(events + "?wait=20s").json().toString())
                .isEqualTo("{\"client\":\"anna\",\"pending\":0,\"processed\":1,\"balance\":7,\"events\":["
                        + "{\"number\":1,\"type\":\"deposit\",\"coins\":7,\"result\":\"booked\",\"balance\":7}]}");
    }

    @Test
    void orderedAWithdrawalDoesNotOvertakeItsDepositHoweverLongThatTakes() {
        http.event("/clients/emil/events", DEPOSIT_THAT_IS_HELD);
        http.event("/clients/emil/events", SMALL_WITHDRAWAL);

        // Others are not held up; when a hundred of their events are through, Emil's could have been, too.
        http.bulk("/events", "{\"client\":\"frida\",\"type\":\"deposit\",\"coins\":3}\n".repeat(100));
        assertThat(http.get("/clients/frida/events?wait=20s").number("processed"))
                .isEqualTo(100);
        assertThat(counter.begun).contains(HeldCounter.HELD, 3).doesNotContain(5);
        assertThat(http.get("/clients/emil/events").number("pending")).isEqualTo(2);

        counter.open();
        assertThat(results(http.get("/clients/emil/events?wait=20s"))).containsExactly("1 booked", "2 booked");
    }

    @Test
    void unorderedAWithdrawalOvertakesADepositThatTakesLonger() {
        http.event("/unordered/clients/emil/events", DEPOSIT_THAT_IS_HELD);
        http.event("/unordered/clients/emil/events", SMALL_WITHDRAWAL);

        await().untilAsserted(() ->
                assertThat(results(http.get("/unordered/clients/emil/events"))).containsExactly("2 declined"));

        counter.open();
        assertThat(results(http.get("/unordered/clients/emil/events?wait=20s")))
                .containsExactly("2 declined", "1 booked");
    }

    @Test
    void aReaderWaitsNoLongerThanItAskedFor() {
        http.event("/clients/gerd/events", DEPOSIT_THAT_IS_HELD);

        assertTimeoutPreemptively(
                Duration.ofSeconds(10),
                () -> assertThat(http.get("/clients/gerd/events?wait=10ms").number("pending"))
                        .isEqualTo(1));
    }

    /** Eight bulks at the same time, each with events of the same twenty clients. */
    @Test
    void concurrentBulksAreProcessedInOrderAndOnce() throws Exception {
        int bulks = 8;
        int clients = 20;
        int eventsOfAClient = 50;
        ExecutorService senders = Executors.newFixedThreadPool(bulks);
        try {
            List<Future<Http.Answer>> answers = new ArrayList<>();
            for (int bulk = 0; bulk < bulks; bulk++) {
                String lines = bulk(bulk, clients, eventsOfAClient);
                answers.add(senders.submit(() -> http.bulk("/events", lines)));
            }
            for (Future<Http.Answer> answer : answers) {
                assertThat(answer.get().status()).isEqualTo(202);
                assertThat(answer.get().number("accepted")).isEqualTo((long) clients * eventsOfAClient);
            }
        } finally {
            senders.shutdownNow();
        }

        for (int client = 0; client < clients; client++) {
            Http.Answer state = http.get("/clients/bulk-" + client + "/events?wait=20s");
            assertThat(state.number("pending")).isZero();
            List<Long> numbers = new ArrayList<>();
            List<List<Integer>> coinsOfBulk = new ArrayList<>();
            IntStream.range(0, bulks).forEach(bulk -> coinsOfBulk.add(new ArrayList<>()));
            state.json().path("events").forEach(event -> {
                numbers.add(event.path("number").asLong());
                int coins = event.path("coins").asInt();
                coinsOfBulk.get(coins / 100).add(coins);
            });
            assertThat(numbers)
                    .as("numbers of client %s", client)
                    .isEqualTo(LongStream.rangeClosed(1, (long) bulks * eventsOfAClient)
                            .boxed()
                            .toList());
            for (int bulk = 0; bulk < bulks; bulk++) {
                int first = coins(bulk, 0);
                assertThat(coinsOfBulk.get(bulk))
                        .as("client %s, bulk %s", client, bulk)
                        .isEqualTo(IntStream.range(first, first + eventsOfAClient)
                                .boxed()
                                .toList());
            }
        }
    }

    /** The clients take turns, so that what is in order for one of them is spread over the whole bulk. */
    private static String bulk(int bulk, int clients, int eventsOfAClient) {
        StringBuilder lines = new StringBuilder();
        for (int event = 0; event < eventsOfAClient; event++) {
            for (int client = 0; client < clients; client++) {
                lines.append("{\"client\":\"bulk-%d\",\"type\":\"deposit\",\"coins\":%d}\n"
                        .formatted(client, coins(bulk, event)));
            }
        }
        return lines.toString();
    }

    /** A number of coins that tells where an event came from. */
    private static int coins(int bulk, int event) {
        return bulk * 100 + event + 1;
    }

    @Test
    void theActuatorIsOpen() {
        http.event("/clients/hugo/events", DEPOSIT_THAT_IS_HELD);
        http.event("/clients/hugo/events", SMALL_WITHDRAWAL);

        assertThat(http.get("/actuator/health").text("status")).isEqualTo("UP");
        assertThat(http.get("/actuator/metrics").json().path("names").toString())
                .contains("ordered.executor.queued", "ordered.executor.active", "ordered.executor.completed");
        Http.Answer queued = http.get("/actuator/metrics/ordered.executor.queued?tag=name:stripedExecutor");
        assertThat(queued.json().at("/measurements/0/value").asInt()).isEqualTo(1);
        assertThat(http.get("/actuator/orderedexecutors")
                        .json()
                        .path("executors")
                        .propertyNames())
                .containsExactly("groupedExecutor", "stripedExecutor");
        Http.Answer executor = http.get("/actuator/orderedexecutors/stripedExecutor");
        assertThat(executor.json().path("deepestStripes").toString())
                .isEqualTo("[{\"stripe\":\"hugo\",\"queued\":1,\"active\":true,\"paused\":false}]");
    }

    private static List<String> results(Http.Answer state) {
        List<String> results = new ArrayList<>();
        state.json()
                .path("events")
                .forEach(event -> results.add(event.path("number").asInt() + " "
                        + event.path("result").asString()));
        return results;
    }
}
