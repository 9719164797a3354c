package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.fixtures.Steps;
import io.orderedexecutor.stats.OrderedExecutorSettings;
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
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** What bounds and failure policies do that come from properties. All executors run on steps that the test takes. */
class SettingsTest {
    private final Steps steps = new Steps();
    private final List<String> ran = new ArrayList<>();
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
            .withBean("steps", Steps.class, () -> steps)
            .withPropertyValues("ordered-executor.defaults.executor=steps");

    @Test
    void capacitiesOfAllTasksAndOfEachKey() {
        contexts.withPropertyValues(
                        "ordered-executor.striped.orders.capacity=2",
                        "ordered-executor.striped.orders.stripe-capacity=1",
                        "ordered-executor.grouped.transfers.capacity=2",
                        "ordered-executor.grouped.transfers.groupCapacity=1")
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
        contexts.withPropertyValues(
                        "ordered-executor.defaults.overflow=discard-oldest",
                        "ordered-executor.defaults.stripe-capacity=1",
                        "ordered-executor.defaults.group-capacity=1")
                .run(context -> {
                    StripedExecutor striped = context.getBean(StripedExecutor.class);
                    CompletableFuture<Boolean> oldest = striped.submit("a", () -> ran.add("oldest"));
                    CompletableFuture<Boolean> latest = striped.submit("a", () -> ran.add("latest"));
                    GroupedExecutor grouped = context.getBean(GroupedExecutor.class);
                    CompletableFuture<Boolean> first =
                            grouped.submit(Groups.exclusive("a"), () -> ran.add("oldest of the group"));
                    CompletableFuture<Boolean> last =
                            grouped.submit(Groups.exclusive("a"), () -> ran.add("latest of the group"));
                    steps.runAll();
                    assertThat(ran).containsExactlyInAnyOrder("latest", "latest of the group");
                    assertThat(oldest).isCancelled();
                    assertThat(first).isCancelled();
                    assertThat(latest).isCompleted();
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
                        "ordered-executor.defaults.failure-policy=park",
                        "ordered-executor.striped.going-on.failure-policy=proceed")
                .run(context -> {
                    StripedExecutor parking = context.getBean("stripedExecutor", StripedExecutor.class);
                    failAndRun(parking);
                    assertThat(ran).containsExactly("attempt");
                    assertThat(parking.parkedStripes()).hasSize(1);
                    parking.skip("a");
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
                        "ordered-executor.defaults.retry.attempts=3",
                        "ordered-executor.defaults.retry.backoff=0",
                        "ordered-executor.striped.parking.failure-policy=park",
                        "ordered-executor.striped.parking.retry.attempts=2",
                        "ordered-executor.striped.once.retry.attempts=1")
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
                    assertThat(parking.parkedStripes()).hasSize(1);
                    parking.skip("a");
                    steps.runAll();
                    assertThat(ran).containsExactly("attempt", "attempt", "next");
                    ran.clear();
                    GroupedExecutor grouped = context.getBean(GroupedExecutor.class);
                    grouped.submit(Groups.exclusive("a"), this::fail);
                    steps.runAll();
                    assertThat(ran).containsExactly("attempt", "attempt", "attempt");
                });
    }

    /** Doubled nineteen times, a millisecond is nine minutes. */
    @Test
    void attemptsArePausedButNotLongerThanTheCeiling() {
        contexts.withPropertyValues(
                        "ordered-executor.striped.orders.retry.attempts=21",
                        "ordered-executor.striped.orders.retry.backoff=1ms",
                        "ordered-executor.striped.orders.retry.ceiling=1ms",
                        "ordered-executor.striped.slow.retry.attempts=2",
                        "ordered-executor.striped.slow.retry.backoff=30m",
                        "ordered-executor.striped.slow.retry.ceiling=30m",
                        "ordered-executor.striped.slow.executor=steps",
                        "ordered-executor.striped.orders.threads=1")
                .run(context -> {
                    CompletableFuture<Object> soon =
                            context.getBean("orders", StripedExecutor.class).submit("a", this::fail);
                    assertThatThrownBy(() -> soon.get(30, TimeUnit.SECONDS)).hasMessageContaining("expected");
                    assertThat(ran).hasSize(21).containsOnly("attempt");
                    ran.clear();
                    StripedExecutor slow = context.getBean("slow", StripedExecutor.class);
                    CompletableFuture<Object> later = slow.submit("a", this::fail);
                    steps.runAll();
                    assertThat(ran).containsExactly("attempt");
                    assertThat(later).isNotDone();
                    later.cancel(false);
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
                            .containsExactlyInAnyOrder("stripedExecutor", "order-events", "webSockets", "plain");
                    assertThat(context.getBeanNamesForType(GroupedExecutor.class))
                            .containsExactlyInAnyOrder("groupedExecutor", "onlyhere");
                    assertThat(capacity(context, "order-events")).isEqualTo(7);
                    assertThat(capacity(context, "webSockets")).isEqualTo(8);
                    assertThat(capacity(context, "plain")).isEqualTo(2);
                    assertThat(capacity(context, "onlyhere")).isEqualTo(9);
                });
    }

    private static @Nullable Integer capacity(ApplicationContext context, String name) {
        return context.getBean(name, OrderedExecutor.class).settings().capacity();
    }

    @Test
    void whatIsEmptyIsNotSet() {
        contexts.withPropertyValues(
                        "ordered-executor.defaults.overflow=",
                        "ordered-executor.defaults.capacity=9",
                        "ordered-executor.striped.orders.capacity=${NO_SUCH_VARIABLE:}",
                        "ordered-executor.striped.orders.turn.time=",
                        "ordered-executor.striped.orders.stripe-capacity=7")
                .run(context -> {
                    OrderedExecutorSettings settings =
                            context.getBean("orders", StripedExecutor.class).settings();
                    assertThat(settings.capacity()).isEqualTo(9);
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
                                        "ORDEREDEXECUTOR_STRIPED_ORDERS_STRIPECAPACITY", "1",
                                        "ORDEREDEXECUTOR_STRIPED_ORDERS_OVERFLOW", "DISCARD_OLDEST",
                                        "ORDEREDEXECUTOR_DEFAULTS_RETRY_ATTEMPTS", "2"))))
                .withPropertyValues(
                        "ordered-executor.striped.orders.failure_policy=Park",
                        "ordered-executor.striped.orders.retry.backoff=0")
                .run(context -> {
                    StripedExecutor orders = context.getBean("orders", StripedExecutor.class);
                    CompletableFuture<Boolean> oldest = orders.submit("a", () -> ran.add("oldest"));
                    orders.submit("a", this::fail);
                    steps.runAll();
                    assertThat(oldest).isCancelled();
                    assertThat(ran).containsExactly("attempt", "attempt");
                    assertThat(orders.parkedStripes()).hasSize(1);
                    orders.skip("a");
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
