package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.Batcher;
import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.fixtures.Journal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What the log says while an application waits for its executors. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class DrainReportTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, LifecycleAutoConfiguration.class))
            .withPropertyValues("ordered-executor.striped.idle.threads=1");

    @Test
    void saysOnceWhatItWaitsForAndOnceThatItIsDone(CapturedOutput output) {
        contexts.run(context -> {
            StripedExecutor executor = context.getBean("stripedExecutor", StripedExecutor.class);
            context.getBean("idle", StripedExecutor.class);
            CompletableFuture<String> stage = startedStage(executor);
            for (int i = 0; i < 1234; i++) {
                executor.execute("a", () -> {});
            }
            CountDownLatch stopped = new CountDownLatch(1);
            context.getBean(ExecutorsLifecycle.class).stop(stopped::countDown);
            await().atMost(Duration.ofSeconds(30)).until(() -> output.getOut().contains("Draining"));
            stage.complete("done");
            Journal.await(stopped);
        });
        assertThat(output.getOut().lines().filter(line -> line.contains("ordered executors")))
                .hasSize(2)
                .satisfiesExactly(
                        line -> assertThat(line)
                                .contains("INFO")
                                .endsWith("Draining ordered executors: ordered-executor (1234 queued, 1 active)"),
                        line -> assertThat(line)
                                .contains("INFO")
                                .containsPattern("Drained ordered executors in \\d+\\.\\d s$"));
    }

    @Test
    void saysNothingIfThereIsNothingToWaitFor(CapturedOutput output) {
        contexts.run(context -> {
            StripedExecutor executor = context.getBean("stripedExecutor", StripedExecutor.class);
            assertThat(executor.submit("a", () -> "done").get()).isEqualTo("done");
            assertThat(executor.awaitIdle(Duration.ofSeconds(30))).isTrue();
        });
        assertThat(output).doesNotContain("ordered executors");
    }

    @Test
    void saysHowFarItIsFromTimeToTime(CapturedOutput output) {
        try (StripedExecutor executor = StripedExecutor.builder().threads(1).build()) {
            CompletableFuture<String> stage = startedStage(executor);
            executor.execute("a", () -> {});
            executor.control().pause();
            CountDownLatch done = new CountDownLatch(1);
            Drain.start(Map.of("orders", executor), Duration.ofMillis(10), done::countDown);
            await().atMost(Duration.ofSeconds(30)).until(() -> output.getOut().split("Still draining", -1).length > 3);
            executor.control().resume();
            stage.complete("done");
            Journal.await(done);
        }
        assertThat(output.getOut())
                .containsPattern(
                        "Still draining ordered executors after \\d+\\.\\d s: orders \\(1 queued, 1 active, paused\\)");
    }

    @Test
    void isOverAtOnceIfAllThatIsLeftIsPausedOrParked(CapturedOutput output) {
        List<Runnable> notRun = new ArrayList<>();
        contexts.withBean(UnfinishedTasksHandler.class, () -> (name, tasks) -> notRun.addAll(tasks))
                .withPropertyValues("ordered-executor.failure-policy=park")
                .run(context -> {
                    StripedExecutor executor = context.getBean("stripedExecutor", StripedExecutor.class);
                    GroupedExecutor groups = context.getBean("groupedExecutor", GroupedExecutor.class);
                    executor.control().pause("b");
                    executor.execute("b", () -> {});
                    executor.execute("a", DrainReportTest::fail);
                    executor.execute("a", () -> {});
                    groups.control().pause("c");
                    groups.execute(Groups.exclusive("a", "c"), () -> {});
                    groups.execute(Groups.exclusive("d", "e"), DrainReportTest::fail);
                    Batcher<String, Integer> batcher = executor.<String, Integer>batchTo((key, items) -> fail())
                            .build();
                    executor.control().pause("f");
                    batcher.submit("f", 1);
                    batcher.submit("f", 2);
                    executor.control().resume("f");
                    await().until(() ->
                            executor.control().isHeldUp() && groups.control().isHeldUp());
                    CountDownLatch stopped = new CountDownLatch(1);
                    context.getBean(ExecutorsLifecycle.class).stop(stopped::countDown);
                    assertThat(stopped.getCount()).isZero();
                });
        assertThat(output.getOut().lines().filter(line -> line.contains("rdered executors are")))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line)
                        .endsWith("Ordered executors are not drained, since each queued task is paused or parked:"
                                + " ordered-executor (7 queued, 0 active, 3 tasks parked, 2 keys paused)"));
        assertThat(output)
                .contains("Ordered executor 'ordered-executor' was stopped before it was done: 7 queued tasks did"
                        + " not run")
                .contains(", of which 4 were parked after a failure, 0 running tasks were interrupted")
                .doesNotContain("Draining");
        assertThat(notRun).as("what an UnfinishedTasksHandler gets").hasSize(7);
    }

    private static void fail() {
        throw new IllegalStateException("expected");
    }

    @Test
    void endsWhenOnlyPausedOrParkedTasksAreLeft(CapturedOutput output) {
        StripedExecutor executor = StripedExecutor.builder()
                .threads(1)
                .failurePolicy(FailurePolicy.park())
                .build();
        CompletableFuture<String> stage = startedStage(executor);
        executor.execute("b", DrainReportTest::fail);
        executor.execute("b", () -> {});
        CountDownLatch done = new CountDownLatch(1);
        Drain.start(Map.of("orders", executor), Duration.ofHours(1), done::countDown);
        await().until(() -> output.getOut().contains("Draining"));
        assertThat(done.getCount()).isEqualTo(1);
        stage.complete("done");
        Journal.await(done);
        assertThat(output.getOut())
                .containsPattern("Drained ordered executors in \\d+\\.\\d s; each queued task is paused or parked:"
                        + " orders \\(2 queued, 0 active, 1 task parked\\)");
        assertThat(executor.shutdownNow()).hasSize(2);
    }

    @Test
    void everyFiveSeconds() {
        assertThat(Drain.REPORT_INTERVAL).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void saysWhatIsLeftWhenTheTimeIsOver(CapturedOutput output) {
        contexts.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=50ms")
                .run(context -> startedStage(context.getBean("stripedExecutor", StripedExecutor.class)));
        assertThat(output.getOut())
                .containsPattern(
                        "Stopped draining ordered executors after \\d+\\.\\d s: ordered-executor \\(0 queued, 1 "
                                + "active\\)")
                .doesNotContain("Drained ordered executors");
    }

    private static CompletableFuture<String> startedStage(StripedExecutor executor) {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CountDownLatch started = new CountDownLatch(1);
        executor.submitAsync("a", () -> {
            started.countDown();
            return stage;
        });
        Journal.await(started);
        return stage;
    }
}
