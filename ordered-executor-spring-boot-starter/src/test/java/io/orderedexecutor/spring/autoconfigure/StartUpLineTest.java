package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** One line of the log tells which executors there are. */
@ExtendWith(OutputCaptureExtension.class)
class StartUpLineTest {
    private static final String LINE = "Ordered executors: ";

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class, TaskExecutionAutoConfiguration.class));

    @Test
    void namesThreadsAndBounds(CapturedOutput output) {
        contexts.withPropertyValues(
                        "ordered-executor.striped.orders.threads=1",
                        "ordered-executor.striped.orders.capacity=100",
                        "ordered-executor.striped.orders.key-capacity=10",
                        "ordered-executor.threads=4",
                        "ordered-executor.key-capacity=7",
                        "ordered-executor.striped.mails.executor=applicationTaskExecutor",
                        "ordered-executor.ordered-output.orderedOutputExecutor.threads=2")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output.toString().lines().filter(line -> line.contains(LINE)))
                .singleElement()
                .asString()
                .contains(" INFO ")
                .contains("orders (striped, 1 thread, capacity 100, key capacity 10)")
                .contains("mails (striped, threads of another executor, no bounds)")
                .contains("ordered-executor (grouped, 4 threads, key capacity 7)")
                .contains("orderedOutputExecutor (ordered output, 2 threads, window 256)");
    }

    /** They always exist. */
    @Test
    void nothingIsSaidOfExecutorsThatNobodyAskedFor(CapturedOutput output) {
        contexts.withConfiguration(AutoConfigurations.of(
                        OrderedExecutorMetricsAutoConfiguration.class,
                        OrderedExecutorsHealthContributorAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(OrderedExecutorMetrics.class)
                        .hasSingleBean(OrderedExecutorsHealthContributor.class));
        assertThat(output).doesNotContain(LINE);
    }

    @Configuration(proxyBeanMethods = false)
    static class Injected {
        @Bean
        Object orders(StripedExecutor executor) {
            return executor.executorFor("orders");
        }
    }

    static class Annotated {
        @OrderedAsync(stripe = "#customer")
        public void book(String customer) {}
    }

    @Test
    void whatIsInjectedOrKeepsMethodsInOrderIsNamed(CapturedOutput output) {
        contexts.withUserConfiguration(Injected.class)
                .run(context -> assertThat(context).hasNotFailed());
        contexts.withBean(Annotated.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output.toString().lines().filter(line -> line.contains(LINE)))
                .hasSize(2)
                .allSatisfy(line -> assertThat(line)
                        .contains(LINE + "ordered-executor (grouped, ")
                        .doesNotContain("orderedOutputExecutor"));
    }

    @Test
    void nothingIsSaidOfExecutorsThatAreNotThere(CapturedOutput output) {
        contexts.withPropertyValues("ordered-executor.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain(LINE);
    }
}
