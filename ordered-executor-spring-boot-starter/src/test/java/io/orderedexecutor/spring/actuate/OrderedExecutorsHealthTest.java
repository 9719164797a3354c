package io.orderedexecutor.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.TaskListener;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorsHealthContributorAutoConfiguration;
import io.orderedexecutor.spring.fixtures.BusyExecutors;
import io.orderedexecutor.spring.fixtures.HttpEndpoint;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.json.BasicJsonTester;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

/** When an executor is healthy, and when it has a contributor. */
@ExtendWith(OutputCaptureExtension.class)
class OrderedExecutorsHealthTest {
    private static final BasicJsonTester JSON = new BasicJsonTester(OrderedExecutorsHealthTest.class);
    private static final HealthThresholds DEFAULTS = new HealthThresholds(1, 1, null, null);
    private static final String CONTRIBUTOR = "orderedexecutorsHealthContributor";

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class,
                    OrderedExecutorsHealthContributorAutoConfiguration.class,
                    HealthContributorAutoConfiguration.class));

    @Test
    void anIdleExecutorIsUp() {
        try (StripedExecutor executor = StripedExecutor.builder().build()) {
            Health health = health(executor, DEFAULTS);
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .containsExactlyInAnyOrderEntriesOf(Map.of("state", "running", "queued", 0L, "parked", 0));
        }
    }

    @Test
    void aPausedExecutorIsUpAndSaysSo() {
        try (StripedExecutor executor = StripedExecutor.builder().build()) {
            executor.pause();
            assertThat(health(executor, DEFAULTS).getStatus()).isEqualTo(Status.UP);
            assertThat(health(executor, DEFAULTS).getDetails()).containsEntry("state", "paused");
        }
    }

    @Test
    void anExecutorWithParkedStripesIsDownUntilTheyAreSkipped() throws Exception {
        try (StripedExecutor executor = StripedExecutor.builder()
                .threads(1)
                .failurePolicy(FailurePolicy.park())
                .build()) {
            CompletableFuture<?> failing = executor.submit("a", () -> {
                throw new IllegalStateException("expected");
            });
            await().untilAsserted(() -> assertThat(executor.parkedStripes()).hasSize(1));
            Health health = health(executor, DEFAULTS);
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails())
                    .containsEntry("parked", 1)
                    .hasEntrySatisfying(
                            "reason",
                            reason -> assertThat(reason.toString())
                                    .startsWith("1 parked, to be resumed or skipped (task ******"));
            assertThat(health(executor, new HealthThresholds(2, 1, null, null)).getStatus())
                    .isEqualTo(Status.UP);
            assertThat(health(executor, new HealthThresholds(0, 1, null, null)).getStatus())
                    .isEqualTo(Status.UP);
            assertThat(executor.skip("a")).isTrue();
            assertThat(failing).isCompletedExceptionally();
            assertThat(health(executor, DEFAULTS).getStatus()).isEqualTo(Status.UP);
        }
    }

    @Test
    void anExecutorWithParkedGroupsIsDown() {
        try (GroupedExecutor executor = GroupedExecutor.builder()
                .threads(1)
                .failurePolicy(FailurePolicy.park())
                .build()) {
            CompletableFuture<?> failing = executor.submit(Groups.exclusive("a"), () -> {
                throw new IllegalStateException("expected");
            });
            await().untilAsserted(() -> assertThat(executor.parkedTasks()).hasSize(1));
            assertThat(health(executor, DEFAULTS).getStatus()).isEqualTo(Status.DOWN);
            assertThat(executor.skip("a")).isTrue();
            assertThat(failing).isCompletedExceptionally();
        }
    }

    @Test
    void aFullExecutorIsOutOfServiceUntilThereIsRoom() throws Exception {
        try (StripedExecutor executor =
                StripedExecutor.builder().threads(1).capacity(4).build()) {
            executor.pause();
            for (int i = 0; i < 3; i++) {
                executor.submit("a", () -> null);
            }
            assertThat(health(executor, DEFAULTS).getStatus()).isEqualTo(Status.UP);
            assertThat(health(executor, new HealthThresholds(1, 0.75, null, null))
                            .getStatus())
                    .isEqualTo(Status.OUT_OF_SERVICE);
            CompletableFuture<?> last = executor.submit("a", () -> null);
            Health health = health(executor, DEFAULTS);
            assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(health.getDetails())
                    .containsEntry("queued", 4L)
                    .containsEntry("capacity", 4)
                    .containsEntry("reason", "4 of at most 4 tasks are queued");
            assertThat(health(executor, new HealthThresholds(1, 0, null, null)).getStatus())
                    .isEqualTo(Status.UP);
            executor.resume();
            last.get(30, TimeUnit.SECONDS);
            assertThat(executor.drain(Duration.ofSeconds(30))).isTrue();
            assertThat(executor.stats().completed()).isEqualTo(4);
            assertThat(health(executor, DEFAULTS).getStatus()).isEqualTo(Status.UP);
        }
    }

    @Test
    void anExecutorWithATaskThatRunsForTooLongIsDown() {
        StripedExecutor executor =
                StripedExecutor.builder().listener(new TaskListener() {}).build();
        CompletableFuture<String> held = new CompletableFuture<>();
        CompletableFuture<String> task = executor.submitAsync("a", () -> held);
        HealthThresholds oneNano = new HealthThresholds(1, 1, Duration.ofNanos(1), null);
        await().untilAsserted(
                        () -> assertThat(health(executor, oneNano).getStatus()).isEqualTo(Status.DOWN));
        assertThat(health(executor, oneNano).getDetails())
                .containsKey("oldestTask")
                .hasEntrySatisfying(
                        "reason",
                        reason -> assertThat(reason.toString())
                                .startsWith("a task has been running for longer than PT0.000000001S (stripe ******"));
        assertThat(health(executor, new HealthThresholds(1, 1, Duration.ofDays(1), null))
                        .getStatus())
                .isEqualTo(Status.UP);
        assertThat(health(executor, DEFAULTS).getDetails()).doesNotContainKey("oldestTask");
        held.complete("");
        executor.close();
        assertThat(task).isCompleted();
        assertThat(health(executor, oneNano).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(health(executor, oneNano).getDetails())
                .containsEntry("state", "terminated")
                .containsEntry("reason", "it accepts no more tasks");
    }

    @Test
    void thresholdsThatMakeNoSenseAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new HealthThresholds(-1, 1, null, null))
                .withMessageContaining("parked is -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new HealthThresholds(1, 1.1, null, null))
                .withMessageContaining("capacity is 1.1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new HealthThresholds(1, Double.NaN, null, null))
                .withMessageContaining("capacity is NaN");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new HealthThresholds(1, 1, Duration.ZERO, null))
                .withMessageContaining("age is PT0S");
        Map.of("parked-threshold", "-1", "capacity-threshold", "2", "age-threshold", "0s")
                .forEach((name, value) -> {
                    String property = "management.health.orderedexecutors." + name;
                    contexts.withPropertyValues(property + "=" + value)
                            .run(context ->
                                    assertThat(context).getFailure().rootCause().hasMessageContaining(property));
                });
    }

    @Test
    void aStuckTaskIsLookedForByDefault() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new HealthThresholds(1, 1, null, Duration.ZERO))
                .withMessageContaining("blocked is PT0S");
        contexts.run(context -> assertThat(thresholds(context).blocked()).isEqualTo(Duration.ofMinutes(10)));
        contexts.withPropertyValues("management.health.orderedexecutors.blocked-threshold=1m")
                .run(context -> assertThat(thresholds(context).blocked()).isEqualTo(Duration.ofMinutes(1)));
        contexts.withPropertyValues("management.health.orderedexecutors.blocked-threshold=0")
                .run(context -> assertThat(thresholds(context).blocked()).isNull());
        contexts.withPropertyValues("management.health.orderedexecutors.blocked-threshold=-1s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("management.health.orderedexecutors.blocked-threshold"));
    }

    private static HealthThresholds thresholds(ApplicationContext context) {
        Object indicator =
                context.getBean(OrderedExecutorsHealthContributor.class).getContributor("stripedExecutor");
        return (HealthThresholds) org.springframework.test.util.ReflectionTestUtils.getField(indicator, "thresholds");
    }

    @Test
    void propertiesSetTheThresholds() {
        contexts.withPropertyValues(
                        "management.health.orderedexecutors.capacity-threshold=0.5",
                        "management.health.orderedexecutors.parked-threshold=3")
                .withBean("full", StripedExecutor.class, () -> {
                    StripedExecutor executor =
                            StripedExecutor.builder().capacity(2).build();
                    executor.pause("a");
                    executor.execute("a", () -> {});
                    return executor;
                })
                .run(context -> {
                    HealthIndicator full = (HealthIndicator) context.getBean(OrderedExecutorsHealthContributor.class)
                            .getContributor("full");
                    assertThat(full).isNotNull();
                    assertThat(full.health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
                    context.getBean("full", StripedExecutor.class).shutdownNow();
                });
    }

    @Test
    void anAgeToLookAtMakesExecutorsTimeTheirTasks() {
        contexts.run(context -> assertThat(
                        context.getBean(StripedExecutor.class).settings().listening())
                .isFalse());
        contexts.withPropertyValues("management.health.orderedexecutors.age-threshold=1m")
                .run(context -> {
                    assertThat(context.getBean(StripedExecutor.class).settings().listening())
                            .isTrue();
                    assertThat(context.getBean(GroupedExecutor.class).settings().listening())
                            .isTrue();
                });
    }

    @Test
    void anExecutorOfTheApplicationThatDoesNotTimeItsTasksIsNamedIfAgesAreLookedAt(CapturedOutput output) {
        ApplicationContextRunner withOwn = contexts.withBean(
                        "mine",
                        StripedExecutor.class,
                        () -> StripedExecutor.builder().threads(1).build())
                .withBean(
                        "timed",
                        StripedExecutor.class,
                        () -> StripedExecutor.builder()
                                .threads(1)
                                .listener(new TaskListener() {})
                                .build());
        withOwn.run(context -> assertThat(details(context, "mine")).doesNotContainKey("oldestTask"));
        assertThat(output).doesNotContain("age-threshold");
        withOwn.withPropertyValues("management.health.orderedexecutors.age-threshold=1m")
                .run(context -> {
                    assertThat(details(context, "mine"))
                            .containsEntry("oldestTask", "unknown, as the executor has no listener");
                    assertThat(details(context, "timed")).doesNotContainKey("oldestTask");
                });
        assertThat(output)
                .containsOnlyOnce("age-threshold is PT1M")
                .contains("The health of executor 'mine' does not look at how long its tasks run");
    }

    private static Map<String, Object> details(ApplicationContext context, String executor) {
        HealthIndicator indicator = (HealthIndicator)
                context.getBean(OrderedExecutorsHealthContributor.class).getContributor(executor);
        assertThat(indicator).isNotNull();
        return indicator.health().getDetails();
    }

    @Test
    void whenItIsThere() {
        contexts.run(context -> {
            assertThat(context).hasSingleBean(OrderedExecutorsHealthContributor.class);
            assertThat(context.getBean(OrderedExecutorsHealthContributor.class).stream())
                    .extracting(entry -> entry.name())
                    .containsExactly("groupedExecutor", "orderedOutputExecutor", "stripedExecutor");
            assertThat(context.getBean(OrderedExecutorsHealthContributor.class).getContributor("unknown"))
                    .isNull();
        });
        contexts.withPropertyValues("management.health.orderedexecutors.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(CONTRIBUTOR));
        contexts.withPropertyValues("management.health.defaults.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(CONTRIBUTOR));
        contexts.withPropertyValues(
                        "management.health.defaults.enabled=false", "management.health.orderedexecutors.enabled=true")
                .run(context -> assertThat(context).hasBean(CONTRIBUTOR));
        contexts.withPropertyValues("ordered-executor.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(CONTRIBUTOR));
        contexts.withBean(
                        "orderedexecutorsHealthIndicator",
                        HealthIndicator.class,
                        () -> () -> Health.up().build())
                .run(context -> assertThat(context).doesNotHaveBean(CONTRIBUTOR));
        contexts.withClassLoader(new FilteredClassLoader(HealthContributor.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(StripedExecutor.class)
                        .doesNotHaveBean(CONTRIBUTOR));
    }

    @Test
    void overHttp() throws Exception {
        try (HttpEndpoint actuator = HttpEndpoint.start(
                BusyExecutors.class,
                "--management.endpoint.health.show-details=always",
                "--management.endpoint.health.probes.enabled=true",
                "--management.endpoint.health.group.executors.include=orderedexecutors")) {
            HttpResponse<String> response = actuator.get("health/executors");
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.body()).contains("IllegalStateException)").doesNotContain("alice");
            String withoutReasons = response.body().replaceAll(" \\(task [^\"]*\\)", "");
            assertThat(JSON.from(withoutReasons)).isStrictlyEqualToJson("""
                    {"status": "DOWN", "components": {"orderedexecutors": {"status": "DOWN", "components": {
                      "films": {"status": "UP", "details": {"state": "running", "queued": 0, "parked": 0}},
                      "orders": {"status": "UP", "details":
                        {"state": "running", "queued": 3, "capacity": 1000, "parked": 0}},
                      "parked": {"status": "DOWN", "details":
                        {"state": "running", "queued": 2, "parked": 1, "reason": "1 parked, to be resumed or skipped"}},
                      "parkedGroups": {"status": "DOWN", "details":
                        {"state": "running", "queued": 1, "parked": 1, "reason": "1 parked, to be resumed or skipped"}},
                      "transfers": {"status": "UP", "details": {"state": "running", "queued": 2, "parked": 0}}
                    }}}}""");
            // what decides whether a platform restarts the application, or sends it requests, is not touched
            assertThat(actuator.get("health/liveness").statusCode()).isEqualTo(200);
            assertThat(actuator.get("health/readiness").statusCode()).isEqualTo(200);
        }
    }

    private static Health health(OrderedExecutor executor, HealthThresholds thresholds) {
        HealthIndicator indicator = (HealthIndicator)
                new OrderedExecutorsHealthContributor(Map.of("orders", executor), thresholds).getContributor("orders");
        assertThat(indicator).isNotNull();
        return indicator.health();
    }
}
