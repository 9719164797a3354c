package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.sample.fixtures.HeldDatabase;
import io.orderedexecutor.sample.fixtures.Http;
import io.orderedexecutor.sample.fixtures.SampleTest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import tools.jackson.databind.JsonNode;

/** What an operator of the application can see and do. */
@SampleTest
class OperationTest {
    private static final String EXECUTOR = "/actuator/orderedexecutors/ordered-executor";

    @Autowired
    HeldDatabase database;

    @Autowired
    Http http;

    @Autowired
    @Qualifier("stripedExecutor")
    StripedExecutor executor;

    /** Other tests share the application: what they have let go may still run. */
    @BeforeEach
    void awaitTheEndOfOthersTasks() throws InterruptedException {
        assertThat(executor.awaitIdle(Duration.ofSeconds(30))).isTrue();
    }

    @Test
    void actuatorShowsHealthMetersAndExecutors() {
        deposit("hugo", HeldDatabase.HELD);
        deposit("hugo", 5);
        await().until(() -> database.begun().contains(HeldDatabase.HELD));

        assertThat(http.get("/actuator/health").text("status")).isEqualTo("UP");
        assertThat(http.get("/actuator/metrics").json().path("names").toString())
                .contains("ordered.executor.queued", "ordered.executor.active", "ordered.executor.completed");
        Http.Answer queued = http.get("/actuator/metrics/ordered.executor.queued?tag=name:ordered-executor");
        assertThat(queued.json().at("/measurements/0/value").asInt()).isEqualTo(1);
        assertThat(http.get("/actuator/orderedexecutors")
                        .json()
                        .path("executors")
                        .propertyNames())
                .containsExactly(
                        "oneKey", "ordered-executor", "orderedOutputExecutor", "savings", "severalKeys", "whenBusy");
        assertThat(http.get(EXECUTOR).json().path("deepestKeys").toString())
                .isEqualTo("[{\"key\":\"hugo\",\"queued\":1,\"reserved\":0,\"active\":1,"
                        + "\"paused\":false,\"parked\":false}]");
    }

    @Test
    void runningTaskOfBusyClientIsShownWithItsAgeAndStack() {
        deposit("held", HeldDatabase.HELD);
        deposit("held", 1);
        await().until(() -> database.begun().contains(HeldDatabase.HELD));
        JsonNode held = http.get(EXECUTOR + "/held?stacks=true").json();
        assertThat(held.path("queued").asInt()).isEqualTo(1);
        assertThat(held.at("/runningTasks/0").path("task").asString()).contains("Bookings.bookInOrder");
        assertThat(held.at("/runningTasks/0").path("age").asString()).startsWith("PT");
        assertThat(held.at("/runningTasks/0").path("stack").toString()).contains("HeldDatabase");
        JsonNode health = http.get("/actuator/health").json().path("components").path("orderedexecutors");
        assertThat(health.path("components")
                        .path("ordered-executor")
                        .path("details")
                        .path("oldestTask")
                        .asString())
                .startsWith("PT");
    }

    @Test
    void pausedClientIsNotServedUntilItIsResumed() {
        deposit("idle", HeldDatabase.HELD);
        await().until(() -> database.begun().contains(HeldDatabase.HELD));
        assertThat(post(EXECUTOR + "/idle", "{\"action\":\"pause\"}").status()).isEqualTo(200);
        deposit("idle", 2);
        database.letGo();
        Http.Answer paused = http.get("/clients/idle/events?wait=0s");
        assertThat(paused.number("pending")).isPositive();
        assertThat(http.get(EXECUTOR + "/idle").json().path("paused").asBoolean())
                .isTrue();
        assertThat(post(EXECUTOR + "/idle", "{\"action\":\"resume\"}").status()).isIn(200, 204);
        assertThat(http.get("/clients/idle/events?wait=10s").number("processed"))
                .isEqualTo(2);
    }

    @Test
    void callIsTimedQueuedAndRunning() {
        database.letGo();
        deposit("timed", 1);
        assertThat(http.get("/clients/timed/events?wait=10s").number("processed"))
                .isEqualTo(1);
        for (String observation : new String[] {"ordered.async.queued", "ordered.async.run"}) {
            // it is recorded after the call has ended
            await().untilAsserted(() -> {
                Http.Answer timer = http.get("/actuator/metrics/" + observation + "?tag=method:Bookings.bookInOrder");
                assertThat(timer.json().at("/measurements/0/value").asInt(0))
                        .as(observation)
                        .isPositive();
            });
        }
    }

    private void deposit(String client, int amount) {
        assertThat(http.events("/events", Http.deposit(client, amount)).status())
                .isEqualTo(202);
    }

    private Http.Answer post(String path, String json) {
        return http.post(path, "application/json", json.getBytes(StandardCharsets.UTF_8));
    }
}
