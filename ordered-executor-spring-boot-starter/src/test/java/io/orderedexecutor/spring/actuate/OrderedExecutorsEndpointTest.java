package io.orderedexecutor.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.list;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.StripeDescriptor;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorsEndpointAutoConfiguration;
import io.orderedexecutor.spring.fixtures.BusyExecutors;
import io.orderedexecutor.spring.fixtures.HttpEndpoint;
import io.orderedexecutor.stats.GroupedExecutorStats;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.StripedExecutorStats;
import java.lang.reflect.RecordComponent;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.json.BasicJsonTester;
import org.springframework.boot.test.json.JsonContent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** What the endpoint shows to a person with curl, and when it is there. */
class OrderedExecutorsEndpointTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class, OrderedExecutorsEndpointAutoConfiguration.class));
    private static final BasicJsonTester JSON = new BasicJsonTester(OrderedExecutorsEndpointTest.class);
    private static final String SHOWN = "--management.endpoint.orderedexecutors.show-values=always";

    /** Looking changes nothing, so tests with the same settings share an application. */
    private static final Map<List<?>, HttpEndpoint> STARTED = new HashMap<>();

    private HttpEndpoint endpoint;

    @AfterAll
    static void stop() {
        STARTED.values().forEach(HttpEndpoint::close);
        STARTED.clear();
    }

    @Test
    void allExecutors() throws Exception {
        start(BusyExecutors.class);
        assertThat(json("")).isStrictlyEqualToJson("""
                {"executors": {
                  "films": {"type": "ordered-output", "state": "running", "parked": 0, "stats": {
                    "outputs": 1, "queued": 0, "active": 2, "completed": 0, "failed": 0, "cancelled": 0, "rejected": 0}},
                  "orders": {"type": "striped", "state": "running", "parked": 0, "stats": {
                    "stripes": 3, "queued": 3, "active": 2, "completed": 1, "failed": 0, "cancelled": 0, "rejected": 0}},
                  "parked": {"type": "striped", "state": "running", "parked": 1, "stats": {
                    "stripes": 1, "queued": 2, "active": 0, "completed": 1, "failed": 0, "cancelled": 0, "rejected": 0}},
                  "parkedGroups": {"type": "grouped", "state": "running", "parked": 1, "stats": {
                    "groups": 2, "queued": 1, "active": 0, "completed": 1, "failed": 0, "cancelled": 0, "rejected": 0}},
                  "transfers": {"type": "grouped", "state": "running", "parked": 0, "stats": {
                    "groups": 4, "queued": 2, "active": 1, "completed": 1, "failed": 0, "cancelled": 0, "rejected": 0}}
                }}""");
    }

    @Test
    void oneOrderedOutputExecutor() throws Exception {
        start(BusyExecutors.class);
        assertThat(json("/films")).isEqualToJson("""
                {"name": "films", "type": "ordered-output", "state": "running", "settings": {"threads": 1, "keyCapacity": 4},
                 "oldestOutputs": [{"output": "******", "window": 4, "open": 2, "done": 0}],
                 "runningTasks": [{"output": "******"}, {"output": "******"}]}""");
    }

    @Test
    void oneOutput() throws Exception {
        start(BusyExecutors.class, SHOWN);
        assertThat(json("/films/film%201")).isEqualToJson("""
                {"output": {"output": "film 1", "window": 4, "open": 2, "done": 0},
                 "runningTasks": [{"output": "film 1"}, {"output": "film 1"}]}""");
        assertRefused(
                get("/films/film%202"),
                404,
                "No output of 'films' that has tasks, or is paused, has the text 'film 2'");
    }

    @Test
    void oneStripedExecutorWithMaskedValues() throws Exception {
        start(BusyExecutors.class);
        assertThat(json("/orders")).isStrictlyEqualToJson("""
                {"name": "orders", "type": "striped", "state": "running",
                 "settings": {"threads": 2, "turnTasks": 5, "turnTime": "PT0.002S", "capacity": 1000, "keyCapacity": 100,
                   "overflow": "block", "overflowTimeout": "PT3S", "failurePolicy": "proceed",
                   "retry": {"attempts": 3, "backoff": "PT1S", "ceiling": "PT1M"}},
                 "stats": {"stripes": 3, "queued": 3, "active": 2, "completed": 1, "failed": 0, "cancelled": 0, "rejected": 0}, "reserved": 0,
                 "rejections": {"capacity": 0, "keyCapacity": 0, "shutdown": 0, "noThread": 0},
                 "whenBusy": {"replaced": 0, "interrupted": 0, "skipped": 0, "batches": 0, "batchedItems": 0}, "oldestQueuedAge": "some",
                 "deepestStripes": [
                   {"stripe": "******", "queued": 2, "reserved": 0, "active": true, "paused": false},
                   {"stripe": "******", "queued": 1, "reserved": 0, "active": true, "paused": false},
                   {"stripe": "******", "queued": 0, "reserved": 0, "active": false, "paused": true}],
                 "runningTasks": [
                   {"stripe": "******", "thread": "orders-n", "age": "some", "task": "******"},
                   {"stripe": "******", "age": "some", "task": "******"}],
                 "parkedStripes": []}""");
        assertThat(get("/orders?stacks=true").body())
                .contains("\"stack\":[\"******\"]")
                .doesNotContain("Journal");
        assertThat(json("/parked?stacks=true")).isEqualToJson("""
                {"parkedStripes": [{"stripe": "******", "queued": 2, "failure":
                  {"type": "java.lang.IllegalStateException", "message": "******", "stack": ["******"]}}]}""");
    }

    @Test
    void oneStripedExecutorWithValues() throws Exception {
        start(BusyExecutors.class, SHOWN);
        assertThat(json("/orders?limit=1")).isEqualToJson("""
                {"deepestStripes": [{"stripe": "alice", "queued": 2, "active": true}],
                 "runningTasks": [{"stripe": "alice", "thread": "orders-n", "age": "some", "task": "a held task"}]}""");
        assertThat(json("/orders")).isEqualToJson("""
                {"deepestStripes": [
                   {"stripe": "alice", "queued": 2, "active": true, "paused": false},
                   {"stripe": "<io.orderedexecutor.spring.fixtures.BusyExecutors$BadKey, whose toString() throws java.lang.IllegalStateException>",
                    "queued": 1, "active": true, "paused": false},
                   {"stripe": "customer 7", "queued": 0, "active": false, "paused": true}]}""");
        assertThat(json("/parked")).isStrictlyEqualToJson("""
                {"name": "parked", "type": "striped", "state": "running",
                 "settings": {"threads": 1, "turnTasks": 64, "turnTime": "PT0.001S",
                   "overflow": "reject", "failurePolicy": "park"},
                 "stats": {"stripes": 1, "queued": 2, "active": 0, "completed": 1, "failed": 0, "cancelled": 0, "rejected": 0}, "reserved": 0,
                 "rejections": {"capacity": 0, "keyCapacity": 0, "shutdown": 0, "noThread": 0},
                 "whenBusy": {"replaced": 0, "interrupted": 0, "skipped": 0, "batches": 0, "batchedItems": 0},
                 "deepestStripes": [{"stripe": "alice", "queued": 2, "reserved": 0, "active": false, "paused": false}],
                 "runningTasks": [],
                 "parkedStripes": [{"stripe": "alice", "queued": 2, "failure":
                   {"type": "java.lang.IllegalStateException", "message": "the account of alice is closed"}}]}""");
    }

    @Test
    void rejectionsByReasonAndTheAgeOfTheOldestQueuedTask() throws Exception {
        start(Rejecting.class);
        assertThat(json("/rejecting")).isEqualToJson("""
                {"stats": {"queued": 2, "rejected": 4},
                 "rejections": {"capacity": 1, "keyCapacity": 3, "shutdown": 0, "noThread": 0},
                 "oldestQueuedAge": "some"}""");
        Matcher age = Pattern.compile("\"oldestQueuedAge\":\"(PT[0-9.]+S)\"")
                .matcher(get("/rejecting").body());
        assertThat(age.find()).isTrue();
        assertThat(Duration.parse(age.group(1))).isPositive();
    }

    @Test
    void stacksOnRequest() throws Exception {
        start(BusyExecutors.class, SHOWN);
        assertThat(get("/orders").body()).doesNotContain("stack");
        assertThat(get("/orders?stacks=true").body()).contains("\"stack\":[\"").contains("Journal.await");
        assertThat(get("/parked?stacks=true").body())
                .contains("\"stack\":[\"java.lang.IllegalStateException: the account of alice is closed\",\"at ");
        assertThat(get("/transfers?stacks=true").body()).doesNotContain("stack");
    }

    @Test
    void oneGroupedExecutorWithMaskedValues() throws Exception {
        start(BusyExecutors.class);
        assertThat(json("/transfers")).isStrictlyEqualToJson("""
                {"name": "transfers", "type": "grouped", "state": "running",
                 "settings": {"threads": 2, "turnTasks": 64, "turnTime": "PT0.001S",
                   "overflow": "reject", "failurePolicy": "proceed"},
                 "stats": {"groups": 4, "queued": 2, "active": 1, "completed": 1, "failed": 0, "cancelled": 0, "rejected": 0}, "reserved": 0,
                 "rejections": {"capacity": 0, "keyCapacity": 0, "shutdown": 0, "noThread": 0},
                 "deepestGroups": [
                   {"group": "******", "queued": 2, "reserved": 0, "active": 1, "paused": false},
                   {"group": "******", "queued": 1, "reserved": 0, "active": 0, "paused": false},
                   {"group": "******", "queued": 0, "reserved": 0, "active": 1, "paused": false},
                   {"group": "******", "queued": 0, "reserved": 0, "active": 1, "paused": false}],
                 "runningTasks": [{"groups": "******"}],
                 "parkedTasks": [],
                 "queuedTasks": [
                   {"groups": "******", "waitsFor": ["******"]},
                   {"groups": "******", "waitsFor": ["******"]}]}""");
    }

    @Test
    void oneGroupedExecutorWithValues() throws Exception {
        start(BusyExecutors.class, SHOWN);
        assertThat(json("/transfers?limit=1")).isEqualToJson("""
                {"deepestGroups": [{"group": "alice", "queued": 2, "active": 1, "paused": false}],
                 "runningTasks": [{"groups": "alice, bank/bob"}],
                 "queuedTasks": [{"groups": "alice, carol", "waitsFor": ["alice, bank/bob"]}]}""");
        assertThat(get("/transfers").body()).contains("\"bank\"", "\"bank/bob\"", "\"carol\"", "\"shared alice\"");
        assertThat(json("/parkedGroups")).isEqualToJson("""
                {"parkedTasks": [{"groups": "alice, shared bob", "failure":
                   {"type": "java.lang.IllegalStateException", "message": "the account of alice is closed"}}]}""");
    }

    @Test
    void oneStripe() throws Exception {
        start(BusyExecutors.class, SHOWN);
        assertThat(json("/orders/alice")).isEqualToJson("""
                {"stripe": "alice", "queued": 2, "reserved": 0, "active": true, "paused": false,
                 "runningTask": {"stripe": "alice", "thread": "orders-n", "age": "some", "task": "a held task"},
                 "explanation": {"causes": [{"verdict": "running", "executor": "orders", "key": "alice"}]}}""");
        assertThat(json("/orders/customer%207")).isEqualToJson("""
                {"stripe": "customer 7", "queued": 0, "reserved": 0, "active": false, "paused": true,
                 "explanation": {"causes": [{"verdict": "paused", "key": "customer 7"}]}}""");
        assertThat(json("/parked/alice")).isEqualToJson("""
                {"stripe": "alice", "queued": 2, "reserved": 0, "active": false, "paused": false, "failure":
                   {"type": "java.lang.IllegalStateException", "message": "the account of alice is closed"},
                 "explanation": {"causes": [{"verdict": "parked"}]}}""");
        assertThat(get("/parked/alice?stacks=true").body()).contains("\"stack\":");
    }

    /** An answer to whether there is such a key would tell it to those who are not to see it. */
    @Test
    void aKeyCannotBeGuessedWhereValuesAreMasked() throws Exception {
        for (String show : List.of("never", "when-authorized")) {
            start(BusyExecutors.class, "--management.endpoint.orderedexecutors.show-values=" + show);
            for (String key : List.of("/parked/alice", "/parked/nobody")) {
                assertRefused(get(key), 403, "Single stripes are not shown, since values of the application are not");
            }
            assertRefused(get("/transfers/bank/eve"), 403, "Single groups are not shown");
            assertRefused(get("/films/film%201"), 403, "Single outputs are not shown");
        }
    }

    @Test
    void oneGroup() throws Exception {
        start(BusyExecutors.class, SHOWN);
        assertThat(json("/transfers/carol")).isEqualToJson("""
                {"group": "carol", "queued": 1, "reserved": 0, "active": 0, "paused": false,
                 "runningTasks": [], "parkedTasks": [],
                 "queuedTasks": [{"groups": "alice, carol", "waitsFor": ["alice, bank/bob"]}],
                 "explanation": {"causes": [{"key": "alice, bank/bob"}]}}""");
        assertThat(json("/transfers/bank/bob")).isEqualToJson("""
                {"group": "bank/bob", "queued": 0, "reserved": 0, "active": 1, "paused": false,
                 "runningTasks": [{"groups": "alice, bank/bob"}], "parkedTasks": [], "queuedTasks": []}""");
        assertThat(json("/transfers/alice?limit=1")).isEqualToJson("""
                {"group": "alice", "queued": 2, "queuedTasks": [{"groups": "alice, carol"}]}""");
        assertThat(json("/parkedGroups/bob")).isEqualToJson("""
                {"parkedTasks": [{"groups": "alice, shared bob", "failure": {"type": "java.lang.IllegalStateException"}}]}""");
    }

    @Test
    void valuesForTheAuthorizedOnlyAreMaskedForAnonymousCallers() throws Exception {
        start(BusyExecutors.class, "--management.endpoint.orderedexecutors.show-values=when-authorized");
        assertThat(get("/orders").body()).contains("******").doesNotContain("alice");
        assertThat(get("/transfers").body()).contains("******").doesNotContain("alice");
    }

    @Test
    void theApplicationsSanitizingFunctionsHaveTheLastWord() throws Exception {
        start(Sanitized.class, SHOWN);
        assertThat(json("/parked")).isEqualToJson("""
                {"parkedStripes": [{"stripe": "alice", "failure": {"message": "******"}}]}""");
    }

    @Test
    void wrongRequestsAreToldWhatIsWrong() throws Exception {
        start(BusyExecutors.class);
        assertRefused(get("/unknown"), 404, "No ordered executor is named 'unknown'; there are films, orders, parked,");
        assertRefused(get("/unknown/alice"), 404, "No ordered executor is named 'unknown'");
        start(BusyExecutors.class, SHOWN);
        assertRefused(
                get("/orders/nobody"),
                404,
                "No stripe of 'orders' that has tasks, or is paused, has the text 'nobody'");
        assertRefused(get("/transfers/bank/eve"), 404, "No group of 'transfers' that has tasks, or is paused");
        assertRefused(get("/orders?limit=0"), 400, "'limit' must be between 1 and 1000, but is 0");
        assertRefused(get("/orders?limit=1001"), 400, "'limit' must be between 1 and 1000, but is 1001");
        assertRefused(get("/orders?limit=many"), 400, "'limit' must be a whole number, but is 'many'");
        assertRefused(get("/orders?stacks=some"), 400, "'stacks' must be true or false, but is 'some'");
        assertRefused(get("/orders/alice?limit=0"), 400, "'limit' must be between 1 and 1000, but is 0");
        assertThat(get("/orders?limit=1000&stacks=false").statusCode()).isEqualTo(200);
    }

    @Test
    void twoKeysOfOneTextAreNotTakenForEachOther() throws Exception {
        start(Twins.class, SHOWN);
        assertRefused(get("/twins/twin"), 409, "2 stripes of 'twins' are 'twin' as text");
        // the text itself is no key, and those that are numbers have no twin
        assertThat(json("/twins/42")).isEqualToJson("{\"queued\": 1}");
    }

    @Test
    void whenItIsThere() {
        contexts.run(context -> assertThat(context).doesNotHaveBean(OrderedExecutorsEndpoint.class));
        ApplicationContextRunner exposed =
                contexts.withPropertyValues("management.endpoints.web.exposure.include=orderedexecutors");
        exposed.run(context -> assertThat(context)
                .hasSingleBean(OrderedExecutorsEndpoint.class)
                .hasSingleBean(OrderedExecutorsEndpointWebExtension.class));
        exposed.withPropertyValues("management.endpoint.orderedexecutors.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(OrderedExecutorsEndpoint.class));
        exposed.withPropertyValues("ordered-executor.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(OrderedExecutorsEndpoint.class));
        contexts.withPropertyValues(
                        "management.endpoints.jmx.exposure.include=orderedexecutors", "spring.jmx.enabled=true")
                .run(context -> assertThat(context)
                        .hasSingleBean(OrderedExecutorsEndpoint.class)
                        .doesNotHaveBean(OrderedExecutorsEndpointWebExtension.class));
        exposed.withClassLoader(new FilteredClassLoader(Endpoint.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(StripedExecutor.class)
                        .doesNotHaveBean("orderedExecutorsEndpoint"));
    }

    @Test
    void withoutASecurityContextTheSettingAloneDecides() {
        contexts.withPropertyValues(
                        "management.endpoints.jmx.exposure.include=orderedexecutors",
                        "spring.jmx.enabled=true",
                        "management.endpoint.orderedexecutors.show-values=never")
                .run(context -> {
                    CompletableFuture<?> task =
                            context.getBean(StripedExecutor.class).submitAsync("alice", CompletableFuture::new);
                    OrderedExecutorsEndpoint endpoint = context.getBean(OrderedExecutorsEndpoint.class);
                    assertThat(endpoint.executor("stripedExecutor", null, null))
                            .extracting("deepestStripes", list(StripeDescriptor.class))
                            .extracting(StripeDescriptor::stripe)
                            .containsExactly("******");
                    assertThatThrownBy(() -> endpoint.executor("unknown", null, null))
                            .isInstanceOf(InvalidEndpointRequestException.class)
                            .hasMessageContaining("No ordered executor is named 'unknown'");
                    task.cancel(false);
                });
    }

    /** A native image has of a type only what it was told of, and the return types name interfaces. */
    @Test
    void whatIsShownIsKnownToANativeImage() {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar()
                .registerRuntimeHints(
                        hints, OrderedExecutorsEndpoint.class, OrderedExecutorsEndpointWebExtension.class);
        List<Class<?>> shown = new java.util.ArrayList<>(List.of(
                StripedExecutorStats.class,
                GroupedExecutorStats.class,
                Rejections.class,
                OrderedExecutorsEndpoint.ExecutorsDescriptor.class,
                OrderedExecutorsEndpointWebExtension.RefusalDescriptor.class));
        Arrays.stream(ExecutorDescriptor.class.getDeclaredClasses())
                .filter(Class::isRecord)
                .forEach(shown::add);
        assertThat(shown).hasSizeGreaterThan(14);
        for (Class<?> type : shown) {
            for (RecordComponent component : type.getRecordComponents()) {
                assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(component.getAccessor()))
                        .as(component + " of " + type)
                        .accepts(hints);
            }
        }
    }

    private void start(Class<?> configuration, String... arguments) {
        endpoint = STARTED.computeIfAbsent(
                List.of(configuration, List.of(arguments)), key -> HttpEndpoint.start(configuration, arguments));
    }

    private HttpResponse<String> get(String path) throws Exception {
        return endpoint.get("orderedexecutors" + path);
    }

    /** What is there, but for what differs from one time to the next. */
    private JsonContent<Object> json(String path) throws Exception {
        HttpResponse<String> response = get(path);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JSON.from(response.body()
                .replaceAll("(\"age\"|\"oldestQueuedAge\"):\"PT[0-9.]+S\"", "$1:\"some\"")
                .replaceAll("orders-\\d", "orders-n"));
    }

    private static void assertRefused(HttpResponse<String> response, int status, String message) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(JSON.from(response.body()))
                .extractingJsonPathStringValue("$.message")
                .startsWith(message);
    }

    @Configuration(proxyBeanMethods = false)
    @Import(BusyExecutors.class)
    static class Sanitized {

        @Bean
        SanitizingFunction messages() {
            return SanitizingFunction.sanitizeValue().ifKeyEquals("orderedexecutors.message");
        }
    }

    /** Has queued all that it has room for, some time ago, and rejected the rest. */
    @Configuration(proxyBeanMethods = false)
    static class Rejecting {

        @Bean
        StripedExecutor rejecting() {
            StripedExecutor rejecting = StripedExecutor.builder()
                    .capacity(2)
                    .stripeCapacity(1)
                    .listener(BusyExecutors.LISTENER)
                    .build();
            rejecting.pause();
            rejecting.execute("alice", () -> {});
            for (int i = 0; i < 3; i++) {
                reject(rejecting, "alice");
            }
            rejecting.execute("bob", () -> {});
            reject(rejecting, "carol");
            return rejecting;
        }

        private static void reject(StripedExecutor full, String stripe) {
            assertThatThrownBy(() -> full.execute(stripe, () -> {})).isInstanceOf(RejectedExecutionException.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Twins {

        /** Of two that are not equal, one text. */
        static final class Twin {
            @Override
            public String toString() {
                return "twin";
            }
        }

        @Bean
        StripedExecutor twins() {
            StripedExecutor twins = StripedExecutor.builder().build();
            twins.pause();
            twins.execute(new Twin(), () -> {});
            twins.execute(new Twin(), () -> {});
            twins.execute(42, () -> {});
            return twins;
        }
    }
}
