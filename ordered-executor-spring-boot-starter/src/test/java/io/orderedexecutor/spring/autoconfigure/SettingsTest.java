package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedExecutorBuilder;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.OrderedOutputExecutorBuilder;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.TaskListener;
import io.orderedexecutor.spring.fixtures.Steps;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import java.io.FileNotFoundException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** What bounds and failure policies do that come from properties. All executors run on steps that the test takes. */
class SettingsTest {
    private final Steps steps = new Steps();
    private final List<String> ran = new ArrayList<>();
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
            .withBean("steps", Steps.class, () -> steps)
            .withBean(OrderedExecutorThreads.class, () -> (builder, name) -> builder.executor(steps));

    @Test
    void capacitiesOfAllTasksAndOfEachKey() {
        contexts.withPropertyValues(
                        "ordered-executor.striped.orders.capacity=2",
                        "ordered-executor.striped.orders.key-capacity=1",
                        "ordered-executor.grouped.transfers.capacity=2",
                        "ordered-executor.grouped.transfers.keyCapacity=1")
                .run(context -> {
                    StripedExecutor striped = context.getBean("orders", StripedExecutor.class);
                    striped.execute("a", () -> ran.add("a"));
                    assertThatThrownBy(() -> striped.execute("a", () -> ran.add("a too many")))
                            .isInstanceOf(RejectedExecutionException.class);
                    striped.execute("b", () -> ran.add("b"));
                    assertThatThrownBy(() -> striped.execute("c", () -> ran.add("too many")))
                            .isInstanceOf(RejectedExecutionException.class);
                    GroupedExecutor grouped = context.getBean("transfers", GroupedExecutor.class);
                    grouped.execute(Groups.exclusive("a"), () -> ran.add("group a"));
                    assertThatThrownBy(() -> grouped.execute(Groups.shared("a", "b"), () -> ran.add("too many")))
                            .isInstanceOf(RejectedExecutionException.class);
                    grouped.execute(Groups.exclusive("b"), () -> ran.add("group b"));
                    assertThatThrownBy(() -> grouped.execute(Groups.exclusive("c"), () -> ran.add("too many")))
                            .isInstanceOf(RejectedExecutionException.class);
                    steps.runAll();
                    assertThat(ran).containsExactlyInAnyOrder("a", "b", "group a", "group b");
                });
    }

    @Test
    void theOldestIsDiscarded() {
        contexts.withPropertyValues("ordered-executor.overflow=discard-oldest", "ordered-executor.key-capacity=1")
                .run(context -> {
                    StripedExecutor striped = context.getBean(StripedExecutor.class);
                    CompletableFuture<Boolean> oldest = striped.submit("a", () -> ran.add("oldest"));
                    CompletableFuture<Boolean> latest = striped.submit("a", () -> ran.add("latest"));
                    GroupedExecutor grouped = context.getBean(GroupedExecutor.class);
                    CompletableFuture<Boolean> last =
                            grouped.submit(Groups.exclusive("a"), () -> ran.add("latest of the group"));
                    steps.runAll();
                    assertThat(ran).as("a stripe is a group").containsExactly("latest of the group");
                    assertThat(oldest).isCancelled();
                    assertThat(latest).isCancelled();
                    assertThat(last).isCompleted();
                });
    }

