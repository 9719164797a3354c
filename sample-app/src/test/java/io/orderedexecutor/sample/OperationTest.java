package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** What somebody can see and do who operates the application. */
@SampleTest
class OperationTest {
    private static final String EXECUTOR = "/actuator/orderedexecutors/stripedExecutor";

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

    @Test
    void whatHoldsAClientUp() {
        deposit("held", HeldCounter.HELD);
        deposit("held", 1);
        await().until(() -> counter.begun.contains(HeldCounter.HELD));
        JsonNode held = http.get(EXECUTOR + "/held?stacks=true").json();
        assertThat(held.path("queued").asInt()).isEqualTo(1);
        assertThat(held.path("runningTask").path("task").asString()).contains("OrderedBookings.book");
        assertThat(held.path("runningTask").path("age").asString()).startsWith("PT");
        assertThat(held.path("runningTask").path("stack").toString()).contains("HeldCounter");
        JsonNode health = http.get("/actuator/health").json().path("components").path("orderedexecutors");
        assertThat(health.path("components")
                        .path("stripedExecutor")
                        .path("details")
                        .path("oldestTask")
                        .asString())
                .startsWith("PT");
    }

    @Test
    void aClientIsPausedAndResumed() {
        deposit("idle", HeldCounter.HELD);
        await().until(() -> counter.begun.contains(HeldCounter.HELD));
        assertThat(post(EXECUTOR + "/idle", "{\"action\":\"pause\"}").status()).isEqualTo(200);
        deposit("idle", 2);
        counter.open();
        Http.Answer paused = http.get("/clients/idle/events?wait=0s");
        assertThat(paused.number("pending")).isPositive();
        assertThat(http.get(EXECUTOR + "/idle").json().path("paused").asBoolean())
                .isTrue();
        assertThat(post(EXECUTOR + "/idle", "{\"action\":\"resume\"}").status()).isIn(200, 204);
        assertThat(http.get("/clients/idle/events?wait=10s").number("processed"))
                .isEqualTo(2);
    }

    @Test
    void callsHaveTimers() {
        counter.open();
        deposit("timed", 1);
        assertThat(http.get("/clients/timed/events?wait=10s").number("processed"))
                .isEqualTo(1);
        for (String observation : new String[] {"ordered.async.queued", "ordered.async.run"}) {
            Http.Answer timer = http.get("/actuator/metrics/" + observation + "?tag=method:OrderedBookings.book");
            assertThat(timer.json().path("measurements").get(0).path("value").asInt())
                    .as(observation)
                    .isPositive();
        }
    }

    private void deposit(String client, int coins) {
        Http.Answer answer =
                http.event("/clients/" + client + "/events", "{\"type\":\"deposit\",\"coins\":" + coins + "}");
        assertThat(answer.status()).isEqualTo(202);
    }

    private Http.Answer post(String path, String json) {
        return http.post(path, "application/json", json.getBytes(StandardCharsets.UTF_8));
    }
}
