package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.TaskListener;
import io.orderedexecutor.spring.fixtures.Journal;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
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
                    assertThat(gauge(registry, "queued.deepest")).isEqualTo(2);
                    assertThat(gauge(registry, "utilization")).isEqualTo(1);
                    assertThat(gauge(registry, "keys")).isEqualTo(2);
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
                    assertThat(gauge(afterwards, "utilization")).isZero();
                    assertThat(gauge(afterwards, "queued")).isZero();
                    assertThat(gauge(afterwards, "queued.deepest")).isZero();
                    assertThat(gauge(afterwards, "keys")).isZero();
                    assertThat(count(afterwards, "completed")).isEqualTo(2);
                    assertThat(count(afterwards, "failed")).isEqualTo(1);
                    assertThat(count(afterwards, "cancelled")).isEqualTo(1);
                    assertThat(rejected(afterwards, "shutdown")).isEqualTo(1);
                    assertThat(rejected(afterwards, "capacity")).isZero();
                    assertThat(rejected(afterwards, "key-capacity")).isZero();
                    assertThat(rejected(afterwards, "no-thread")).isZero();
                });
    }

    @Test
    void metersOfGroupedExecutorsCountKeys() {
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
        assertThat(gauge(registry, "keys")).isEqualTo(3);
        assertThat(gauge(registry, "active")).isEqualTo(1);
        assertThat(gauge(registry, "queued")).isEqualTo(1);
        held.complete("");
        CompletableFuture.allOf(transfer, next).join();
        orders.close();
        SimpleMeterRegistry afterwards = new SimpleMeterRegistry();
        new OrderedExecutorMetrics(Map.of("orders", orders)).bindTo(afterwards);
        assertThat(gauge(afterwards, "keys")).isZero();
        assertThat(count(afterwards, "completed")).isEqualTo(2);
        assertThat(orders.isTerminated()).isTrue(); // and, until here, not collected: meters hold it weakly
    }

    @Test
    void allExecutorsHaveAllMetersWithoutTheKey() {
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
                                    "ordered.executor.queued.deepest",
                                    "ordered.executor.reserved",
                                    "ordered.executor.reserved.oldest",
                                    "ordered.executor.transactions.late",
                                    "ordered.executor.active",
                                    "ordered.executor.parked",
                                    "ordered.executor.paused",
                                    "ordered.executor.threads",
                                    "ordered.executor.utilization",
                                    "ordered.executor.keys",
                                    "ordered.executor.outputs",
                                    "ordered.executor.window.used",
                                    "ordered.executor.oldest",
                                    "ordered.executor.completed",
                                    "ordered.executor.failed",
                                    "ordered.executor.cancelled",
                                    "ordered.executor.rejected",
                                    "ordered.executor.replaced",
                                    "ordered.executor.interrupted",
                                    "ordered.executor.refused",
                                    "ordered.executor.batches",
                                    "ordered.executor.batched");
                    for (String ofOutputs : List.of("outputs", "window.used", "oldest")) {
                        assertThat(namesByMeter.remove("ordered.executor." + ofOutputs))
                                .containsExactly("orderedOutputExecutor");
                    }
                    for (String ofKeys : List.of(
                            "keys",
                            "queued.deepest",
                            "parked",
                            "reserved",
                            "reserved.oldest",
                            "transactions.late",
                            "replaced",
                            "interrupted",
                            "refused",
                            "batches",
                            "batched")) {
                        assertThat(namesByMeter.remove("ordered.executor." + ofKeys))
                                .containsExactlyInAnyOrder("mine", "orders", "ordered-executor", "transfers");
                    }
                    assertThat(namesByMeter.values())
                            .allSatisfy(names -> assertThat(names)
                                    .containsExactlyInAnyOrder(
                                            "mine",
                                            "orders",
                                            "ordered-executor",
                                            "transfers",
                                            "orderedOutputExecutor"));
                });
    }

    @Test
    void metersOfOrderedOutputsTellOfTheirWindowsAndOldestPieces() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        OrderedOutputExecutor films = OrderedOutputExecutor.builder()
                .listener(new OrderedExecutorTaskMetrics(registry, "orders", "ordered-output"))
                .build();
        OrderedOutput<String> film =
                films.<String>outputTo(picture -> {}).window(4).open();
        CompletableFuture<String> held = new CompletableFuture<>();
        CompletableFuture<String> first = film.submitAsync(() -> held);
        CompletableFuture<String> second = film.submit(() -> "");
        new OrderedExecutorMetrics(Map.of("orders", films)).bindTo(registry);
        assertThat(gauge(registry, "outputs")).isEqualTo(1);
        assertThat(gauge(registry, "window.used")).isEqualTo(0.5);
        assertThat(registry.get("ordered.executor.oldest").timeGauge().value(TimeUnit.NANOSECONDS))
                .isPositive();
        held.complete("");
        CompletableFuture.allOf(first, second).join();
        films.close();
        assertThat(registry.get("ordered.executor.output.written").timer().count())
                .isEqualTo(2);
        assertThat(registry.get("ordered.executor.output.waited").timer().count())
                .isEqualTo(2);
        SimpleMeterRegistry afterwards = new SimpleMeterRegistry();
        new OrderedExecutorMetrics(Map.of("orders", films)).bindTo(afterwards);
        assertThat(gauge(afterwards, "outputs")).isZero();
        assertThat(gauge(afterwards, "window.used")).isZero();
        assertThat(count(afterwards, "completed")).isEqualTo(2);
        assertThat(films.isTerminated()).isTrue(); // and, until here, not collected: meters hold it weakly
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

    @Test
    void aLookThatHasTakenLongIsSharedFromItsEndForTenTimesAsLong() {
        // the first look takes from second 0 to 10, the other one from 110 to 111
        Iterator<Integer> seconds = List.of(0, 10, 11, 109, 110, 111).iterator();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        StripedExecutor orders = StripedExecutor.builder().build();
        new OrderedExecutorMetrics(Map.of("orders", orders), () -> TimeUnit.SECONDS.toNanos(seconds.next()))
                .bindTo(registry);
        assertThat(count(registry, "completed")).isZero();
        orders.submit("a", () -> null).join();
        orders.close();
        assertThat(count(registry, "completed")).as("in second 11").isZero();
        assertThat(count(registry, "completed")).as("in second 109").isZero();
        assertThat(count(registry, "completed")).as("in second 110").isEqualTo(1);
        assertThat(seconds.hasNext()).isFalse();
        assertThat(orders.isTerminated()).isTrue(); // and, until here, not collected: meters hold it weakly
    }

    @Test
    void oneLookSeesAllExecutorsAndAllOfTheirFigures() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        StripedExecutor orders = StripedExecutor.builder().build();
        StripedExecutor others = StripedExecutor.builder().build();
        new OrderedExecutorMetrics(Map.of("orders", orders, "others", others), () -> 0).bindTo(registry);
        // as Prometheus does, which reads a meter of all executors before it reads the next one
        assertThat(registry.get("ordered.executor.completed")
                        .tag("name", "others")
                        .functionCounter()
                        .count())
                .isZero();
        orders.submit("a", () -> null).join();
        orders.batchTo((stripe, items) -> {}).maxBatch(2).build().submit("a", 1).join();
        try (Reservation place = orders.reserve("a")) {
            assertThat(place.isOpen()).isTrue();
            assertThat(count(registry, "completed")).isZero();
            assertThat(count(registry, "batches")).isZero();
            assertThat(gauge(registry, "reserved")).isZero();
            assertThat(registry.get("ordered.executor.reserved.oldest")
                            .tag("name", "orders")
                            .timeGauge()
                            .value(TimeUnit.NANOSECONDS))
                    .isZero();
        }
        orders.close();
        others.close();
        assertThat(orders.inspect().stats().completed()).isEqualTo(2);
    }

    @Test
    void metersDoNotHoldAnExecutor() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        WeakReference<StripedExecutor> executor = closedExecutorWithMeters(registry);
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            System.gc();
            return executor.refersTo(null);
        });
        assertThat(registry.getMeters()).isNotEmpty();
    }

    private static WeakReference<StripedExecutor> closedExecutorWithMeters(MeterRegistry registry) {
        StripedExecutor orders = StripedExecutor.builder().build();
        new OrderedExecutorMetrics(Map.of("orders", orders)).bindTo(registry);
        assertThat(gauge(registry, "queued")).isZero();
        orders.close();
        return new WeakReference<>(orders);
    }

    @Test
    void parkedAndPaused() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        StripedExecutor orders = StripedExecutor.builder()
                .threads(3)
                .capacity(100)
                .failurePolicy(FailurePolicy.park())
                .build();
        CompletableFuture<?> failing = orders.submit("a", () -> {
            throw new IllegalStateException("expected");
        });
        await().untilAsserted(() -> assertThat(orders.inspect().parkedTasks()).hasSize(1));
        orders.control().pause();
        new OrderedExecutorMetrics(Map.of("orders", orders)).bindTo(registry);
        assertThat(gauge(registry, "parked")).isEqualTo(1);
        // as that of grouped executors: the unit is part of the name in Prometheus
        assertThat(registry.get("ordered.executor.parked").gauge().getId().getBaseUnit())
                .isEqualTo("tasks");
        assertThat(gauge(registry, "paused")).isEqualTo(1);
        assertThat(gauge(registry, "threads")).isEqualTo(3);
        assertThat(gauge(registry, "capacity")).isEqualTo(100);
        assertThat(registry.find("ordered.executor.oldest").meter()).isNull();
        orders.control().resume();
        orders.control().setThreads(4);
        orders.control().setCapacity(50);
        assertThat(orders.control().skip("a")).isTrue();
        SimpleMeterRegistry afterwards = new SimpleMeterRegistry();
        new OrderedExecutorMetrics(Map.of("orders", orders)).bindTo(afterwards);
        assertThat(gauge(afterwards, "parked")).isZero();
        assertThat(gauge(afterwards, "paused")).isZero();
        assertThat(gauge(afterwards, "threads")).isEqualTo(4);
        assertThat(gauge(afterwards, "capacity")).isEqualTo(50);
        assertThat(failing).isCompletedExceptionally();
        orders.close();
    }

    @Test
    void whatHasNoLimitHasNoMeterOfIt() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        GroupedExecutor orders =
                GroupedExecutor.builder().executor(Runnable::run).build();
        new OrderedExecutorMetrics(Map.of("orders", orders)).bindTo(registry);
        assertThat(registry.find("ordered.executor.threads").meter()).isNull();
        assertThat(registry.find("ordered.executor.utilization").meter()).isNull();
        assertThat(registry.find("ordered.executor.capacity").meter()).isNull();
        assertThat(registry.get("ordered.executor.parked").gauge().getId().getBaseUnit())
                .isEqualTo("tasks");
        orders.close();
    }

    @Test
    void theOldestTaskOfAnExecutorThatTimesItsTasks() throws InterruptedException {
        AtomicLong now = new AtomicLong();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        StripedExecutor orders =
                StripedExecutor.builder().listener(new TaskListener() {}).build();
        new OrderedExecutorMetrics(Map.of("orders", orders), now::get).bindTo(registry);
        assertThat(oldestSeconds(registry)).isZero();
        CompletableFuture<String> held = new CompletableFuture<>();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<String> task = orders.submitAsync("a", () -> {
            started.countDown();
            return held;
        });
        Journal.await(started);
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        double first = oldestSeconds(registry);
        assertThat(first).isPositive().isLessThan(100);
        assertThat(oldestQueuedSeconds(registry)).isZero();
        CompletableFuture<String> behind = orders.submit("a", () -> "");
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(oldestSeconds(registry)).isGreaterThan(first);
        assertThat(oldestQueuedSeconds(registry)).isPositive().isLessThan(100);
        held.complete("");
        // the thread that has started the task may not yet have seen its stage
        assertThat(orders.awaitIdle(Duration.ofSeconds(30))).isTrue();
        assertThat(task).isCompleted();
        assertThat(behind).isCompleted();
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(oldestSeconds(registry)).isZero();
        assertThat(oldestQueuedSeconds(registry)).isZero();
        orders.close();
    }

    private static double oldestQueuedSeconds(MeterRegistry registry) {
        return registry.get("ordered.executor.queued.oldest").timeGauge().value(TimeUnit.SECONDS);
    }

    private static double oldestSeconds(MeterRegistry registry) {
        return registry.get("ordered.executor.oldest").timeGauge().value(TimeUnit.SECONDS);
    }

    @Test
    void tasksAreTimedOnRequest() {
        withRegistry
                .withPropertyValues(
                        "ordered-executor.metrics.task-timers=true",
                        "ordered-executor.striped.orders.threads=1",
                        "ordered-executor.grouped.transfers.threads=1")
                .withBean(
                        StripedExecutorCustomizer.class,
                        () -> (name, builder) -> builder.capacity(2)
                                .overflow(Overflow.discardOldest())
                                .failurePolicy(FailurePolicy.retry()
                                        .maxRetries(1)
                                        .delay(Duration.ZERO)
                                        .multiplier(2)
                                        .thenProceed()))
                .run(context -> {
                    StripedExecutor orders = context.getBean("orders", StripedExecutor.class);
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    orders.control().pause();
                    CompletableFuture<?> dropped = orders.submit("a", () -> null);
                    CompletableFuture<?> completed = orders.submit("a", () -> null);
                    CompletableFuture<?> failing = orders.submit("a", () -> {
                        throw new IllegalStateException("expected");
                    });
                    orders.control().resume();
                    assertThat(dropped).isCancelled();
                    completed.join();
                    failing.handle((result, failure) -> failure).join();
                    orders.close();
                    // once for each attempt
                    assertThat(timer(registry, "orders", "task.queued").count()).isEqualTo(3);
                    assertThat(timer(registry, "orders", "task.run", "outcome", "completed")
                                    .count())
                            .isEqualTo(1);
                    assertThat(timer(registry, "orders", "task.run", "outcome", "failed")
                                    .count())
                            .isEqualTo(1);
                    assertThat(timer(registry, "orders", "task.queued").totalTime(TimeUnit.NANOSECONDS))
                            .isPositive();
                    assertThat(counter(registry, "orders", "dropped")).isEqualTo(1);
                    assertThat(counter(registry, "orders", "retried")).isEqualTo(1);
                    assertThat(timer(registry, "transfers", "task.queued")
                                    .getId()
                                    .getTag("type"))
                            .isEqualTo("grouped");
                    assertThat(registry.get("ordered.executor.oldest")
                                    .tag("name", "orders")
                                    .timeGauge()
                                    .getId()
                                    .getDescription())
                            .isNotBlank();
                });
    }

    @Test
    void theTimersCountATaskThatIsCompletedEarlyAsTheCountersDo() {
        withRegistry
                .withPropertyValues("ordered-executor.metrics.task-timers=true")
                .run(context -> {
                    StripedExecutor executor = context.getBean(StripedExecutor.class);
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    AtomicLong ran = new AtomicLong();
                    executor.control().pause();
                    CompletableFuture<Long> completed = executor.submit("a", ran::incrementAndGet);
                    CompletableFuture<Long> failed = executor.submit("a", ran::incrementAndGet);
                    CompletableFuture<Long> last = executor.submit("a", ran::incrementAndGet);
                    assertThat(completed.complete(0L)).isTrue();
                    assertThat(failed.completeExceptionally(new IllegalStateException("expected")))
                            .isTrue();
                    executor.control().resume();
                    assertThat(last.orTimeout(30, TimeUnit.SECONDS).join()).isEqualTo(1);
                    executor.close();
                    assertThat(ran).hasValue(1);
                    String name = "ordered-executor";
                    assertThat(timer(registry, name, "task.run", "outcome", "completed")
                                    .count())
                            .isEqualTo(2);
                    assertThat(timer(registry, name, "task.run", "outcome", "failed")
                                    .count())
                            .isEqualTo(1);
                    assertThat(executor.inspect().stats())
                            .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 1, 0, 0));
                });
    }

    @Test
    void theApplicationsOwnListenerHearsTasksBesideTheTimers() {
        HeardStarts own = new HeardStarts();
        withRegistry
                .withPropertyValues("ordered-executor.metrics.task-timers=true")
                .withBean(GroupedExecutorCustomizer.class, () -> (name, builder) -> builder.listener(own))
                .run(context -> {
                    StripedExecutor executor = context.getBean(StripedExecutor.class);
                    executor.submit("a", () -> null).join();
                    executor.close();
                    assertThat(own.starts).hasValue(1);
                    assertThat(timer(context.getBean(MeterRegistry.class), "ordered-executor", "task.queued")
                                    .count())
                            .isEqualTo(1);
                });
    }

    private static final class HeardStarts implements TaskListener {
        private final AtomicLong starts = new AtomicLong();

        @Override
        public void started(Object key, Object task, long nanosQueued) {
            starts.incrementAndGet();
        }
    }

    @Test
    void tasksAreNotTimedOtherwise() {
        for (String property : new String[] {"ordered-executor.metrics.task-timers=false", "unrelated=true"}) {
            withRegistry.withPropertyValues(property).run(context -> {
                assertThat(context.getBean(StripedExecutor.class)
                                .inspect()
                                .settings()
                                .listening())
                        .isFalse();
                assertThat(context.getBean(MeterRegistry.class)
                                .find("ordered.executor.task.queued")
                                .meter())
                        .isNull();
            });
        }
    }

    private static Timer timer(MeterRegistry registry, String executor, String name, String... tags) {
        return registry.get("ordered.executor." + name)
                .tag("name", executor)
                .tags(tags)
                .timer();
    }

    private static double counter(MeterRegistry registry, String executor, String name) {
        return registry.get("ordered.executor." + name)
                .tag("name", executor)
                .counter()
                .count();
    }

    private static void assertDescribed(Meter meter) {
        assertThat(meter.getId().getDescription()).isNotBlank();
        if (!Set.of(
                        "ordered.executor.paused",
                        "ordered.executor.window.used",
                        "ordered.executor.utilization",
                        "ordered.executor.oldest",
                        "ordered.executor.reserved.oldest")
                .contains(meter.getId().getName())) {
            assertThat(meter.getId().getBaseUnit()).isIn("tasks", "keys", "outputs", "threads", "batches");
        }
        assertThat(meter.getId().getTags())
                .extracting("key")
                .containsExactlyInAnyOrder(
                        meter.getId().getName().equals("ordered.executor.rejected")
                                ? new String[] {"name", "type", "reason"}
                                : new String[] {"name", "type"});
        String name = meter.getId().getTag("name");
        boolean grouped = Set.of("ordered-executor", "transfers").contains(name);
        String ofKeys = grouped ? "grouped" : "striped";
        assertThat(meter.getId().getTag("type"))
                .isEqualTo(name.equals("orderedOutputExecutor") ? "ordered-output" : ofKeys);
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

    private static double rejected(MeterRegistry registry, String reason) {
        return registry.get("ordered.executor.rejected")
                .tag("name", "orders")
                .tag("reason", reason)
                .functionCounter()
                .count();
    }

    private static double count(MeterRegistry registry, String name) {
        return registry.get("ordered.executor." + name)
                .tag("name", "orders")
                .functionCounter()
                .count();
    }
}
