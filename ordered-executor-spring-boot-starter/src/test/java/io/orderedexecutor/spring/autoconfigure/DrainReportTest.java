package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.fixtures.Journal;
import java.time.Duration;
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
                                .endsWith("Draining ordered executors: stripedExecutor (1234 queued, 1 active)"),
                        line -> assertThat(line)
                                .contains("INFO")
                                .containsPattern("Drained ordered executors in \\d+\\.\\d s$"));
    }

    @Test
    void saysNothingIfThereIsNothingToWaitFor(CapturedOutput output) {
        contexts.run(context -> {
            StripedExecutor executor = context.getBean("stripedExecutor", StripedExecutor.class);
            assertThat(executor.submit("a", () -> "done").get()).isEqualTo("done");
            assertThat(executor.drain(Duration.ofSeconds(30))).isTrue();
        });
        assertThat(output).doesNotContain("ordered executors");
    }

    @Test
    void saysHowFarItIsFromTimeToTime(CapturedOutput output) {
        try (StripedExecutor executor = StripedExecutor.builder().threads(1).build()) {
            CompletableFuture<String> stage = startedStage(executor);
            executor.execute("a", () -> {});
            executor.pause();
            CountDownLatch done = new CountDownLatch(1);
            Drain.start(Map.of("orders", executor), Duration.ofMillis(10), done::countDown);
            await().atMost(Duration.ofSeconds(30)).until(() -> output.getOut().split("Still draining", -1).length > 3);
            executor.resume();
            stage.complete("done");
            Journal.await(done);
        }
        assertThat(output.getOut())
                .containsPattern(
                        "Still draining ordered executors after \\d+\\.\\d s: orders \\(1 queued, 1 active, paused\\)");
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
                        "Stopped draining ordered executors after \\d+\\.\\d s: stripedExecutor \\(0 queued, 1 "
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