    @Test
    void callersWaitForRoomUntilTheirTimeIsOver() {
        contexts.withPropertyValues(
                        "ordered-executor.striped.orders.capacity=1",
                        "ordered-executor.striped.orders.overflow=BLOCK",
                        "ordered-executor.striped.orders.overflow-timeout=30s",
                        "ordered-executor.striped.impatient.capacity=1",
                        "ordered-executor.striped.impatient.overflow=block",
                        "ordered-executor.striped.impatient.overflow-timeout=1ns")
                .run(context -> {
                    StripedExecutor patient = context.getBean("orders", StripedExecutor.class);
                    patient.execute("a", () -> ran.add("first"));
                    CompletableFuture<Void> second =
                            CompletableFuture.runAsync(() -> patient.execute("a", () -> ran.add("second")));
                    assertThatThrownBy(() -> second.get(50, TimeUnit.MILLISECONDS))
                            .as("there is no room")
                            .isInstanceOf(java.util.concurrent.TimeoutException.class);
                    steps.runAll();
                    second.get(30, TimeUnit.SECONDS);
                    steps.runAll();
                    assertThat(ran).containsExactly("first", "second");
                    StripedExecutor impatient = context.getBean("impatient", StripedExecutor.class);
                    impatient.execute("a", () -> ran.add("third"));
                    assertThatThrownBy(() -> impatient.execute("a", () -> ran.add("fourth")))
                            .isInstanceOf(RejectedExecutionException.class);
                    steps.runAll();
                    assertThat(ran).containsExactly("first", "second", "third");
                });
    }

    @Test
    void failuresParkAStripe() {
        contexts.withPropertyValues(
                        "ordered-executor.failure-policy=park",
                        "ordered-executor.striped.going-on.failure-policy=proceed")
                .run(context -> {
                    StripedExecutor parking = context.getBean("stripedExecutor", StripedExecutor.class);
                    failAndRun(parking);
                    assertThat(ran).containsExactly("attempt");
                    assertThat(parking.inspect().parkedTasks()).hasSize(1);
                    parking.control().skip("a");
                    steps.runAll();
                    assertThat(ran).containsExactly("attempt", "next");
                    ran.clear();
                    failAndRun(context.getBean("going-on", StripedExecutor.class));
                    assertThat(ran).containsExactly("attempt", "next");
                });
    }

    @Test
    void tasksThatFailAreRunAgain() {
        contexts.withPropertyValues(
                        "ordered-executor.retry.max-retries=2",
                        "ordered-executor.retry.delay=0",
                        "ordered-executor.striped.parking.failure-policy=park",
                        "ordered-executor.striped.parking.retry.max-retries=1",
                        "ordered-executor.striped.parking.retry.delay=0",
                        "ordered-executor.striped.once.retry.max-retries=0")
                .run(context -> {
                    failAndRun(context.getBean("stripedExecutor", StripedExecutor.class));
                    assertThat(ran).containsExactly("attempt", "attempt", "attempt", "next");
                    ran.clear();
                    failAndRun(context.getBean("once", StripedExecutor.class));
                    assertThat(ran).containsExactly("attempt", "next");
                    ran.clear();
                    StripedExecutor parking = context.getBean("parking", StripedExecutor.class);
                    failAndRun(parking);
                    assertThat(ran).containsExactly("attempt", "attempt");
                    assertThat(parking.inspect().parkedTasks()).hasSize(1);
                    parking.control().skip("a");
                    steps.runAll();
                    assertThat(ran).containsExactly("attempt", "attempt", "next");
                    ran.clear();
                    GroupedExecutor grouped = context.getBean(GroupedExecutor.class);
                    grouped.submit(Groups.exclusive("a"), this::fail);
                    steps.runAll();
                    assertThat(ran).containsExactly("attempt", "attempt", "attempt");
                });
    }

    @Test
    void whatIsExcludedIsNeitherRunAgainNorParked() {
        contexts.withPropertyValues(
                        "ordered-executor.failure-policy=park",
                        "ordered-executor.retry.max-retries=2",
                        "ordered-executor.retry.delay=0",
                        "ordered-executor.retry.excludes=java.lang.IllegalStateException",
                        "ordered-executor.striped.never-retried.failure-policy=park",
                        "ordered-executor.striped.never-retried.retry.excludes[0]=java.lang.RuntimeException",
                        "ordered-executor.striped.others.failure-policy=park",
                        "ordered-executor.striped.others.retry.excludes=java.io.IOException")
                .run(context -> {
                    for (String name : List.of("stripedExecutor", "never-retried")) {
                        StripedExecutor executor = context.getBean(name, StripedExecutor.class);
                        failAndRun(executor);
                        assertThat(ran).as(name).containsExactly("attempt", "next");
                        assertThat(executor.inspect().parkedTasks()).isEmpty();
                        ran.clear();
                    }
                    StripedExecutor others = context.getBean("others", StripedExecutor.class);
                    failAndRun(others);
                    assertThat(ran).containsExactly("attempt");
                    assertThat(others.inspect().parkedTasks()).hasSize(1);
                    others.control().skip("a");
                    steps.runAll();
                    assertThat(ran).containsExactly("attempt", "next");
                });
    }

