package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.KeyedExecutorDescriptor;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The endpoint tells which methods an executor keeps in order, whether by a stripe or by groups. */
class MethodsOfExecutorsTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class,
                    EndpointAutoConfiguration.class,
                    OrderedExecutorsEndpointAutoConfiguration.class))
            .withPropertyValues(
                    "management.endpoints.jmx.exposure.include=orderedexecutors", "spring.jmx.enabled=true");

    static class Orders {
        @OrderedAsync(stripe = "#id")
        public void pay(String id) {}

        @OrderedAsync(groups = "{#from, #to}")
        public void move(String from, String to) {}
    }

    @Test
    void theDefaultExecutorHasThoseOfBothFaces() {
        contexts.withBean(Orders.class).run(context -> {
            OrderedExecutorsEndpoint endpoint = context.getBean(OrderedExecutorsEndpoint.class);
            assertThat(endpoint.executor("ordered-executor", null, null))
                    .isInstanceOfSatisfying(
                            KeyedExecutorDescriptor.class,
                            shown -> assertThat(shown.methods())
                                    .containsExactly(
                                            "MethodsOfExecutorsTest.Orders.move(String, String)",
                                            "MethodsOfExecutorsTest.Orders.pay(String)"));
        });
    }
}
