package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.InstanceOfAssertFactories.list;

import io.orderedexecutor.Batcher;
import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.TaskListener;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.KeyDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.KeyedExecutorDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.ParkedTaskDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.RunningTaskDescriptor;
import io.orderedexecutor.spring.fixtures.BusyExecutors;
import io.orderedexecutor.spring.fixtures.HttpEndpoint;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.Rejections;
import java.lang.reflect.RecordComponent;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.Show;
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
                  "films": {"type": "ordered-output", "state": "running", "stats": {
                    "keys": 1, "queued": 0, "deepest": 0, "parked": 0, "active": 2, "completed": 0,
                      "failed": 0, "cancelled": 0, "rejected": 0}},
                  "orders": {"type": "striped", "state": "running", "stats": {
                    "keys": 3, "queued": 3, "deepest": 2, "parked": 0, "active": 2, "completed": 1,
                      "failed": 0, "cancelled": 0, "rejected": 0}},
                  "parked": {"type": "striped", "state": "running", "stats": {
                    "keys": 1, "queued": 2, "deepest": 2, "parked": 1, "active": 0, "completed": 1,
                      "failed": 0, "cancelled": 0, "rejected": 0}},
                  "parkedGroups": {"type": "grouped", "state": "running", "stats": {
                    "keys": 2, "queued": 1, "deepest": 1, "parked": 1, "active": 0, "completed": 1,
                      "failed": 0, "cancelled": 0, "rejected": 0}},
                  "transfers": {"type": "grouped", "state": "running", "stats": {
                    "keys": 4, "queued": 2, "deepest": 2, "parked": 0, "active": 1, "completed": 1,
                      "failed": 0, "cancelled": 0, "rejected": 0}}
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
                {"output": "film 1", "window": 4, "open": 2, "done": 0,
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
                   "retry": {"maxRetries": 2, "delay": "PT1S", "multiplier": 2.0, "maxDelay": "PT1M", "jitter": "PT0S"}},
                 "stats": {"keys": 3, "queued": 3, "deepest": 2, "parked": 0, "active": 2, "completed": 1,
                   "failed": 0, "cancelled": 0, "rejected": 0},
                 "reserved": 0,
                 "rejections": {"capacity": 0, "keyCapacity": 0, "shutdown": 0, "noThread": 0},
                 "whenBusy": {"replaced": 0, "interrupted": 0, "refused": 0, "batches": 0, "batchedItems": 0}, "oldestQueuedAge": "some",
                 "deepestKeys": [
                   {"key": "******", "queued": 2, "reserved": 0, "active": 1, "paused": false, "parked": false},
                   {"key": "******", "queued": 1, "reserved": 0, "active": 1, "paused": false, "parked": false},
                   {"key": "******", "queued": 0, "reserved": 0, "active": 0, "paused": true, "parked": false}],
                 "runningTasks": [
                   {"key": "******", "thread": "orders-n", "age": "some", "task": "******"},
                   {"key": "******", "age": "some", "task": "******"}],
                 "parkedTasks": [],
                 "queuedTasks": [
                   {"key": "******", "waitsFor": ["******"]},
                   {"key": "******", "waitsFor": ["******"]},
                   {"key": "******", "waitsFor": ["******"]}]}""");
        assertThat(get("/orders?stacks=true").body())
                .contains("\"stack\":[\"******\"]")
                .doesNotContain("Journal");
        assertThat(json("/parked?stacks=true")).isEqualToJson("""
                {"parkedTasks": [{"key": "******", "queued": 2, "task": "******", "failure":
                  {"type": "java.lang.IllegalStateException", "message": "******", "stack": ["******"]}}]}""");
    }

    @Test
    void oneStripedExecutorWithValues() throws Exception {
        start(BusyExecutors.class, SHOWN);
        assertThat(json("/orders?limit=1")).isEqualToJson("""
                {"deepestKeys": [{"key": "alice", "queued": 2, "active": 1}],
                 "runningTasks": [{"key": "alice", "thread": "orders-n", "age": "some", "task": "a held task"}]}""");
        assertThat(json("/orders")).isEqualToJson("""
                {"deepestKeys": [
                   {"key": "alice", "queued": 2, "active": 1, "paused": false, "parked": false},
                   {"key": "<io.orderedexecutor.spring.fixtures.BusyExecutors$BadKey, whose toString() throws java.lang.AssertionError>",
                    "queued": 1, "active": 1, "paused": false, "parked": false},
                   {"key": "customer 7", "queued": 0, "active": 0, "paused": true, "parked": false}]}""");
        assertThat(json("/parked")).isStrictlyEqualToJson("""
                {"name": "parked", "type": "striped", "state": "running",
                 "settings": {"threads": 1, "turnTasks": 64, "turnTime": "PT0.001S",
                   "overflow": "reject", "failurePolicy": "park"},
                 "stats": {"keys": 1, "queued": 2, "deepest": 2, "parked": 1, "active": 0, "completed": 1,
                   "failed": 0, "cancelled": 0, "rejected": 0},
                 "reserved": 0,
                 "rejections": {"capacity": 0, "keyCapacity": 0, "shutdown": 0, "noThread": 0},
                 "whenBusy": {"replaced": 0, "interrupted": 0, "refused": 0, "batches": 0, "batchedItems": 0},
                 "deepestKeys": [{"key": "alice", "queued": 2, "reserved": 0, "active": 0, "paused": false, "parked": true}],
                 "runningTasks": [],
                 "parkedTasks": [{"key": "alice", "queued": 2, "age": "some", "task": "book order 1", "attempts": 1, "failure":
                   {"type": "java.lang.IllegalStateException", "message": "the account of alice is closed"}}],
                 "queuedTasks": [{"key": "alice", "waitsFor": []}, {"key": "alice", "waitsFor": ["alice"]}]}""");
    }

    @Test
    void rejectionsByReasonAndTheAgeOfTheOldestQueuedTask() throws Exception {
        start(Rejecting.class);
        assertThat(json("/rejecting")).isEqualToJson("""
                {"stats": {"queued": 2, "rejected": 4},
                 "rejections": {"capacity": 1, "keyCapacity": 3, "shutdown": 0, "noThread": 0},
                 "oldestQueuedAge": "some"}""");
        Matcher age = Pattern.compile("\"oldestQueuedAge\":\"(PT[0-9.MH]+S)\"")
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
                 "stats": {"keys": 4, "queued": 2, "deepest": 2, "parked": 0, "active": 1, "completed": 1,
                   "failed": 0, "cancelled": 0, "rejected": 0},
                 "reserved": 0,
                 "rejections": {"capacity": 0, "keyCapacity": 0, "shutdown": 0, "noThread": 0},
                 "whenBusy": {"replaced": 0, "interrupted": 0, "refused": 0, "batches": 0, "batchedItems": 0},
                 "deepestKeys": [
                   {"key": "******", "queued": 2, "reserved": 0, "active": 1, "paused": false, "parked": false},
                   {"key": "******", "queued": 1, "reserved": 0, "active": 0, "paused": false, "parked": false},
                   {"key": "******", "queued": 0, "reserved": 0, "active": 1, "paused": false, "parked": false},
                   {"key": "******", "queued": 0, "reserved": 0, "active": 1, "paused": false, "parked": false}],
                 "runningTasks": [{"key": "******"}],
                 "parkedTasks": [],
                 "queuedTasks": [
                   {"key": "******", "waitsFor": ["******"]},
                   {"key": "******", "waitsFor": ["******"]}]}""");
    }

    @Test
    void oneGroupedExecutorWithValues() throws Exception {
        start(BusyExecutors.class, SHOWN);
        assertThat(json("/transfers?limit=1")).isEqualToJson("""
                {"deepestKeys": [{"key": "alice", "queued": 2, "active": 1, "paused": false, "parked": false}],
                 "runningTasks": [{"key": "alice, bank/bob"}],
                 "queuedTasks": [{"key": "alice, carol", "waitsFor": ["alice, bank/bob"]}]}""");
        assertThat(get("/transfers").body()).contains("\"bank\"", "\"bank/bob\"", "\"carol\"", "\"shared alice\"");
        assertThat(json("/parkedGroups")).isEqualToJson("""
                {"parkedTasks": [{"key": "alice, shared bob", "queued": 1, "failure":
                   {"type": "java.lang.IllegalStateException", "message": "the account of alice is closed"}}]}""");
    }

    @Test
    void oneKeyOfAStripedExecutor() throws Exception {
        start(BusyExecutors.class, SHOWN);
        assertThat(json("/orders/alice")).isEqualToJson("""
                {"key": "alice", "queued": 2, "reserved": 0, "active": 1, "paused": false, "parked": false,
                 "runningTasks": [{"key": "alice", "thread": "orders-n", "age": "some", "task": "a held task"}],
                 "explanation": {"causes": [{"verdict": "running", "executor": "orders", "key": "alice"}]}}""");
        assertThat(json("/orders/customer%207")).isEqualToJson("""
                {"key": "customer 7", "queued": 0, "reserved": 0, "active": 0, "paused": true, "parked": false,
                 "explanation": {"causes": [{"verdict": "paused", "key": "customer 7"}]}}""");
        assertThat(json("/parked/alice")).isEqualToJson("""
                {"key": "alice", "queued": 2, "reserved": 0, "active": 0, "paused": false, "parked": true,
                 "parkedTasks": [{"key": "alice", "queued": 2, "age": "some", "task": "book order 1", "attempts": 1, "failure":
                   {"type": "java.lang.IllegalStateException", "message": "the account of alice is closed"}}],
                 "explanation": {"causes": [{"verdict": "parked"}]}}""");
        assertThat(get("/parked/alice?stacks=true").body()).contains("\"stack\":");
    }

    /** An answer to whether there is such a key would tell it to those who are not to see it. */
    @Test
    void aKeyCannotBeGuessedWhereValuesAreMasked() throws Exception {
        for (String show : List.of("never", "when-authorized")) {
            start(BusyExecutors.class, "--management.endpoint.orderedexecutors.show-values=" + show);
            for (String key : List.of("/parked/alice", "/parked/nobody")) {
                assertRefused(get(key), 403, "Single keys are not shown, since values of the application are not");
            }
            assertRefused(get("/transfers/bank/eve"), 403, "Single keys are not shown");
            assertRefused(get("/films/film%201"), 403, "Single outputs are not shown");
        }
    }

    @Test
    void oneKeyOfAGroupedExecutor() throws Exception {
        start(BusyExecutors.class, SHOWN);
        assertThat(json("/transfers/carol")).isEqualToJson("""
                {"key": "carol", "queued": 1, "reserved": 0, "active": 0, "paused": false, "parked": false,
                 "runningTasks": [], "parkedTasks": [],
                 "queuedTasks": [{"key": "alice, carol", "waitsFor": ["alice, bank/bob"]}],
                 "explanation": {"causes": [{"key": "alice, bank/bob"}]}}""");
        assertThat(json("/transfers/bank/bob")).isEqualToJson("""
                {"key": "bank/bob", "queued": 0, "reserved": 0, "active": 1, "paused": false, "parked": false,
                 "runningTasks": [{"key": "alice, bank/bob"}], "parkedTasks": [], "queuedTasks": []}""");
        assertThat(json("/transfers/alice?limit=1")).isEqualToJson("""
                {"key": "alice", "queued": 2, "queuedTasks": [{"key": "alice, carol"}]}""");
        assertThat(json("/parkedGroups/bob")).isEqualToJson("""
                {"key": "bob", "paused": false, "parked": true,
                 "parkedTasks": [{"key": "alice, shared bob", "queued": 1, "failure": {"type": "java.lang.IllegalStateException"}}]}""");
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
                {"parkedTasks": [{"key": "alice", "failure": {"message": "******"}}]}""");
    }

    @Test
    void wrongRequestsAreToldWhatIsWrong() throws Exception {
        start(BusyExecutors.class);
        assertRefused(get("/unknown"), 404, "No ordered executor is named 'unknown'; there are films, orders, parked,");
        assertRefused(get("/unknown/alice"), 404, "No ordered executor is named 'unknown'");
        start(BusyExecutors.class, SHOWN);
        assertRefused(
                get("/orders/nobody"), 404, "No key of 'orders' that has tasks, or is paused, has the text 'nobody'");
        assertRefused(get("/transfers/bank/eve"), 404, "No key of 'transfers' that has tasks, or is paused");
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
        assertRefused(get("/twins/twin"), 409, "2 keys of 'twins' are 'twin' as text");
        // the text itself is no key, and those that are numbers have no twin
        assertThat(json("/twins/42")).isEqualToJson("{\"queued\": 1}");
    }

    private static OrderedExecutorsEndpoint endpointOf(OrderedExecutor executor) {
        return new OrderedExecutorsEndpoint(Map.of("orders", executor), name -> List.of(), Show.ALWAYS, List.of());
    }

    private static KeyDescriptor keyOf(OrderedExecutor executor, String key) {
        return (KeyDescriptor) endpointOf(executor).key("orders", new String[] {key}, null, null);
    }

    /** An executor with a listener knows each task by the very key that it was submitted with. */
    @Test
    void aTaskIsFoundWhicheverOfTwoEqualKeysItHas() {
        Queue<Runnable> pool = new ArrayDeque<>();
        StripedExecutor orders = StripedExecutor.builder()
                .executor(pool::add)
                .listener(new TaskListener() {})
                .build();
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<String> second = new CompletableFuture<>();
        CompletableFuture<String> ended = orders.submitAsync(new BusyExecutors.Customer(7), () -> first);
        CompletableFuture<String> running = orders.submitAsync(new BusyExecutors.Customer(7), () -> second);
        run(pool);
        first.complete("");
        run(pool);
        assertThat(ended).isCompleted();
        assertThat(keyOf(orders, "customer 7").runningTasks())
                .extracting(RunningTaskDescriptor::key)
                .containsExactly("customer 7");
        second.complete("");
        run(pool);
        assertThat(running).isCompleted();
        orders.close();
    }

    @Test
    void aTaskOfAnEqualKeyIsAnotherOneIfKeysAreComparedByIdentity() {
        Queue<Runnable> pool = new ArrayDeque<>();
        StripedExecutor orders =
                StripedExecutor.builder().executor(pool::add).identityStripes().build();
        CompletableFuture<String> held = new CompletableFuture<>();
        CompletableFuture<String> first = orders.submitAsync(new Equal("first"), () -> held);
        CompletableFuture<String> second = orders.submitAsync(new Equal("second"), () -> held);
        run(pool);
        assertThat(keyOf(orders, "second").runningTasks())
                .extracting(RunningTaskDescriptor::key)
                .containsExactly("second");
        held.complete("");
        run(pool);
        assertThat(CompletableFuture.allOf(first, second)).isCompleted();
        orders.close();
    }

    private record Equal(String text) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Equal;
        }

        @Override
        public int hashCode() {
            return 1;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    @Test
    void aParkedTaskTellsHowManyItHoldsUp() {
        Queue<Runnable> pool = new ArrayDeque<>();
        GroupedExecutor orders = GroupedExecutor.builder()
                .executor(pool::add)
                .failurePolicy(FailurePolicy.park())
                .build();
        Runnable failing = () -> {
            throw new IllegalStateException("expected");
        };
        orders.execute(Groups.exclusive("alice").andShared("bob"), failing);
        orders.execute(Groups.exclusive("bob"), () -> {});
        orders.execute(Groups.exclusive("bob"), () -> {});
        run(pool);
        KeyedExecutorDescriptor shown =
                (KeyedExecutorDescriptor) endpointOf(orders).executor("orders", null, null);
        assertThat(shown.parkedTasks())
                .extracting(ParkedTaskDescriptor::key, ParkedTaskDescriptor::queued)
                .containsExactly(tuple("alice, shared bob", 3L));
        assertThat(keyOf(orders, "bob").parkedTasks()).hasSize(1);
        orders.shutdownNow();
        run(pool);
        assertThat(orders.isTerminated()).isTrue();
    }

    @Test
    void ofAParkedBatchTheFirstTasksAreShown() {
        Queue<Runnable> pool = new ArrayDeque<>();
        StripedExecutor orders = StripedExecutor.builder()
                .executor(pool::add)
                .failurePolicy(FailurePolicy.park())
                .build();
        List<Object> ran = new ArrayList<>();
        AtomicBoolean fails = new AtomicBoolean(true);
        Batcher<String, Object> batcher = orders.batchTo((String stripe, List<Object> items) -> {
                    if (fails.get()) {
                        throw new IllegalStateException("expected");
                    }
                    ran.addAll(items);
                })
                .maxBatch(13)
                .build();
        AtomicInteger printed = new AtomicInteger();
        Object unprintable = new Object() {
            @Override
            public String toString() {
                printed.incrementAndGet();
                throw new IllegalStateException("expected");
            }
        };
        List<Object> items = new ArrayList<>(List.of(unprintable));
        for (int i = 1; i < 13; i++) {
            items.add("line " + i);
        }
        items.forEach(item -> batcher.submit("alice", item));
        run(pool);
        ParkedTaskDescriptor parked = keyOf(orders, "alice").parkedTasks().get(0);
        assertThat(parked.task())
                .isEqualTo("[<" + unprintable.getClass().getName()
                        + ", whose toString() throws java.lang.IllegalStateException>,"
                        + " line 1, line 2, line 3, line 4, line 5, line 6, line 7, line 8, line 9, and 3 more]");

        printed.set(0);
        KeyedExecutorDescriptor masked =
                (KeyedExecutorDescriptor) endpointOf(orders).executor("orders", null, null, false);
        assertThat(masked.parkedTasks()).extracting(ParkedTaskDescriptor::task).containsExactly("******");
        assertThat(printed).as("what is masked is not printed").hasValue(0);

        fails.set(false);
        orders.control().resume("alice");
        run(pool);
        assertThat(ran).containsExactlyElementsOf(items);
        orders.close();
    }

    private static void run(Queue<Runnable> pool) {
        for (Runnable step = pool.poll(); step != null; step = pool.poll()) {
            step.run();
        }
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
                    assertThat(endpoint.executor("ordered-executor", null, null))
                            .extracting("deepestKeys", list(KeyDescriptor.class))
                            .extracting(KeyDescriptor::key)
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
                OrderedExecutorStats.class,
                OrderedExecutorStats.class,
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
                .replaceAll("(\"age\"|\"oldestQueuedAge\"):\"PT[0-9.MH]+S\"", "$1:\"some\"")
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
                    .keyCapacity(1)
                    .listener(BusyExecutors.LISTENER)
                    .build();
            rejecting.control().pause();
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
            twins.control().pause();
            twins.execute(new Twin(), () -> {});
            twins.execute(new Twin(), () -> {});
            twins.execute(42, () -> {});
            return twins;
        }
    }
}