    @Test
    void whatIsExcludedIsFoundAmongTheCauses() {
        contexts.withPropertyValues(
                        "ordered-executor.failure-policy=park",
                        "ordered-executor.retry.max-retries=2",
                        "ordered-executor.retry.delay=0",
                        "ordered-executor.retry.excludes=java.io.IOException")
                .run(context -> {
                    StripedExecutor executor = context.getBean(StripedExecutor.class);
                    executor.execute("a", () -> {
                        ran.add("attempt");
                        throw new IllegalStateException(
                                new UncheckedIOException(new FileNotFoundException("expected")));
                    });
                    executor.execute("a", () -> ran.add("next"));
                    steps.runAll();
                    assertThat(ran).containsExactly("attempt", "next");
                    assertThat(executor.inspect().parkedTasks()).isEmpty();
                });
    }

    @Test
    void onlyWhatIsIncludedIsRunAgainOrParked() {
        contexts.withPropertyValues(
                        "ordered-executor.failure-policy=park",
                        "ordered-executor.retry.max-retries=2",
                        "ordered-executor.retry.delay=0",
                        "ordered-executor.retry.includes=java.lang.IllegalStateException,java.io.IOException",
                        "ordered-executor.striped.others.failure-policy=park",
                        "ordered-executor.striped.others.retry.max-retries=2",
                        "ordered-executor.striped.others.retry.includes[0]=java.io.IOException",
                        "ordered-executor.striped.never-retried.failure-policy=park",
                        "ordered-executor.striped.never-retried.retry.includes=java.io.IOException")
                .run(context -> {
                    StripedExecutor executor = context.getBean("stripedExecutor", StripedExecutor.class);
                    failAndRun(executor);
                    assertThat(ran).containsExactly("attempt", "attempt", "attempt");
                    assertThat(executor.inspect().parkedTasks()).hasSize(1);
                    executor.control().skip("a");
                    steps.runAll();
                    assertThat(ran).containsExactly("attempt", "attempt", "attempt", "next");
                    for (String name : List.of("others", "never-retried")) {
                        ran.clear();
                        StripedExecutor other = context.getBean(name, StripedExecutor.class);
                        failAndRun(other);
                        assertThat(ran).as(name).containsExactly("attempt", "next");
                        assertThat(other.inspect().parkedTasks()).isEmpty();
                    }
                });
    }

    @Test
    void delaysGrowUpToTheLongest() {
        contexts.withPropertyValues(
                        "ordered-executor.striped.orders.retry.max-retries=21",
                        "ordered-executor.striped.orders.retry.delay=1ms",
                        "ordered-executor.striped.orders.retry.multiplier=2",
                        "ordered-executor.striped.orders.retry.max-delay=1m",
                        "ordered-executor.striped.orders.retry.jitter=500us",
                        "ordered-executor.striped.spring.retry.max-retries=1")
                .run(context -> {
                    assertThat(policyOf(context, "orders"))
                            .hasToString(FailurePolicy.retry()
                                    .maxRetries(21)
                                    .delay(Duration.ofMillis(1))
                                    .multiplier(2)
                                    .maxDelay(Duration.ofMinutes(1))
                                    .jitter(Duration.ofNanos(500_000))
                                    .thenProceed()
                                    .toString());
                    assertThat(policyOf(context, "spring"))
                            .as("the defaults are those of Spring")
                            .hasToString(FailurePolicy.retry()
                                    .maxRetries(1)
                                    .thenProceed()
                                    .toString());
                });
    }

