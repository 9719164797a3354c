package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.asyncDispatch;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsync.Mode;
import io.orderedexecutor.spring.annotation.OrderedAsync.OverflowMode;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorThreads;
import io.orderedexecutor.spring.fixtures.Steps;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The recipe of the pages: what HTTP clients get for calls that are not accepted or do not end by themselves. */
class OrderedCallProblemsTest {
    private final Steps steps = new Steps();
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
            .withBean(OrderedExecutorThreads.class, () -> (builder, name) -> builder.executor(steps))
            .withBean(Orders.class)
            .withPropertyValues("ordered-executor.key-capacity=1");

    static class Orders {
        @OrderedAsync(stripe = "#key")
        public CompletableFuture<String> book(String key) {
            return CompletableFuture.completedFuture("booked");
        }

        @OrderedAsync(stripe = "#key", overflow = OverflowMode.DISCARD_OLDEST)
        public CompletableFuture<String> discard(String key) {
            return CompletableFuture.completedFuture("booked");
        }

        @OrderedAsync(stripe = "#key", whenBusy = Mode.LATEST)
        public CompletableFuture<String> latest(String key) {
            return CompletableFuture.completedFuture("booked");
        }

        @OrderedAsync(stripe = "#key", whenBusy = Mode.REFUSE)
        public CompletableFuture<String> refuse(String key) {
            return CompletableFuture.completedFuture("booked");
        }

        @OrderedAsync(stripe = "#key")
        public CompletableFuture<String> fail(String key) {
            throw new IllegalStateException("the account is closed");
        }

        @OrderedAsync(stripe = "#key")
        public CompletableFuture<String> overload(StripedExecutor executor, String key) {
            executor.execute("another", () -> {});
            return executor.submit("another", () -> "booked"); // has no room
        }
    }

    @RestController
    record OrdersController(
            BiFunction<Orders, StripedExecutor, CompletableFuture<String>> call,
            Orders orders,
            StripedExecutor executor,
            Steps steps) {
        @GetMapping("/returned")
        CompletableFuture<String> returned() {
            return called();
        }

        @GetMapping("/derived")
        CompletableFuture<String> derived() {
            return called().thenApply(result -> result);
        }

        @GetMapping("/got")
        String got() throws ExecutionException, InterruptedException {
            return called().get();
        }

        @GetMapping("/gotDerived")
        String gotDerived() throws ExecutionException, InterruptedException {
            return derived().get();
        }

        @GetMapping("/joined")
        String joined() {
            return called().join();
        }

        @GetMapping("/joinedDerived")
        String joinedDerived() {
            return derived().join();
        }

        /** Whatever can run has run when a controller waits. */
        private CompletableFuture<String> called() {
            CompletableFuture<String> result = call.apply(orders, executor);
            steps.runAll();
            return result;
        }
    }

    private interface Outcome extends BiFunction<Orders, StripedExecutor, CompletableFuture<String>> {}

    private MockHttpServletResponse answer(String way, Outcome outcome) {
        MockHttpServletResponse[] response = new MockHttpServletResponse[1];
        contexts.run(context -> {
            MockMvc mvc = MockMvcBuilders.standaloneSetup(new OrdersController(
                            outcome,
                            context.getBean(Orders.class),
                            context.getBean("stripedExecutor", StripedExecutor.class),
                            steps))
                    .setControllerAdvice(new OrderedCallProblems())
                    .build();
            MvcResult result = mvc.perform(get("/" + way)).andReturn();
            if (result.getRequest().isAsyncStarted()) {
                result = mvc.perform(asyncDispatch(result)).andReturn();
            }
            response[0] = result.getResponse();
            // what is left, for which the context would wait when it is closed
            steps.runAll();
        });
        return response[0];
    }

    @ParameterizedTest
    @ValueSource(strings = {"returned", "derived", "got", "gotDerived", "joined", "joinedDerived"})
    void whatFindsNoRoomOrNoExecutorIsUnavailable(String way) {
        assertThat(answer(way, (orders, executor) -> {
                            orders.book("alice");
                            return orders.book("alice");
                        })
                        .getStatus())
                .as("full")
                .isEqualTo(503);
        assertThat(answer(way, (orders, executor) -> orders.overload(executor, "alice"))
                        .getStatus())
                .as("full for a call inside of the call")
                .isEqualTo(503);
        assertThat(answer(way, (orders, executor) -> {
                            executor.shutdown();
                            return orders.book("alice");
                        })
                        .getStatus())
                .as("shut down")
                .isEqualTo(503);
    }

    @ParameterizedTest
    @ValueSource(strings = {"returned", "derived", "got", "gotDerived", "joined", "joinedDerived"})
    void whatIsRefusedIsAConflict(String way) {
        assertThat(answer(way, (orders, executor) -> {
                            orders.book("alice");
                            return orders.refuse("alice");
                        })
                        .getStatus())
                .isEqualTo(409);
    }

    @ParameterizedTest
    @ValueSource(strings = {"returned", "derived", "got", "gotDerived", "joined", "joinedDerived"})
    void whatIsTakenBackIsUnavailable(String way) {
        assertThat(answer(way, (orders, executor) -> {
                            CompletableFuture<String> dropped = orders.discard("alice");
                            orders.discard("alice");
                            return dropped;
                        })
                        .getStatus())
                .as("dropped")
                .isEqualTo(503);
        assertThat(answer(way, (orders, executor) -> {
                            CompletableFuture<String> replaced = orders.latest("alice");
                            orders.latest("alice");
                            return replaced;
                        })
                        .getStatus())
                .as("replaced")
                .isEqualTo(503);
        assertThat(answer(way, (orders, executor) -> {
                            CompletableFuture<String> cancelled = orders.book("alice");
                            cancelled.cancel(true);
                            return cancelled;
                        })
                        .getStatus())
                .as("cancelled")
                .isEqualTo(503);
        assertThat(answer(way, (orders, executor) -> {
                            CompletableFuture<String> stopped = orders.book("alice");
                            executor.shutdownNow();
                            return stopped;
                        })
                        .getStatus())
                .as("not run before the executor was stopped")
                .isEqualTo(503);
    }

    @ParameterizedTest
    @ValueSource(strings = {"returned", "derived", "got", "gotDerived", "joined", "joinedDerived"})
    void otherFailuresAreNotTheRecipesBusiness(String way) throws Exception {
        assertThat(answer(way, (orders, executor) -> orders.book("alice")).getContentAsString())
                .isEqualTo("booked");
        assertThatThrownBy(() -> answer(way, (orders, executor) -> orders.fail("alice")))
                .hasRootCauseMessage("the account is closed");
    }

    @Test
    void theBodyIsAProblemThatNamesNoKey() throws Exception {
        MockHttpServletResponse response = answer("returned", (orders, executor) -> {
            orders.book("alice");
            return orders.refuse("alice");
        });
        assertThat(response.getContentType()).isEqualTo("application/problem+json");
        assertThat(response.getContentAsString()).contains("\"status\":409").doesNotContain("alice");
    }
}
