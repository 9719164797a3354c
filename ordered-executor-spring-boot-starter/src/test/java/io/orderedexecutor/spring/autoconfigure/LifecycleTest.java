package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.fixtures.Journal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/** What happens to accepted tasks when the context stops, starts again, and closes. */
@ExtendWith(OutputCaptureExtension.class)
class LifecycleTest {
    private static final int TASKS = 200;

    private final Journal journal = new Journal();
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, LifecycleAutoConfiguration.class));

    @Test
    void closingRunsAllThatWasQueued(CapturedOutput output) {
        contexts.withPropertyValues("ordered-executor.striped.orders.threads=2").run(context -> {
            StripedExecutor executor = context.getBean("orders", StripedExecutor.class);
            fill(executor);
            context.close();
            assertThat(executor.isTerminated()).isTrue();
            journal.assertInOrder("a", TASKS);
            journal.assertInOrder("b", TASKS);
            assertThatThrownBy(() -> executor.execute("a", () -> {})).isInstanceOf(RejectedExecutionException.class);
        });
        assertThat(output).doesNotContain("was stopped before it was done");
    }

    @Test
    void closingWaitsForStagesToo() {
        contexts.run(context -> {
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            CompletableFuture<String> stage = new CompletableFuture<>();
            CompletableFuture<String> task = executor.submitAsync("a", () -> stage);
            CompletableFuture<String> next = executor.submit("a", () -> "next");
            assertThat(next).isNotDone();
            stage.completeOnTimeout("done", 50, TimeUnit.MILLISECONDS);
            context.close();
            assertThat(task).isCompletedWithValue("done");
            assertThat(next).isCompletedWithValue("next");
        });
    }

    @Test
    void tasksMaySubmitToOtherExecutorsWhileTheContextCloses() {
        contexts.withPropertyValues("ordered-executor.striped.next.threads=1").run(context -> {
            StripedExecutor executor = context.getBean("stripedExecutor", StripedExecutor.class);
            StripedExecutor next = context.getBean("next", StripedExecutor.class);
            CountDownLatch open = new CountDownLatch(1);
            for (int i = 0; i < TASKS; i++) {
                int number = i;
                executor.execute("a", () -> {
                    Journal.await(open);
                    next.execute("a", () -> journal.write("a", number));
                });
            }
            assertThat(context.getBean(ExecutorsLifecycle.class).isRunning()).isTrue();
            open.countDown();
            context.close();
            journal.assertInOrder("a", TASKS);
        });
    }

    @Test
    void aStoppedContextIsDrainedAndStartsAgain() {
        contexts.run(context -> {
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < TASKS; i++) {
                    int number = round * TASKS + i;
                    executor.execute("a", () -> journal.write("a", number));
                }
                context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                        .stop();
                journal.assertInOrder("a", (round + 1) * TASKS);
                context.start();
            }
            assertThat(executor.isShutdown()).isFalse();
            assertThat(executor.submit("a", () -> "still there").get()).isEqualTo("still there");
        });
    }

    @Test
    void aPausedContextIsDrainedAndStartsAgain() {
        contexts.run(context -> {
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            fill(executor);
            context.pause();
            journal.assertInOrder("a", TASKS);
            journal.assertInOrder("b", TASKS);
            context.restart();
            assertThat(executor.submit("a", () -> "still there").get()).isEqualTo("still there");
        });
    }

    @Test
    void whatIsSubmittedToAStoppedContextIsDrainedWhenItCloses() {
        contexts.run(context -> {
            context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                    .stop();
            fill(context.getBean(StripedExecutor.class));
            context.close();
            journal.assertInOrder("a", TASKS);
            journal.assertInOrder("b", TASKS);
        });
    }

    @Test
    void startingEndsADrain() {
        contexts.run(context -> {
            CountDownLatch open = new CountDownLatch(1);
            CountDownLatch stopped = new CountDownLatch(1);
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            executor.execute("a", () -> Journal.await(open));
            context.getBean(ExecutorsLifecycle.class).stop(stopped::countDown);
            assertThat(stopped.getCount()).isEqualTo(1);
            context.getBean(ExecutorsLifecycle.class).start();
            Journal.await(stopped);
            open.countDown();
        });
    }

    @Test
    @Timeout(60)
    void whatDoesNotEndInTimeIsStoppedAndReported(CapturedOutput output) {
        contexts.withPropertyValues(
                        "spring.lifecycle.timeout-per-shutdown-phase=50ms", "ordered-executor.striped.orders.threads=1")
                .withAllowBeanDefinitionOverriding(true)
                .withInitializer(LifecycleTest::setLongGrace)
                .run(context -> {
                    StripedExecutor executor = context.getBean("orders", StripedExecutor.class);
                    CompletableFuture<String> interrupted = new CompletableFuture<>();
                    CountDownLatch started = new CountDownLatch(1);
                    executor.execute("a", () -> {
                        started.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            interrupted.complete("interrupted");
                        }
                    });
                    Journal.await(started);
                    CompletableFuture<String> queued = executor.submit("a", () -> "never");
                    executor.execute("a", () -> journal.write("a", 0));
                    context.close();
                    assertThat(interrupted.get(30, TimeUnit.SECONDS)).isEqualTo("interrupted");
                    assertThat(queued).isCancelled();
                    assertThat(executor.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
                    journal.assertInOrder("a", 0);
                });
        assertThat(output)
                .contains("Ordered executor 'orders' was stopped before it was done: 2 queued tasks did not run "
                        + "(1 x lambda in "
                        + getClass().getName()
                        + ", 1 x task with a result), 1 running task was interrupted and has ended");
    }

    /** What is interrupted has more time to end than a slow machine takes. */
    private static void setLongGrace(ConfigurableApplicationContext context) {
        ((GenericApplicationContext) context)
                .registerBean(
                        "orderedExecutorsHardStop",
                        ExecutorsHardStop.class,
                        () -> new ExecutorsHardStop(
                                new CreatedExecutors(context.getBeanFactory()),
                                context.getBean(CurrentDrain.class),
                                new UnfinishedTasks(context.getBeanProvider(UnfinishedTasksHandler.class), 30),
                                context));
    }

    @Test
    @Timeout(60)
    void whatDoesNotEndWhenInterruptedIsReportedAndNotWaitedFor(CapturedOutput output) {
        CountDownLatch open = new CountDownLatch(1);
        StripedExecutor executor = StripedExecutor.builder().threads(1).build();
        CountDownLatch started = new CountDownLatch(1);
        executor.execute("a", () -> {
            started.countDown();
            boolean interrupted = true;
            while (interrupted) {
                try {
                    open.await();
                    interrupted = false;
                } catch (InterruptedException e) {
                    // as code does that must not be copied
                }
            }
        });
        Journal.await(started);
        UnfinishedTasks unfinished =
                new UnfinishedTasks(new StaticListableBeanFactory().getBeanProvider(UnfinishedTasksHandler.class));
        new ExecutorsShutdown(unfinished).postProcessBeforeDestruction(executor, "stubborn");
        assertThat(executor.isTerminated()).isFalse();
        open.countDown();
        assertThat(output)
                .contains("Ordered executor 'stubborn' was stopped before it was done: 0 queued tasks did not run,"
                        + " 1 running task was interrupted and has not ended 1 s later");
    }

    @Test
    void groupedExecutorsAreDrainedToo() {
        contexts.run(context -> {
            GroupedExecutor executor = context.getBean(GroupedExecutor.class);
            CompletableFuture<String> stage = new CompletableFuture<>();
            CompletableFuture<String> transfer = executor.submitAsync(Groups.exclusive("a", "b"), () -> stage);
            executor.execute(Groups.exclusive("b"), () -> journal.write("b", 0));
            executor.execute(Groups.shared("a"), () -> journal.write("a", 0));
            assertThat(context.getBean(ExecutorsLifecycle.class).isRunning()).isTrue();
            stage.completeOnTimeout("done", 50, TimeUnit.MILLISECONDS);
            context.close();
            assertThat(transfer).isCompletedWithValue("done");
            journal.assertInOrder("a", 1);
            journal.assertInOrder("b", 1);
            assertThat(executor.isTerminated()).isTrue();
        });
    }

    @Test
    @Timeout(60)
    void groupedExecutorsThatDoNotEndInTimeAreReportedToo(CapturedOutput output) {
        contexts.withPropertyValues(
                        "spring.lifecycle.timeout-per-shutdown-phase=50ms",
                        "ordered-executor.grouped.transfers.threads=1")
                .run(context -> {
                    GroupedExecutor executor = context.getBean("transfers", GroupedExecutor.class);
                    CountDownLatch started = new CountDownLatch(1);
                    var stuck = executor.submitAsync(Groups.exclusive("a", "b"), () -> {
                        started.countDown();
                        return new CompletableFuture<String>();
                    });
                    Journal.await(started);
                    CompletableFuture<String> queued = executor.submit(Groups.exclusive("b"), () -> "never");
                    context.close();
                    assertThat(stuck).isCancelled();
                    assertThat(queued).isCancelled();
                });
        assertThat(output)
                .contains("Ordered executor 'transfers' was stopped before it was done: 1 queued task did not run");
    }

    @Test
    void aThreadThatIsInterruptedDrainsAllTheSame() {
        contexts.run(context -> {
            CompletableFuture<String> stage = new CompletableFuture<>();
            CompletableFuture<String> task =
                    context.getBean(StripedExecutor.class).submitAsync("a", () -> stage);
            CountDownLatch stopped = new CountDownLatch(1);
            Thread.currentThread().interrupt();
            context.getBean(ExecutorsLifecycle.class).stop(stopped::countDown);
            assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
            assertThat(stopped.getCount()).isEqualTo(1);
            stage.complete("done");
            Journal.await(stopped);
            assertThat(task).isCompletedWithValue("done");
        });
    }

    @Test
    void executorsOfTheApplicationAreDrainedToo() {
        contexts.withBean(
                        "mine",
                        StripedExecutor.class,
                        () -> StripedExecutor.builder().threads(1).build())
                .run(context -> {
                    fill(context.getBean(StripedExecutor.class));
                    context.close();
                    journal.assertInOrder("a", TASKS);
                    journal.assertInOrder("b", TASKS);
                });
    }

    @Test
    void tasksOnSpringBootsExecutorAreDrainedBeforeIt() {
        contexts.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
                .withPropertyValues("ordered-executor.executor=applicationTaskExecutor")
                .run(context -> {
                    fill(context.getBean(StripedExecutor.class));
                    context.close();
                    journal.assertInOrder("a", TASKS);
                    journal.assertInOrder("b", TASKS);
                });
    }

    /** As a web server does, which finishes its requests in an earlier phase. */
    @Test
    void whatIsSubmittedInEarlierPhasesOfTheShutdownStillRuns() {
        contexts.withUserConfiguration(Earlier.class)
                .withBean(Journal.class, () -> journal)
                .run(context -> {
                    context.close();
                    journal.assertInOrder("a", 1);
                });
    }

    @Test
    void thePhasesAreJustBeforeThatOfSpringsExecutors() {
        contexts.run(context -> {
            assertThat(context.getBean(ExecutorsHardStop.class).getPhase())
                    .isEqualTo(ExecutorConfigurationSupport.DEFAULT_PHASE + 1);
            assertThat(context.getBean(ExecutorsLifecycle.class).getPhase())
                    .isGreaterThan(context.getBean(ExecutorsHardStop.class).getPhase())
                    .isLessThan(SmartLifecycle.DEFAULT_PHASE - 2048);
        });
    }

    private void fill(StripedExecutor executor) {
        for (int i = 0; i < TASKS; i++) {
            int number = i;
            executor.execute("a", () -> journal.write("a", number));
            executor.execute("b", () -> journal.write("b", number));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Earlier {

        @Bean
        SmartLifecycle server(StripedExecutor executor, Journal journal) {
            return new SmartLifecycle() {
                private boolean running;

                @Override
                public void start() {
                    running = true;
                }

                @Override
                public void stop() {
                    running = false;
                    executor.execute("a", () -> journal.write("a", 0));
                }

                @Override
                public boolean isRunning() {
                    return running;
                }

                @Override
                public int getPhase() {
                    return DEFAULT_PHASE - 1024;
                }
            };
        }
    }
}