    private static FailurePolicy policyOf(ApplicationContext context, String name) {
        return context.getBean(name, StripedExecutor.class).inspect().settings().failurePolicy();
    }

    @Test
    void listenersOfTheApplicationHearTheTasksOfAllExecutors() {
        List<Object> heard = new ArrayList<>();
        contexts.withBean(TaskListener.class, () -> new TaskListener() {
                    @Override
                    public void finished(Object key, Object task, long nanosRun) {
                        heard.add(key);
                    }
                })
                .withPropertyValues("ordered-executor.striped.orders.capacity=9")
                .run(context -> {
                    context.getBean("stripedExecutor", StripedExecutor.class).execute("a", () -> ran.add("a"));
                    context.getBean("orders", StripedExecutor.class).execute("b", () -> ran.add("b"));
                    steps.runAll();
                    assertThat(ran).containsExactlyInAnyOrder("a", "b");
                    assertThat(heard).hasSize(2);
                });
    }

    @Test
    void buildersOfFurtherExecutorsHaveTheSettingsOfTheDefaultOne() {
        contexts.withPropertyValues("ordered-executor.key-capacity=7", "ordered-executor.failure-policy=park")
                .withBean(
                        GroupedExecutorCustomizer.class,
                        () -> (name, builder) -> builder.capacity(name.equals("groupedExecutorBuilder") ? 11 : 12))
                .run(context -> {
                    assertThat(context.getBean(GroupedExecutorBuilder.class))
                            .isNotSameAs(context.getBean(GroupedExecutorBuilder.class));
                    try (GroupedExecutor further = context.getBean(GroupedExecutorBuilder.class)
                                    .name("further")
                                    .build();
                            StripedExecutor striped = context.getBean(StripedExecutorBuilder.class)
                                    .name("striped")
                                    .build()) {
                        OrderedExecutorSettings settings = further.inspect().settings();
                        assertThat(settings.keyCapacity()).isEqualTo(7);
                        assertThat(settings.capacity()).isEqualTo(11);
                        assertThat(settings.failurePolicy()).isEqualTo(FailurePolicy.park());
                        assertThat(striped.inspect().settings().keyCapacity()).isEqualTo(7);
                        striped.execute("a", () -> ran.add("a"));
                        steps.runAll();
                        assertThat(ran).containsExactly("a");
                    }
                });
    }

