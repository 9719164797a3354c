package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** One warning for each key that is parked. */
@ExtendWith(OutputCaptureExtension.class)
class ParkedTasksTest {
    private static final String PARKED = "has failed and parks ";

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE); // nanoTime may overflow
    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    private final ParkedTasks parked =
            new ParkedTasks(new CreatedExecutors(beans), () -> false, (kind, value) -> "<" + kind + ">", now::get);
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
            .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=50ms");

    private static int warnings(CapturedOutput output) {
        return output.toString().split(PARKED, -1).length - 1;
    }

    private static List<Thread> watchers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("ordered-executor-parked"))
                .toList();
    }

    private static void fail() {
        throw new IllegalStateException("expected");
    }

    private StripedExecutor orders() {
        StripedExecutor orders = StripedExecutor.builder()
                .executor(Runnable::run)
                .failurePolicy(FailurePolicy.park())
                .build();
        beans.registerSingleton("orders", orders);
        return orders;
    }

    @Test
    void eachStripeIsToldOnceAndAgainWhenItsTaskHasFailedAgain(CapturedOutput output) {
        StripedExecutor orders = orders();
        parked.look();
        CompletableFuture<Object> failing = orders.submit("alice", () -> {
            fail();
            return null;
        });
        orders.execute("alice", () -> {});
        parked.look();
        parked.look();
        assertThat(warnings(output)).isEqualTo(1);
        assertThat(output)
                .contains("WARN")
                .contains("A task of ordered executor 'orders' has failed and parks key <key>, where 2 tasks are"
                        + " queued: <failure>. When the cause is gone, run the task again with resume, or give it up"
                        + " with skip: methods of the executor, and actions of a POST to the endpoint"
                        + " orderedexecutors/orders/{key}");
        orders.execute("bob", ParkedTasksTest::fail);
        parked.look();
        assertThat(warnings(output)).isEqualTo(2);
        assertThat(orders.control().resume("alice")).isTrue();
        // the task runs on the helper of the executor
        await().alias("parked again, with another failure").untilAsserted(() -> {
            parked.look();
            assertThat(warnings(output)).isEqualTo(3);
        });
        assertThat(orders.control().skip("alice")).isTrue();
        assertThat(orders.control().skip("bob")).isTrue();
        parked.look();
        assertThat(warnings(output)).isEqualTo(3);
        assertThat(failing).isCompletedExceptionally();
        orders.close();
        assertThat(orders.inspect().stats().completed()).isEqualTo(1);
        assertThat(orders.inspect().stats().failed()).isEqualTo(2);
    }

    @Test
    void aTaskWithGroupsIsToldToo(CapturedOutput output) {
        GroupedExecutor bank = GroupedExecutor.builder()
                .executor(Runnable::run)
                .failurePolicy(FailurePolicy.park())
                .build();
        beans.registerSingleton("bank", bank);
        bank.execute(Groups.exclusive("alice", "bob"), ParkedTasksTest::fail);
        parked.look();
        parked.look();
        assertThat(warnings(output)).isEqualTo(1);
        assertThat(output)
                .contains("A task of ordered executor 'bank' has failed and parks keys <keys>: <failure>.")
                .contains("orderedexecutors/bank/{key}");
        bank.execute(Groups.exclusive("carol"), ParkedTasksTest::fail);
        parked.look();
        parked.look();
        assertThat(warnings(output)).as("a task with one group").isEqualTo(2);
        assertThat(bank.control().skip("alice")).isTrue();
        assertThat(bank.control().skip("carol")).isTrue();
        assertThat(bank.inspect().stats().failed()).isEqualTo(2);
        bank.shutdown();
    }

    @Test
    void tenAMinuteAreToldAndTheOthersCounted(CapturedOutput output) {
        StripedExecutor orders = orders();
        parked.look();
        for (int i = 0; i < 25; i++) {
            orders.execute("client " + i, ParkedTasksTest::fail);
            parked.look();
        }
        assertThat(warnings(output)).isEqualTo(10);
        now.addAndGet(TimeUnit.SECONDS.toNanos(59));
        parked.look();
        assertThat(output).doesNotContain("more tasks");
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        parked.look();
        parked.look();
        assertThat(output)
                .containsOnlyOnce("In the last minute 15 more tasks of ordered executor 'orders' were parked;"
                        + " 25 are parked now");
        orders.execute("one more", ParkedTasksTest::fail);
        parked.look();
        assertThat(warnings(output)).isEqualTo(11);
        assertThat(orders.shutdownNow()).hasSize(26);
    }

    @Test
    void theLogNamesTheFailureAndNoKeyUnlessValuesAreShown(CapturedOutput output) {
        ApplicationContextRunner parking =
                contexts.withPropertyValues("ordered-executor.striped.orders.failure-policy=park");
        parking.run(context -> {
            assertThat(watchers()).hasSize(1).allMatch(Thread::isDaemon);
            context.getBean("orders", StripedExecutor.class).execute("alice", ParkedTasksTest::fail);
            await().atMost(Duration.ofSeconds(30)).until(() -> warnings(output) == 1);
            context.stop();
            assertThat(context.getBean(ParkedTasks.class).isRunning()).isFalse();
        });
        await().untilAsserted(() -> assertThat(watchers()).isEmpty());
        assertThat(output)
                .contains("parks key ******, where 1 task is queued: java.lang.IllegalStateException. ")
                .doesNotContain("alice");
        parking.withConfiguration(AutoConfigurations.of(
                        EndpointAutoConfiguration.class, OrderedExecutorsEndpointAutoConfiguration.class))
                .withPropertyValues(
                        "management.endpoints.jmx.exposure.include=orderedexecutors",
                        "spring.jmx.enabled=true",
                        "management.endpoint.orderedexecutors.show-values=always")
                .run(context -> {
                    context.getBean("orders", StripedExecutor.class).execute("alice", ParkedTasksTest::fail);
                    await().atMost(Duration.ofSeconds(30)).until(() -> warnings(output) == 2);
                });
        assertThat(output)
                .contains("parks key alice, where 1 task is queued: java.lang.IllegalStateException: expected. ");
    }

    @Test
    void thereIsAThreadIfAnExecutorParksAndNoneOtherwise() {
        contexts.run(context -> assertThat(watchers()).isEmpty());
        contexts.withPropertyValues("ordered-executor.failure-policy=park", "spring.main.lazy-initialization=true")
                .run(context -> assertThat(watchers()).hasSize(1));
        await().untilAsserted(() -> assertThat(watchers()).isEmpty());
        contexts.withBean(
                        "mine",
                        StripedExecutor.class,
                        () -> StripedExecutor.builder()
                                .failurePolicy(FailurePolicy.park())
                                .build())
                .run(context -> assertThat(watchers()).hasSize(1));
        await().untilAsserted(() -> assertThat(watchers()).isEmpty());
    }
}
