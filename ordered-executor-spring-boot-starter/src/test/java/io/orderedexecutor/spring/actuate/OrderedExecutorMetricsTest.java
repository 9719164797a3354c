package io.orderedexecutor.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.Journal;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorMetricsAutoConfiguration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The meters, and when they are there. */
class OrderedExecutorMetricsTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class,
                    OrderedExecutorMetricsAutoConfiguration.class,
                    MetricsAutoConfiguration.class));
    private final ApplicationContextRunner withRegistry = contexts.withBean(SimpleMeterRegistry.class);

    @Test
    void metersShowWhatTheExecutorDoes() {
        withRegistry
                .withPropertyValues("ordered-executor.striped.orders.threads=1")
                .run(context -> {
                    StripedExecutor executor = context.getBean("orders", StripedExecutor.class);
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    CountDownLatch started = new CountDownLatch(1);
                    CountDownLatch end = new CountDownLatch(1);
                    CompletableFuture<?> first = executor.submit("a", () -> {
                        started.countDown();
                        Journal.await(end);
                        return null;
                    });
                    Journal.await(started);
                    CompletableFuture<?> failing = executor.submit("a", () -> {
                        throw new IllegalStateException("expected");
                    });
                    CompletableFuture<?> other = executor.submit("b", () -> null);
                    CompletableFuture<?> cancelled = executor.submit("b", () -> null);
                    assertThat(gauge(registry, "active")).isEqualTo(1);
                    assertThat(gauge(registry, "queued")).isEqualTo(3);
                    assertThat(gauge(registry, "stripes")).isEqualTo(2);
                    assertThat(cancelled.cancel(false)).isTrue();
                    end.countDown();
                    CompletableFuture.allOf(first, other).join();
                    failing.handle((result, failure) -> failure).join();
                    executor.shutdown();
                    assertThat(executor.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
                    assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> executor.execute("a", () -> {})))
                            .isNotNull();
                    // what was read above is shown for a while, so these figures are read by meters of their own
                    MeterRegistry afterwards = new SimpleMeterRegistry();
                    new OrderedExecutorMetrics(Map.of("orders", executor)).bindTo(afterwards);
                    assertThat(gauge(afterwards, "active")).isZero();
                    assertThat(gauge(afterwards, "queued")).isZero();
                    assertThat(gauge(afterwards, "stripes")).isZero();
                    assertThat(count(afterwards, "completed")).isEqualTo(2);
                    assertThat(count(afterwards, "failed")).isEqualTo(1);
                    assertThat(count(afterwards, "cancelled")).isEqualTo(1);
                    assertThat(count(afterwards, "rejected")).isEqualTo(1);
                });
    }

    @Test
    void metersOfGroupedExecutorsCountGroups() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        GroupedExecutor orders = GroupedExecutor.builder().build();
        CompletableFuture<String> held = new CompletableFuture<>();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<?> transfer = orders.submitAsync(Groups.exclusive("a", "b"), () -> {
            started.countDown();
            return held;
        });
        Journal.await(started);
        CompletableFuture<?> next = orders.submit(Groups.exclusive("b", "c"), () -> null);
        new OrderedExecutorMetrics(Map.of("orders", orders)).bindTo(registry);
        assertThat(gauge(registry, "groups")).isEqualTo(3);
        assertThat(gauge(registry, "active")).isEqualTo(1);
        assertThat(gauge(registry, "queued")).isEqualTo(1);
        held.complete("");
        CompletableFuture.allOf(transfer, next).join();
        orders.close();
        SimpleMeterRegistry afterwards = new SimpleMeterRegistry();
        new OrderedExecutorMetrics(Map.of("orders", orders)).bindTo(afterwards);
        assertThat(gauge(afterwards, "groups")).isZero();
        assertThat(count(afterwards, "completed")).isEqualTo(2);
        assertThat(orders.isTerminated()).isTrue(); // and, until here, not collected: meters hold it weakly
    }

    @Test
    void allExecutorsHaveAllMetersWithoutTheStripe() {
        withRegistry
                .withPropertyValues("ordered-executor.striped.orders.threads=1")
                .withBean(
                        "mine",
                        StripedExecutor.class,
                        () -> StripedExecutor.builder().build())
                .withPropertyValues("ordered-executor.grouped.transfers.threads=1")
                .run(context -> {
                    Map<String, Set<String>> namesByMeter = context.getBean(MeterRegistry.class).getMeters().stream()
                            .filter(meter -> meter.getId().getName().startsWith("ordered.executor."))
                            .peek(OrderedExecutorMetricsTest::assertDescribed)
                            .collect(Collectors.groupingBy(
                                    meter -> meter.getId().getName(),
                                    Collectors.mapping(meter -> meter.getId().getTag("name"), Collectors.toSet())));
                    assertThat(namesByMeter.keySet())
                            .containsExactlyInAnyOrder(
                                    "ordered.executor.queued",
                                    "ordered.executor.active",
                                    "ordered.executor.stripes",
                                    "ordered.executor.groups",
                                    "ordered.executor.completed",
                                    "ordered.executor.failed",
                                    "ordered.executor.cancelled",
                                    "ordered.executor.rejected");
                    assertThat(namesByMeter.remove("ordered.executor.stripes"))
                            .containsExactlyInAnyOrder("mine", "orders");
                    assertThat(namesByMeter.remove("ordered.executor.groups"))
                            .containsExactlyInAnyOrder("groupedExecutor", "transfers");
                    assertThat(namesByMeter.values())
                            .allSatisfy(names -> assertThat(names)
                                    .containsExactlyInAnyOrder("mine", "orders", "groupedExecutor", "transfers"));
                });
    }

    @Test
    void allMetersOfAScrapeShareOneLookAtTheExecutor() {
        AtomicLong now = new AtomicLong(Long.MAX_VALUE); // nanoTime may overflow
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        StripedExecutor orders = StripedExecutor.builder().build();
        new OrderedExecutorMetrics(Map.of("orders", orders), now::get).bindTo(registry);
        assertThat(count(registry, "completed")).isZero();
        orders.submit("a", () -> null).join();
        orders.close();
        assertThat(count(registry, "completed")).isZero();
        now.addAndGet(TimeUnit.MILLISECONDS.toNanos(99));
        assertThat(count(registry, "completed")).isZero();
        now.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
        assertThat(count(registry, "completed")).isEqualTo(1);
        assertThat(orders.isTerminated()).isTrue(); // and, until here, not collected: meters hold it weakly
    }

    private static void assertDescribed(Meter meter) {
        assertThat(meter.getId().getDescription()).isNotBlank();
        assertThat(meter.getId().getBaseUnit()).isIn("tasks", "stripes", "groups");
        assertThat(meter.getId().getTags()).extracting("key").containsExactlyInAnyOrder("name", "type");
        boolean grouped =
                Set.of("groupedExecutor", "transfers").contains(meter.getId().getTag("name"));
        assertThat(meter.getId().getTag("type")).isEqualTo(grouped ? "grouped" : "striped");
    }

    @Test
    void thereAreNoneWithoutARegistryOrMicrometerOrExecutors() {
        contexts.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(OrderedExecutorMetrics.class));
        withRegistry
                .withPropertyValues("ordered-executor.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(OrderedExecutorMetrics.class));
        contexts.withClassLoader(new FilteredClassLoader(MeterRegistry.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(StripedExecutor.class)
                        .doesNotHaveBean("orderedExecutorMetrics"));
        withRegistry.run(context -> assertThat(context).hasSingleBean(OrderedExecutorMetrics.class));
    }

    @Test
    void theApplicationsBinderWins() {
        OrderedExecutorMetrics own = new OrderedExecutorMetrics(Map.of());
        withRegistry
                .withBean("own", OrderedExecutorMetrics.class, () -> own)
                .run(context -> assertThat(context.getBean(OrderedExecutorMetrics.class))
                        .isSameAs(own));
    }

    private static double gauge(MeterRegistry registry, String name) {
        return registry.get("ordered.executor." + name)
                .tag("name", "orders")
                .gauge()
                .value();
    }

    private static double count(MeterRegistry registry, String name) {
        return registry.get("ordered.executor." + name)
                .tag("name", "orders")
                .functionCounter()
                .count();
    }
}