    @Test
    void aBuilderOfFurtherExecutorsForOutputsHasTheSettingsOfTheFirst() {
        contexts.withPropertyValues(
                        "ordered-executor.ordered-output.orderedOutputExecutor.window=7",
                        "ordered-executor.ordered-output.orderedOutputExecutor.overflow=reject")
                .run(context -> {
                    try (OrderedOutputExecutor further = context.getBean(OrderedOutputExecutorBuilder.class)
                            .name("further")
                            .concurrency(3)
                            .build()) {
                        assertThat(further).isNotSameAs(context.getBean(OrderedOutputExecutor.class));
                        assertThat(further.name()).isEqualTo("further");
                        OrderedOutput<String> output = further.open(ran::add);
                        for (int i = 0; i < 7; i++) {
                            output.submit(() -> "piece");
                        }
                        assertThatThrownBy(() -> output.submit(() -> "too many"))
                                .isInstanceOf(RejectedExecutionException.class);
                        steps.runAll();
                        assertThat(ran).hasSize(7).containsOnly("piece");
                    }
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Further {
        @Bean(defaultCandidate = false)
        StripedExecutor imports(StripedExecutorBuilder builder) {
            return builder.name("imports").build();
        }
    }

    @Test
    void aFurtherExecutorThatIsNoDefaultCandidateReplacesNone() {
        contexts.withUserConfiguration(Further.class).run(context -> {
            assertThat(context).hasBean("imports").hasBean("stripedExecutor").hasBean("groupedExecutor");
            assertThat(context.getBean(StripedExecutor.class)).isSameAs(context.getBean("stripedExecutor"));
            assertThat(context.getBean("stripedExecutor", StripedExecutor.class))
                    .isSameAs(context.getBean(GroupedExecutor.class).stripes());
        });
    }

    /** An environment variable has neither dashes nor capitals, and would be one more executor, of its name. */
    @Test
    void anEnvironmentVariableIsOfTheExecutorThatItMeans() {
        Map<String, Object> variables = Map.of(
                "ORDEREDEXECUTOR_STRIPED_ORDEREVENTS_CAPACITY", "7",
                "ORDEREDEXECUTOR_STRIPED_WEBSOCKETS_CAPACITY", "8",
                "ORDEREDEXECUTOR_GROUPED_ONLYHERE_CAPACITY", "9");
        contexts.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", variables)))
                .withPropertyValues(
                        "ordered-executor.striped.order-events.capacity=1",
                        "ordered-executor.striped.webSockets.threads=1",
                        "ordered-executor.striped.plain.capacity=2")
                .run(context -> {
                    assertThat(context.getBeanNamesForType(StripedExecutor.class))
                            .containsExactlyInAnyOrder(
                                    "stripedExecutor", "order-events", "webSockets", "plain", "onlyhereStripes");
                    assertThat(context.getBeanNamesForType(GroupedExecutor.class))
                            .containsExactlyInAnyOrder("groupedExecutor", "onlyhere");
                    assertThat(capacity(context, "order-events")).isEqualTo(7);
                    assertThat(capacity(context, "webSockets")).isEqualTo(8);
                    assertThat(capacity(context, "plain")).isEqualTo(2);
                    assertThat(capacity(context, "onlyhere")).isEqualTo(9);
                });
    }

    private static @Nullable Integer capacity(ApplicationContext context, String name) {
        return context.getBean(name, OrderedExecutor.class).inspect().settings().capacity();
    }

    @Test
    void whatIsEmptyIsNotSet() {
        contexts.withPropertyValues(
                        "ordered-executor.striped.orders.overflow=",
                        "ordered-executor.striped.orders.capacity=${NO_SUCH_VARIABLE:}",
                        "ordered-executor.striped.orders.retry.delay=",
                        "ordered-executor.striped.orders.key-capacity=7")
                .run(context -> {
                    OrderedExecutorSettings settings = context.getBean("orders", StripedExecutor.class)
                            .inspect()
                            .settings();
                    assertThat(settings.capacity()).isNull();
                    assertThat(settings.keyCapacity()).isEqualTo(7);
                    assertThat(settings.overflow()).isEqualTo(Overflow.reject());
                });
    }

    @Test
    void namesAndValuesAreRelaxed() {
        contexts.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                "test-systemEnvironment",
                                Map.of(
                                        "ORDEREDEXECUTOR_STRIPED_ORDERS_KEYCAPACITY", "1",
                                        "ORDEREDEXECUTOR_STRIPED_ORDERS_OVERFLOW", "DISCARD_OLDEST",
                                        "ORDEREDEXECUTOR_STRIPED_ORDERS_RETRY_MAXRETRIES", "1"))))
                .withPropertyValues(
                        "ordered-executor.striped.orders.failure_policy=Park",
                        "ordered-executor.striped.orders.retry.delay=0")
                .run(context -> {
                    StripedExecutor orders = context.getBean("orders", StripedExecutor.class);
                    CompletableFuture<Boolean> oldest = orders.submit("a", () -> ran.add("oldest"));
                    orders.submit("a", this::fail);
                    steps.runAll();
                    assertThat(oldest).isCancelled();
                    assertThat(ran).containsExactly("attempt", "attempt");
                    assertThat(orders.inspect().parkedTasks()).hasSize(1);
                    orders.control().skip("a");
                });
    }

    private void failAndRun(StripedExecutor executor) {
        executor.submit("a", this::fail);
        executor.submit("a", () -> ran.add("next"));
        steps.runAll();
    }

    private Object fail() {
        ran.add("attempt");
        throw new IllegalStateException("expected");
    }
}
