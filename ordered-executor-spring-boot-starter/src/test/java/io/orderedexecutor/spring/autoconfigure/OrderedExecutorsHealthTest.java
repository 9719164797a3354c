package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.TaskListener;
import io.orderedexecutor.spring.fixtures.BusyExecutors;
import io.orderedexecutor.spring.fixtures.HttpEndpoint;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
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
    private static final String CONTRIBUTOR = "orderedexecutorsHealthContributor";

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class,
                    OrderedExecutorsHealthContributorAutoConfiguration.class,
                    HealthContributorAutoConfiguration.class));

    @Test
    void anIdleExecutorIsUp() {
        try (StripedExecutor executor = StripedExecutor.builder().build()) {
            Health health = health(executor, 0, null);
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .containsExactlyInAnyOrderEntriesOf(Map.of("state", "running", "queued", 0L, "parked", 0L));
        }
    }

    @Test
    void aPausedExecutorIsUpAndSaysSo() {
        try (StripedExecutor executor = StripedExecutor.builder().build()) {
            executor.control().pause();
            assertThat(health(executor, 0, null).getStatus()).isEqualTo(Status.UP);
            assertThat(health(executor, 0, null).getDetails()).containsEntry("state", "paused");
        }
    }

    @Test
    void anExecutorWithParkedTasksIsDownAtAThresholdOnlyUntilTheyAreSkipped() throws Exception {
        try (StripedExecutor executor = StripedExecutor.builder()
                .threads(1)
                .failurePolicy(FailurePolicy.park())
                .build()) {
            CompletableFuture<?> failing = executor.submit("a", () -> {
                throw new IllegalStateException("expected");
            });
            await().untilAsserted(
                            () -> assertThat(executor.inspect().parkedTasks()).hasSize(1));
            assertThat(health(executor, 0, null).getStatus()).isEqualTo(Status.UP);
            assertThat(health(executor, 0, null).getDetails())
                    .containsEntry("parked", 1L)
                    .doesNotContainKey("reason");
            Health health = health(executor, 1, null);
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails())
                    .containsEntry("parked", 1L)
                    .hasEntrySatisfying(
                            "reason",
                            reason -> assertThat(reason.toString())
                                    .startsWith("1 parked, to be resumed or skipped (task ******"));
            assertThat(health(executor, 2, null).getStatus()).isEqualTo(Status.UP);
            assertThat(executor.control().skip("a")).isTrue();
            assertThat(failing).isCompletedExceptionally();
            assertThat(health(executor, 1, null).getStatus()).isEqualTo(Status.UP);
        }
    }

    @Test
    void anExecutorWithParkedGroupsIsDownAtAThresholdOnly() {
        try (GroupedExecutor executor = GroupedExecutor.builder()
                .threads(1)
                .failurePolicy(FailurePolicy.park())
                .build()) {
            CompletableFuture<?> failing = executor.submit(Groups.exclusive("a"), () -> {
                throw new IllegalStateException("expected");
            });
            await().untilAsserted(
                            () -> assertThat(executor.inspect().parkedTasks()).hasSize(1));
            assertThat(health(executor, 1, null).getStatus()).isEqualTo(Status.DOWN);
            assertThat(health(executor, 0, null).getStatus()).isEqualTo(Status.UP);
            assertThat(executor.control().skip("a")).isTrue();
            assertThat(failing).isCompletedExceptionally();
        }
    }

    @Test
    void aFullExecutorIsUp() {
        try (StripedExecutor executor =
                StripedExecutor.builder().threads(1).capacity(1).build()) {
            executor.control().pause();
            executor.execute("a", () -> {});
            Health health = health(executor, 0, null);
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsEntry("queued", 1L).containsEntry("capacity", 1);
            executor.control().resume();
        }
    }

    @Test
    void anExecutorWithATaskThatRunsForTooLongIsDown() {
        StripedExecutor executor =
                StripedExecutor.builder().listener(new TaskListener() {}).build();
        CompletableFuture<String> held = new CompletableFuture<>();
        CompletableFuture<String> task = executor.submitAsync("a", () -> held);
        Duration oneNano = Duration.ofNanos(1);
        await().untilAsserted(() ->
                assertThat(health(executor, 1, oneNano).getStatus()).isEqualTo(Status.DOWN));
        assertThat(health(executor, 1, oneNano).getDetails())
                .containsKey("oldestTask")
                .hasEntrySatisfying(
                        "reason",
                        reason -> assertThat(reason.toString())
                                .startsWith("a task has been running for longer than PT0.000000001S (key ******"));
        assertThat(health(executor, 1, Duration.ofDays(1)).getStatus()).isEqualTo(Status.UP);
        assertThat(health(executor, 0, null).getDetails()).doesNotContainKey("oldestTask");
        held.complete("");
        executor.close();
        assertThat(task).isCompleted();
        assertThat(health(executor, 1, oneNano).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(health(executor, 1, oneNano).getDetails())
                .containsEntry("state", "terminated")
                .containsEntry("reason", "it accepts no more tasks");
    }

    @Test
    void thresholdsThatMakeNoSenseAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OrderedExecutorsHealthContributor(Map.of(), -1, null))
                .withMessageContaining("parkedThreshold is -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OrderedExecutorsHealthContributor(Map.of(), 1, Duration.ZERO))
                .withMessageContaining("ageThreshold is PT0S");
        Map.of("parked-threshold", "-1", "age-threshold", "0s").forEach((name, value) -> {
            String property = "management.health.orderedexecutors." + name;
            contexts.withPropertyValues(property + "=" + value)
                    .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining(property));
        });
    }

    @Test
    void propertiesSetTheThresholds() {
        contexts.withPropertyValues(
                        "management.health.orderedexecutors.parked-threshold=1", "ordered-executor.failure-policy=park")
                .run(context -> {
                    StripedExecutor executor = context.getBean("stripedExecutor", StripedExecutor.class);
                    executor.execute("a", () -> {
                        throw new IllegalStateException("expected");
                    });
                    HealthIndicator health = (HealthIndicator) context.getBean(OrderedExecutorsHealthContributor.class)
                            .getContributor("ordered-executor");
                    assertThat(health).isNotNull();
                    await().until(() -> health.health().getStatus().equals(Status.DOWN));
                    executor.control().skip("a");
                });
    }

    @Test
    void anAgeToLookAtMakesExecutorsTimeTheirTasks() {
        contexts.run(context -> assertThat(context.getBean(StripedExecutor.class)
                        .inspect()
                        .settings()
                        .listening())
                .isFalse());
        contexts.withPropertyValues("management.health.orderedexecutors.age-threshold=1m")
                .run(context -> {
                    assertThat(context.getBean(StripedExecutor.class)
                                    .inspect()
                                    .settings()
                                    .listening())
                            .isTrue();
                    assertThat(context.getBean(GroupedExecutor.class)
                                    .inspect()
                                    .settings()
                                    .listening())
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
                    .containsExactly("ordered-executor", "orderedOutputExecutor");
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
    void overHttpAParkedKeyIsADetailAndTurnsNothingDown() throws Exception {
        try (HttpEndpoint actuator =
                HttpEndpoint.start(BusyExecutors.class, "--management.endpoint.health.show-details=always")) {
            HttpResponse<String> response = actuator.get("health");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(JSON.from(response.body()))
                    .extractingJsonPathNumberValue("components.orderedexecutors.components.parked.details.parked")
                    .isEqualTo(1);
        }
    }

    @Test
    void overHttp() throws Exception {
        try (HttpEndpoint actuator = HttpEndpoint.start(
                BusyExecutors.class,
                "--management.endpoint.health.show-details=always",
                "--management.health.orderedexecutors.parked-threshold=1",
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

    private static Health health(OrderedExecutor executor, int parkedThreshold, @Nullable Duration ageThreshold) {
        HealthIndicator indicator = (HealthIndicator)
                new OrderedExecutorsHealthContributor(Map.of("orders", executor), parkedThreshold, ageThreshold)
                        .getContributor("orders");
        assertThat(indicator).isNotNull();
        return indicator.health();
    }
}
