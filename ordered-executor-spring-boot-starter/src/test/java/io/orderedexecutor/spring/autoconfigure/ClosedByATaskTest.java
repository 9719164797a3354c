package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.fixtures.Journal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;

/** A task that ends its own application is not waited for, nor interrupted in the middle of that. */
@ExtendWith(OutputCaptureExtension.class)
class ClosedByATaskTest {

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itEndsAndOthersAreWaitedFor(boolean byExit, CapturedOutput output) throws Exception {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties("spring.lifecycle.timeout-per-shutdown-phase=5s", "ordered-executor.threads=2")
                .run();
        Application application = context.getBean(Application.class);
        StripedExecutor executor = context.getBean(StripedExecutor.class);
        Journal journal = new Journal();
        executor.execute("other", () -> {
            Journal.await(application.closing);
            journal.write("other", 0);
        });
        executor.execute("other", () -> journal.write("other", 1));
        CountDownLatch behind = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = executor.submit("own", () -> {
            Journal.await(behind);
            if (byExit) {
                SpringApplication.exit(context);
            } else {
                context.close();
            }
            return Thread.currentThread().isInterrupted();
        });
        Runnable queued = () -> journal.write("own", 0);
        executor.execute("own", queued);
        behind.countDown();

        assertThat(interrupted.get(30, TimeUnit.SECONDS)).as("after the close").isFalse();
        assertThat(application.interruptedWhileClosing).hasValue(false);
        assertThat(application.unfinished).containsExactly(queued);
        journal.assertInOrder("other", 2);
        journal.assertStripes("other");
        assertThat(output)
                .containsOnlyOnce("Ordered executor 'ordered-executor' was stopped before it was done: 1 queued task"
                        + " did not run")
                .contains("0 running tasks were interrupted, and one goes on, as it stops the application")
                .contains("is paused, parked, or waits for the task that stops the application:"
                        + " ordered-executor (1 queued, 1 active)")
                .doesNotContain("Stopped draining");
    }

    @Test
    void whatIsPausedOrParkedIsNotWaitedForEither(CapturedOutput output) throws Exception {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.lifecycle.timeout-per-shutdown-phase=10s",
                        "ordered-executor.threads=2",
                        "ordered-executor.failure-policy=park")
                .run();
        Application application = context.getBean(Application.class);
        StripedExecutor executor = context.getBean(StripedExecutor.class);
        GroupedExecutor groups = context.getBean(GroupedExecutor.class);
        executor.control().pause("paused");
        executor.execute("paused", () -> {});
        executor.execute("paused", () -> {});
        groups.execute(Groups.exclusive("free").andShared("paused"), () -> {});
        executor.execute("parked", ClosedByATaskTest::fail);
        executor.execute("parked", () -> {});
        groups.execute(Groups.exclusive("c", "d"), ClosedByATaskTest::fail);
        groups.execute(Groups.exclusive("d", "e"), () -> {});
        await().atMost(Duration.ofSeconds(30))
                .until(() -> executor.inspect().parkedTasks().size() == 2);
        Journal journal = new Journal();
        executor.execute("other", () -> {
            Journal.await(application.closing);
            journal.write("other", 0);
        });
        executor.execute("other", () -> journal.write("other", 1));

        executor.submit("own", Executors.callable(context::close)).get(30, TimeUnit.SECONDS);
        assertThat(application.interruptedWhileClosing).hasValue(false);
        assertThat(application.unfinished).hasSize(7);
        journal.assertInOrder("other", 2);
        assertThat(output)
                .contains("is paused, parked, or waits for the task that stops the application:"
                        + " ordered-executor (7 queued, 1 active, 2 tasks parked, 1 key paused)")
                .doesNotContain("Stopped draining");
    }

    @Test
    void norIsAnExecutorThatIsPaused(CapturedOutput output) throws Exception {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties("spring.lifecycle.timeout-per-shutdown-phase=10s", "ordered-executor.threads=2")
                .run();
        StripedExecutor executor = context.getBean(StripedExecutor.class);
        Runnable stopping = () -> {
            executor.control().pause();
            executor.execute("other", () -> {});
            context.close();
        };
        executor.submit("own", Executors.callable(stopping)).get(30, TimeUnit.SECONDS);
        assertThat(output)
                .contains("waits for the task that stops the application:"
                        + " ordered-executor (1 queued, 1 active, paused)")
                .doesNotContain("Stopped draining");
    }

    private static void fail() {
        throw new IllegalStateException("expected");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application
            implements ApplicationListener<ContextClosedEvent>, DisposableBean, UnfinishedTasksHandler {
        final CountDownLatch closing = new CountDownLatch(1);
        final List<Runnable> unfinished = new ArrayList<>();
        final AtomicReference<Boolean> interruptedWhileClosing = new AtomicReference<>();

        @Override
        public void onApplicationEvent(ContextClosedEvent event) {
            closing.countDown();
        }

        @Override
        public void handle(String executorName, List<Runnable> tasks) {
            unfinished.addAll(tasks);
        }

        /** As a pool of database connections is closed. */
        @Override
        public void destroy() {
            interruptedWhileClosing.set(Thread.currentThread().isInterrupted());
        }
    }
}
