package io.orderedexecutor.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.spring.fixtures.HttpEndpoint;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.Mockito;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application of which a test has mocked an executor starts and ends, and its other executors are looked at. */
@ExtendWith(OutputCaptureExtension.class)
class MockedExecutorsTest {
    private static final String WARNING = " is not shown, measured or drained, because its inspection failed";

    @Test
    void thoseThatAnswerNothingAreLeftOut(CapturedOutput output) throws Exception {
        assertLeftOut(Nothing.class, output);
    }

    @Test
    void soAreThoseThatFail(CapturedOutput output) throws Exception {
        assertLeftOut(Failing.class, output);
    }

    private static void assertLeftOut(Class<?> mocks, CapturedOutput output) throws Exception {
        try (HttpEndpoint actuator = HttpEndpoint.start(
                mocks,
                "--ordered-executor.striped.real.threads=1",
                "--ordered-executor.striped.real.warn-after=1h",
                "--ordered-executor.striped.real.failure-policy=park",
                "--management.endpoint.health.show-details=always",
                "--management.health.orderedexecutors.age-threshold=1h")) {
            assertThat(actuator.bean("real", StripedExecutor.class)
                            .submit("a", () -> "ran")
                            .get(30, TimeUnit.SECONDS))
                    .isEqualTo("ran");
            for (String path : new String[] {"orderedexecutors", "health", "metrics/ordered.executor.completed"}) {
                var response = actuator.get(path);
                assertThat(response.statusCode()).as(path).isEqualTo(200);
                assertThat(response.body()).contains("real").doesNotContain("orders", "bank", "frames");
            }
        }
        assertThat(output)
                .containsOnlyOnce("Ordered executor 'orders'" + WARNING)
                .containsOnlyOnce("Ordered executor 'bank'" + WARNING)
                .containsOnlyOnce("Ordered executor 'frames'" + WARNING)
                .contains("Ordered executors: real (striped, 1 thread")
                .contains("Ordered executor 'orders' keeps these methods in order, by their keys: ")
                .doesNotContain("threw an exception", "ailed to");
    }

    @Configuration(proxyBeanMethods = false)
    static class Nothing {
        @Bean
        StripedExecutor orders() {
            return mock(StripedExecutor.class, null);
        }

        @Bean
        GroupedExecutor bank() {
            return mock(GroupedExecutor.class, null);
        }

        @Bean
        OrderedOutputExecutor frames() {
            return mock(OrderedOutputExecutor.class, null);
        }

        @Bean
        Payments payments() {
            return new Payments();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Failing {
        @Bean
        StripedExecutor orders() {
            return mock(StripedExecutor.class, new UnsupportedOperationException("not stubbed"));
        }

        @Bean
        GroupedExecutor bank() {
            return mock(GroupedExecutor.class, new UnsupportedOperationException("not stubbed"));
        }

        @Bean
        OrderedOutputExecutor frames() {
            return mock(OrderedOutputExecutor.class, new AssertionError("not stubbed"));
        }

        @Bean
        Payments payments() {
            return new Payments();
        }
    }

    static class Payments {
        @OrderedAsync(stripe = "#account", executor = "orders")
        public void pay(String account) {}
    }

    /** The default executor: methods use it, and it has a second bean. */
    @Test
    void theDefaultOneCanBeMocked(CapturedOutput output) throws Exception {
        try (HttpEndpoint actuator = HttpEndpoint.start(Default.class)) {
            assertThat(actuator.get("orderedexecutors").statusCode()).isEqualTo(200);
            assertThat(actuator.get("health").statusCode()).isEqualTo(200);
        }
        assertThat(output).contains("Ordered executor 'groupedExecutor'" + WARNING);
    }

    @Configuration(proxyBeanMethods = false)
    static class Default {
        @Bean
        GroupedExecutor groupedExecutor() {
            return mock(GroupedExecutor.class, null);
        }

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {
        @OrderedAsync(groups = "{#from, #to}")
        public void move(String from, String to) {}

        @OrderedAsync(stripe = "#account")
        public void book(String account) {}
    }

    /** Answers null, zero and false, or fails. */
    private static <E extends OrderedExecutor> E mock(Class<E> type, Throwable failure) {
        return Mockito.mock(type, call -> {
            if (failure != null && call.getMethod().getDeclaringClass() != Object.class) {
                throw failure;
            }
            return Mockito.RETURNS_DEFAULTS.answer(call);
        });
    }
}
