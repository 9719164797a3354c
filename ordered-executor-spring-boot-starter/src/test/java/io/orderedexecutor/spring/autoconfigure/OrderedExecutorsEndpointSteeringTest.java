package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.fixtures.HttpEndpoint;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.json.BasicJsonTester;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.AsyncTaskExecutor;

/** What a person with curl can do to the executors, if they are let. */
class OrderedExecutorsEndpointSteeringTest {
    private static final BasicJsonTester JSON = new BasicJsonTester(OrderedExecutorsEndpointSteeringTest.class);
    private static final String UNRESTRICTED = "--management.endpoint.orderedexecutors.access=unrestricted";
    private static final String SHOWN = "--management.endpoint.orderedexecutors.show-values=always";

    /** What the tests before have left as it was; null if there is none. */
    private static @Nullable HttpEndpoint shared;

    private HttpEndpoint endpoint;
    private OrderedExecutorSettings settingsAtFirst;

    private void start(String... arguments) {
        endpoint = HttpEndpoint.start(Executors.class, arguments);
        settingsAtFirst = orders().inspect().settings();
    }

    /** Starts an application in which all is allowed, unless there is one. */
    private void startUnrestricted() {
        if (shared == null) {
            shared = HttpEndpoint.start(Executors.class, UNRESTRICTED, SHOWN);
        }
        endpoint = shared;
        settingsAtFirst = orders().inspect().settings();
    }

    @AfterEach
    void stopWhatHasChanged() throws Exception {
        if (endpoint != shared) {
            endpoint.close();
        } else if (!isAsAtFirst()) {
            stopShared();
        }
    }

    @AfterAll
    static void stopShared() {
        if (shared != null) {
            shared.close();
            shared = null;
        }
    }

    private boolean isAsAtFirst() throws Exception {
        for (OrderedExecutor executor : List.of(orders(), transfers(), films())) {
            // it waits for tasks that have ended and are about to leave; those of a test that has failed may never end
            if (!executor.awaitIdle(Duration.ofSeconds(5))
                    || executor.isShutdown()
                    || executor.control().isPaused()
                    || executor.inspect().stats().keys() > 0) {
                return false;
            }
        }
        return orders().inspect().settings().equals(settingsAtFirst);
    }

    @Test
    void onlyLookingIsAllowedByDefault() throws Exception {
        start();
        assertThat(post("/orders", "{\"action\": \"pause\"}").statusCode()).isEqualTo(405);
        assertThat(post("/orders/alice", "{\"action\": \"pause\"}").statusCode())
                .isEqualTo(405);
        assertThat(orders().control().isPaused()).isFalse();
        assertThat(endpoint.get("orderedexecutors/orders").statusCode()).isEqualTo(200);
    }

