package io.orderedexecutor.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.list;

import io.orderedexecutor.GroupPath;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedExecutorStats;
import io.orderedexecutor.Groups;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorStats;
import io.orderedexecutor.spring.actuate.OrderedExecutorsEndpoint.StripeDescriptor;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorsEndpointAutoConfiguration;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.json.BasicJsonTester;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The endpoint as a person with curl sees it, and when it is there. */
class OrderedExecutorsEndpointTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class, OrderedExecutorsEndpointAutoConfiguration.class));
    private static final BasicJsonTester JSON = new BasicJsonTester(OrderedExecutorsEndpointTest.class);
    private static final CompletableFuture<String> HELD = new CompletableFuture<>();
    private static final Map<List<String>, ConfigurableApplicationContext> STARTED = new HashMap<>();

    private ConfigurableApplicationContext application;

    @AfterAll
    static void stop() {
        HELD.complete("");
        STARTED.values().forEach(ConfigurableApplicationContext::close);
        STARTED.clear();
    }

    @Test
    void allExecutors() throws Exception {
        start();
        HttpResponse<String> response = get("");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(JSON.from(response.body())).isStrictlyEqualToJson("""
                {"executors": {
                  "groupedExecutor": {"type": "grouped", "stats": {
                    "groups": 0, "queued": 0, "active": 0, "completed": 0, "failed": 0, "cancelled": 0, "rejected": 0}},
                  "orders": {"type": "striped", "stats": {
                    "stripes": 2, "queued": 3, "active": 2, "completed": 1, "failed": 0, "cancelled": 0, "rejected": 0}},
                  "stripedExecutor": {"type": "striped", "stats": {
                    "stripes": 0, "queued": 0, "active": 0, "completed": 0, "failed": 0, "cancelled": 0, "rejected": 0}},
                  "transfers": {"type": "grouped", "stats": {
                    "groups": 4, "queued": 2, "active": 1, "completed": 1, "failed": 0, "cancelled": 0, "rejected": 0}}
                }}""");
    }

    @Test
    void oneExecutorWithMaskedStripes() throws Exception {
        start();
        HttpResponse<String> response = get("/orders");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(JSON.from(response.body())).isStrictlyEqualToJson("""
                {"name": "orders", "type": "striped",
                 "stats": {"stripes": 2, "queued": 3, "active": 2, "completed": 1, "failed": 0, "cancelled": 0, "rejected": 0},
                 "deepestStripes": [
                   {"stripe": "******", "queued": 2, "active": true},
                   {"stripe": "******", "queued": 1, "active": true}]}""");
    }

    @Test
    void oneExecutorWithStripes() throws Exception {
        start("--management.endpoint.orderedexecutors.show-values=always");
        HttpResponse<String> response = get("/orders?limit=1");
        assertThat(JSON.from(response.body()))
                .isEqualToJson("{\"deepestStripes\": [{\"stripe\": \"alice\", \"queued\": 2, \"active\": true}]}");
        assertThat(JSON.from(get("/orders").body())).isEqualToJson("""
                {"deepestStripes": [
                   {"stripe": "alice", "queued": 2, "active": true},
                   {"stripe": "<io.orderedexecutor.spring.actuate.OrderedExecutorsEndpointTest$BadKey, whose toString() throws java.lang.IllegalStateException>",
                    "queued": 1, "active": true}]}""");
    }

    @Test
    void oneGroupedExecutorWithMaskedGroups() throws Exception {
        start();
        HttpResponse<String> response = get("/transfers");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(JSON.from(response.body())).isStrictlyEqualToJson("""
                {"name": "transfers", "type": "grouped",
                 "stats": {"groups": 4, "queued": 2, "active": 1, "completed": 1, "failed": 0, "cancelled": 0, "rejected": 0},
                 "deepestGroups": [
                   {"group": "******", "queued": 2, "active": 1, "paused": false},
                   {"group": "******", "queued": 1, "active": 0, "paused": false},
                   {"group": "******", "queued": 0, "active": 1, "paused": false},
                   {"group": "******", "queued": 0, "active": 1, "paused": false}]}""");
    }

    @Test
    void oneGroupedExecutorWithGroups() throws Exception {
        start("--management.endpoint.orderedexecutors.show-values=always");
        assertThat(JSON.from(get("/transfers?limit=1").body())).isStrictlyEqualToJson("""
                {"name": "transfers", "type": "grouped",
                 "stats": {"groups": 4, "queued": 2, "active": 1, "completed": 1, "failed": 0, "cancelled": 0, "rejected": 0},
                 "deepestGroups": [{"group": "alice", "queued": 2, "active": 1, "paused": false}]}""");
        assertThat(get("/transfers").body()).contains("\"bank\"", "\"bank/bob\"", "\"carol\"");
    }

    @Test
    void stripesForTheAuthorizedOnlyAreMaskedForAnonymousCallers() throws Exception {
        start("--management.endpoint.orderedexecutors.show-values=when-authorized");
        assertThat(get("/orders").body()).contains("******").doesNotContain("alice");
        assertThat(get("/transfers").body()).contains("******").doesNotContain("alice");
    }

    @Test
    void wrongRequests() throws Exception {
        start();
        assertThat(get("/unknown").statusCode()).isEqualTo(404);
        assertThat(get("/orders?limit=0").statusCode()).isEqualTo(400);
        assertThat(get("/orders?limit=1001").statusCode()).isEqualTo(400);
        assertThat(get("/orders?limit=many").statusCode()).isEqualTo(400);
        assertThat(get("/orders?limit=1000").statusCode()).isEqualTo(200);
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
                            context.getBean(StripedExecutor.class).submitAsync("alice", () -> HELD);
                    assertThat(context.getBean(OrderedExecutorsEndpoint.class).executor("stripedExecutor", null))
                            .extracting("deepestStripes", list(StripeDescriptor.class))
                            .extracting(StripeDescriptor::stripe)
                            .containsExactly("******");
                    task.cancel(false);
                });
    }

    /** A native image has of a type only what it was told of, and the return types name interfaces. */
    @Test
    void whatIsShownIsKnownToANativeImage() {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, OrderedExecutorsEndpoint.class);
        for (Class<?> type : List.of(
                StripedExecutorStats.class,
                GroupedExecutorStats.class,
                OrderedExecutorsEndpoint.StripedExecutorDescriptor.class,
                OrderedExecutorsEndpoint.GroupedExecutorDescriptor.class,
                StripeDescriptor.class,
                OrderedExecutorsEndpoint.GroupDescriptor.class)) {
            for (RecordComponent component : type.getRecordComponents()) {
                assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(component.getAccessor()))
                        .as(component + " of " + type)
                        .accepts(hints);
            }
        }
    }

    /** Looking changes nothing, so tests with the same settings share an application. */
    private void start(String... arguments) {
        application = STARTED.computeIfAbsent(List.of(arguments), key -> {
            ConfigurableApplicationContext started = new SpringApplicationBuilder(Application.class)
                    .properties(
                            "server.port=0",
                            "management.endpoints.web.exposure.include=orderedexecutors",
                            "ordered-executor.striped.orders.threads=2",
                            "ordered-executor.grouped.transfers.threads=2")
                    .run(arguments);
            fill(started.getBean("orders", StripedExecutor.class));
            fill(started.getBean("transfers", GroupedExecutor.class));
            return started;
        });
    }

    private static void fill(StripedExecutor orders) {
        orders.submit("alice", () -> null).join();
        BadKey bad = new BadKey();
        CompletableFuture<?> started = hold(orders, "alice");
        CompletableFuture<?> startedToo = hold(orders, bad);
        orders.execute("alice", () -> {});
        orders.execute("alice", () -> {});
        orders.execute(bad, () -> {});
        CompletableFuture.allOf(started, startedToo).join();
    }

    private static void fill(GroupedExecutor transfers) {
        transfers.submit(Groups.exclusive("alice"), () -> null).join();
        CompletableFuture<Void> started = new CompletableFuture<>();
        transfers.submitAsync(Groups.exclusive("alice", GroupPath.of("bank", "bob")), () -> {
            started.complete(null);
            return HELD;
        });
        transfers.execute(Groups.exclusive("alice", "carol"), () -> {});
        transfers.execute(Groups.shared("alice"), () -> {});
        started.join();
    }

    private static CompletableFuture<?> hold(StripedExecutor executor, Object stripe) {
        CompletableFuture<Void> started = new CompletableFuture<>();
        executor.submitAsync(stripe, () -> {
            started.complete(null);
            return HELD;
        });
        return started;
    }

    private HttpResponse<String> get(String path) throws Exception {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(
                                        URI.create("http://localhost:" + port + "/actuator/orderedexecutors" + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private static final class BadKey {
        @Override
        public String toString() {
            throw new IllegalStateException("expected");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
