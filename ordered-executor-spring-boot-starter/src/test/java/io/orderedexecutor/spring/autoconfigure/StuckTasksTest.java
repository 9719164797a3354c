package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.TaskListener;
import io.orderedexecutor.spring.fixtures.Journal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** One warning for each task that is stuck. */
@ExtendWith(OutputCaptureExtension.class)
class StuckTasksTest {
    private static final String STUCK = "is stuck: ";
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class));

    private static int warnings(CapturedOutput output) {
        return output.toString().split(STUCK, -1).length - 1;
    }

    private static List<Thread> watchers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("ordered-executor-watch"))
                .toList();
    }

    /** A watcher of a test before may still be about to end. */
    @BeforeEach
    void awaitNoWatchers() {
        await().atMost(LIMIT).untilAsserted(() -> assertThat(watchers()).isEmpty());
    }

    @Test
    void eachHeadIsToldOnce(CapturedOutput output) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        StripedExecutor executor = StripedExecutor.builder()
                .name("orders")
                .executor(Runnable::run)
                .failurePolicy(FailurePolicy.park())
                .listener(new TaskListener() {})
                .build();
        beans.registerSingleton("orders", executor);
        StuckTasks stuck = new StuckTasks(
                new CreatedExecutors(beans), () -> null, name -> Duration.ZERO, (kind, value) -> "<" + kind + ">");
        stuck.look();
        assertThat(warnings(output)).isZero();
        Runnable failing = () -> {
            throw new IllegalStateException("expected");
        };
        executor.execute("a", failing);
        stuck.look();
        stuck.look();
        assertThat(warnings(output)).isEqualTo(1);
        assertThat(output)
                .contains("A task of ordered executor 'orders' is stuck: task <task> of key <key> of executor"
                        + " 'orders' has waited for ")
                .contains(" is parked after <failure>");
        executor.execute("b", failing);
        stuck.look();
        assertThat(warnings(output)).isEqualTo(2);

        executor.control().skip("a");
        stuck.look();
        executor.execute("a", failing);
        stuck.look();
        assertThat(warnings(output)).as("it is another one").isEqualTo(3);
        for (int i = 0; i < 30; i++) {
            executor.execute("c" + i, failing);
        }
        stuck.look();
        assertThat(warnings(output)).isEqualTo(13);
        assertThat(output).contains("20 more tasks of ordered executor 'orders' have been running or waiting");
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void theLogShowsWhatIsStuckAndThreadsEndWithTheContext(CapturedOutput output) {
        CountDownLatch end = new CountDownLatch(1);
        contexts.withPropertyValues("ordered-executor.striped.orders.warn-after=50ms")
                .run(context -> {
                    assertThat(watchers()).hasSize(1).allMatch(Thread::isDaemon);
                    // nobody looks before the task runs: it would be told as one that waits, and not again
                    context.getBean(StuckTasks.class).stop();
                    awaitNoWatchers();
                    CountDownLatch started = new CountDownLatch(1);
                    context.getBean("orders", StripedExecutor.class).submit("alice", () -> {
                        started.countDown();
                        end.await();
                        return null;
                    });
                    Journal.await(started);
                    context.getBean(StuckTasks.class).start();
                    await().atMost(LIMIT).until(() -> output.toString().contains(STUCK));
                    end.countDown();
                    context.stop();
                    assertThat(context.getBean(StuckTasks.class).isRunning()).isFalse();
                });
        awaitNoWatchers();
        assertThat(output)
                .containsPattern(
                        "of executor 'orders': task \\*{6} of key \\*{6} has been running for .* on thread orders")
                .doesNotContain("alice");
    }

    @Test
    void defaultsCountAndZeroIsOff() {
        contexts.withPropertyValues(
                        "ordered-executor.warn-after=1h",
                        "ordered-executor.striped.orders.warn-after=0",
                        "ordered-executor.grouped.bank.warn-after=2h")
                .run(context -> {
                    ExecutorFactory factory = context.getBean(ExecutorFactory.class);
                    assertThat(factory.warnAfter("ordered-executor")).isEqualTo(Duration.ofHours(1));
                    assertThat(factory.warnAfter("orders")).isNull();
                    assertThat(factory.warnAfter("bank")).isEqualTo(Duration.ofHours(2));
                    assertThat(factory.warnAfter("another")).isNull();
                    assertThat(context.getBean("orders", StripedExecutor.class)
                                    .inspect()
                                    .settings()
                                    .listening())
                            .isFalse();
                    assertThat(context.getBean("stripedExecutor", StripedExecutor.class)
                                    .inspect()
                                    .settings()
                                    .listening())
                            .isTrue();
                });
    }

    @Test
    void anExecutorThatIsCreatedLaterIsWatched(CapturedOutput output) {
        CountDownLatch end = new CountDownLatch(1);
        contexts.withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withPropertyValues("ordered-executor.striped.orders.warn-after=50ms")
                .run(context -> {
                    context.getBean("orders", StripedExecutor.class).execute("alice", () -> Journal.await(end));
                    await().atMost(LIMIT).until(() -> output.toString().contains(STUCK));
                    end.countDown();
                });
    }

    @Test
    void withoutItThereIsNoThread() {
        contexts.run(context -> {
            assertThat(watchers()).isEmpty();
            assertThat(context.getBean(StuckTasks.class).isRunning()).isFalse();
        });
    }

    @Test
    void aNegativeTimeIsRefused() {
        contexts.withPropertyValues("ordered-executor.striped.orders.warn-after=-1s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("a duration of at least zero such as 30s"));
    }
}