    @Test
    void anExecutorIsPausedAndResumed() throws Exception {
        startUnrestricted();
        assertThat(JSON.from(post("/orders", "{\"action\": \"pause\"}").body())).isStrictlyEqualToJson("""
                {"state": "paused", "settings": {"threads": 2, "turnTasks": 64, "turnTime": "PT0.001S",
                  "capacity": 1000, "keyCapacity": 100, "overflow": "reject", "failurePolicy": "park"}}""");
        assertThat(orders().control().isPaused()).isTrue();
        assertThat(endpoint.get("orderedexecutors/orders").body()).contains("\"state\":\"paused\"");
        CompletableFuture<Integer> task = orders().submit("alice", () -> 1);
        assertThat(task).isNotDone();
        assertDone(post("/orders", "{\"action\": \"RESUME\"}"));
        assertThat(task.get(30, TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void settingsChange() throws Exception {
        startUnrestricted();
        assertDone(post("/orders", "{\"threads\": 3, \"capacity\": 500, \"keyCapacity\": 50}"));
        OrderedExecutorSettings settings = orders().inspect().settings();
        assertThat(settings.threads()).isEqualTo(3);
        assertThat(settings.capacity()).isEqualTo(500);
        assertThat(settings.keyCapacity()).isEqualTo(50);
        assertDone(post("/orders", "{\"threads\": 2, \"capacity\": 1000, \"keyCapacity\": 100}"));
        assertThat(orders().inspect().settings()).isEqualTo(settingsAtFirst);
    }

    @Test
    void aStripeIsPausedAndResumed() throws Exception {
        startUnrestricted();
        CompletableFuture<String> held = new CompletableFuture<>();
        CompletableFuture<String> first = orders().submitAsync(new Account(7), () -> held);
        CompletableFuture<Integer> second = orders().submit(new Account(7), () -> 2);
        await().untilAsserted(() -> assertThat(
                        orders().inspect().explain(new Account(7)).root())
                .isInstanceOf(Explanation.Incomplete.class));
        assertThat(JSON.from(
                        post("/orders/accounts/7", "{\"action\": \"pause\"}").body()))
                .isEqualToJson("""
                {"key": "accounts/7", "queued": 1, "reserved": 0, "active": 1, "paused": true, "parked": false,
                "runningTasks": [{"key": "accounts/7"}],
                "explanation": {"causes": [{"verdict": "incomplete", "key": "accounts/7"}]}}""");
        assertThat(orders().control().isPaused(new Account(7))).isTrue();
        held.complete("");
        first.get(30, TimeUnit.SECONDS);
        assertThat(second).isNotDone();
        assertDone(post("/orders/accounts/7", "{\"action\": \"resume\"}"));
        assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(2);
    }

    @Test
    void aParkedTaskIsResumedAndSkipped() throws Exception {
        startUnrestricted();
        AtomicInteger runs = new AtomicInteger();
        CompletableFuture<Integer> failing = orders().submit("alice", () -> {
            if (runs.incrementAndGet() < 3) {
                throw new IllegalStateException("expected");
            }
            return runs.get();
        });
        CompletableFuture<Integer> next = orders().submit("alice", () -> 2);
        await().untilAsserted(() -> assertThat(orders().inspect().parkedTasks()).hasSize(1));
        assertDone(post("/orders/alice", "{\"action\": \"resume\"}"));
        // it has failed once more
        await().untilAsserted(() -> {
            assertThat(runs).hasValue(2);
            assertThat(orders().inspect().parkedTasks()).hasSize(1);
        });
        assertThat(next).isNotDone();
        assertDone(post("/orders/alice", "{\"action\": \"skip\"}"));
        assertThat(next.get(30, TimeUnit.SECONDS)).isEqualTo(2);
        assertThat(failing).isCompletedExceptionally();
        assertThat(runs).hasValue(2);
    }

    /** An answer to whether there is such a key, or what can be done to it, would tell it. */
    @Test
    void aKeyIsNeitherSteeredNorToldFromAnAbsentOneWhereValuesAreMasked() throws Exception {
        start(UNRESTRICTED);
        CompletableFuture<String> held = new CompletableFuture<>();
        CompletableFuture<String> task = orders().submitAsync("alice", () -> held);
        List<String> answers = new ArrayList<>();
        for (String key : List.of("alice", "nobody")) {
            for (String action : List.of("pause", "resume", "skip")) {
                HttpResponse<String> answer = post("/orders/" + key, "{\"action\": \"" + action + "\"}");
                answers.add(answer.statusCode() + " " + answer.body());
            }
        }
        assertThat(answers).hasSize(6).containsOnly(answers.get(0));
        assertThat(answers.get(0))
                .startsWith("403 ")
                .contains("Single keys are not paused, resumed or skipped, since values of the application are not"
                        + " shown; see management.endpoint.orderedexecutors.show-values");
        assertRefused("/transfers/carol", "{\"action\": \"pause\"}", 403, "Single keys are not paused");
        assertThat(orders().control().isPaused("alice")).isFalse();
        // an executor as a whole has no keys to guess
        assertDone(post("/orders", "{\"action\": \"pause\"}"));
        assertDone(post("/orders", "{\"action\": \"resume\"}"));
        held.complete("done");
        assertThat(task.get(30, TimeUnit.SECONDS)).isEqualTo("done");
    }

    @Test
    void aGroupIsPausedAndResumedAndSkipped() throws Exception {
        startUnrestricted();
        transfers().control().pause();
        CompletableFuture<Integer> task = transfers().submit(Groups.within("bank", "bob"), () -> 1);
        assertDone(post("/transfers/bank", "{\"action\": \"pause\"}"));
        transfers().control().resume();
        assertThat(task).isNotDone();
        assertDone(post("/transfers/bank", "{\"action\": \"resume\"}"));
        assertThat(task.get(30, TimeUnit.SECONDS)).isEqualTo(1);
        CompletableFuture<Integer> failing = transfers().submit(Groups.exclusive("carol"), () -> {
            throw new IllegalStateException("expected");
        });
        CompletableFuture<Integer> next = transfers().submit(Groups.shared("carol"), () -> 2);
        await().untilAsserted(
                        () -> assertThat(transfers().inspect().parkedTasks()).hasSize(1));
        assertDone(post("/transfers/carol", "{\"action\": \"skip\"}"));
        assertThat(next.get(30, TimeUnit.SECONDS)).isEqualTo(2);
        assertThat(failing).isCompletedExceptionally();
    }

    @Test
    void anOutputIsShownButCannotBeSteeredByItself() throws Exception {
        startUnrestricted();
        OrderedOutput<String> film =
                films().<String>outputTo(picture -> {}).name("film 1").open();
        CompletableFuture<String> held = new CompletableFuture<>();
        CompletableFuture<String> piece = film.submitAsync(() -> held);
        assertRefused("/films/film%201", "{\"action\": \"pause\"}", 409, "This output cannot be steered by itself");
        assertThat(endpoint.get("orderedexecutors/films/film%201").body())
                .containsPattern("\"oldestAge\":\"PT[0-9]+(\\.[0-9]{1,3})?S\"");
        assertRefused(
                "/films",
                "{\"action\": \"pause\", \"keyCapacity\": 4}",
                409,
                "'keyCapacity' cannot be changed: each output of 'films' has the window with which it was opened");
        assertThat(films().control().isPaused()).isFalse();
        assertDone(post("/films", "{\"action\": \"pause\"}"));
        assertThat(films().control().isPaused()).isTrue();
        assertDone(post("/films", "{\"action\": \"resume\"}"));
        held.complete("written");
        assertThat(piece.get(30, TimeUnit.SECONDS)).isEqualTo("written");
    }

    @Test
    void wrongChangesAreToldWhatIsWrong() throws Exception {
        startUnrestricted();
        OrderedExecutorSettings before = orders().inspect().settings();
        assertRefused("/unknown", "{\"action\": \"pause\"}", 404, "No ordered executor is named 'unknown'; there are ");
        assertRefused("/orders", "{}", 400, "Nothing is to be changed; give at least one of 'action'");
        assertRefused("/orders", "{\"action\": \"stop\"}", 400, "'action' must be pause or resume, but is 'stop'");
        assertRefused("/orders", "{\"action\": \"skip\"}", 400, "'action' must be pause or resume, but is 'skip'");
        assertRefused(
                "/orders/alice",
                "{\"action\": \"stop\"}",
                400,
                "'action' must be pause, resume or skip, but is 'stop'");
        assertRefused(
                "/orders",
                "{\"threads\": 3, \"capasity\": 5}",
                400,
                "There is no 'capasity'; the fields are action, threads, capacity, keyCapacity");
        assertRefused("/orders/alice", "{\"action\": \"pause\", \"limit\": 5}", 400, "There is no 'limit'");
        assertRefused("/orders", "{\"threads\": 0}", 400, "'threads' must be between 1 and 2147483647, but is 0");
        assertRefused("/orders", "{\"threads\": \"many\"}", 400, "'threads' must be a whole number, but is 'many'");
        assertRefused("/orders", "{\"capacity\": 1000000001}", 400, "'capacity' must be between 1 and 1000000000");
        assertRefused("/orders", "{\"threads\": 5, \"keyCapacity\": 0}", 400, "'keyCapacity' must be between 1");
        assertThat(orders().inspect().settings()).isEqualTo(before);
    }

    @Test
    void whatCannotBeDoneIsToldWhy() throws Exception {
        startUnrestricted();
        assertRefused(
                "/transfers",
                "{\"threads\": 5}",
                409,
                "'threads' cannot be changed: 'transfers' runs on the threads of");
        assertRefused(
                "/transfers",
                "{\"action\": \"pause\", \"capacity\": 5}",
                409,
                "'capacity' cannot be changed: 'transfers'");
        assertThat(transfers().control().isPaused()).isFalse();
        assertRefused("/transfers", "{\"keyCapacity\": 5}", 409, "'keyCapacity' cannot be changed: 'transfers'");
        assertRefused("/orders/nobody", "{\"action\": \"pause\"}", 404, "No key of 'orders'");
        assertRefused("/orders/nobody", "{}", 400, "'action' is missing; it must be pause, resume or skip");
        CompletableFuture<String> held = new CompletableFuture<>();
        CompletableFuture<String> task = orders().submitAsync("alice", () -> held);
        assertRefused("/orders/alice", "{\"action\": \"resume\"}", 409, "This key is neither paused nor parked");
        assertRefused(
                "/orders/alice", "{\"action\": \"skip\"}", 409, "This key is not parked, so there is nothing to skip");
        orders().shutdown();
        assertRefused("/orders", "{\"action\": \"pause\"}", 409, "'orders' is shut down");
        assertRefused("/orders/alice", "{\"action\": \"pause\"}", 409, "'orders' is shut down");
        held.complete("done");
        assertThat(task.get(30, TimeUnit.SECONDS)).isEqualTo("done");
    }

    private StripedExecutor orders() {
        return endpoint.bean("orders", StripedExecutor.class);
    }

    private GroupedExecutor transfers() {
        return endpoint.bean("transfers", GroupedExecutor.class);
    }

    private OrderedOutputExecutor films() {
        return endpoint.bean("films", OrderedOutputExecutor.class);
    }

    private HttpResponse<String> post(String path, String json) throws Exception {
        return endpoint.post("orderedexecutors" + path, json);
    }

    private static void assertDone(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isIn(200, 204);
        assertThat(response.body().isEmpty()).isEqualTo(response.statusCode() == 204);
    }

    private void assertRefused(String path, String json, int status, String message) throws Exception {
        HttpResponse<String> response = post(path, json);
        assertThat(response.statusCode()).as(json + " gives " + response.body()).isEqualTo(status);
        assertThat(JSON.from(response.body()))
                .extractingJsonPathStringValue("$.message")
                .startsWith(message);
    }

    private record Account(int number) {
        @Override
        public String toString() {
            return "accounts/" + number;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Executors {

        @Bean
        StripedExecutor orders() {
            return StripedExecutor.builder()
                    .threads(2)
                    .capacity(1000)
                    .keyCapacity(100)
                    .failurePolicy(FailurePolicy.park())
                    .build();
        }

        @Bean
        OrderedOutputExecutor films() {
            return OrderedOutputExecutor.builder().threads(1).build();
        }

        @Bean
        GroupedExecutor transfers(AsyncTaskExecutor applicationTaskExecutor) {
            return GroupedExecutor.builder()
                    .executor(applicationTaskExecutor)
                    .failurePolicy(FailurePolicy.park())
                    .build();
        }
    }
}
