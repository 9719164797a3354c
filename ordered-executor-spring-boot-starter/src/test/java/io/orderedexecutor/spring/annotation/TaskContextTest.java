package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.fixtures.Steps;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.interceptor.AsyncUncaughtExceptionHandler;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.TaskDecorator;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.test.util.AopTestUtils;

/** What the application puts around its tasks: decorators, and a handler of failures. */
@ExtendWith(OutputCaptureExtension.class)
class TaskContextTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
            .withBean(Service.class);

    @Test
    void failuresOfVoidMethodsGoToTheHandlerBeanAndAreCounted() {
        CompletableFuture<String> told = new CompletableFuture<>();
        AsyncUncaughtExceptionHandler handler = (failure, method, arguments) ->
                told.complete(failure.getMessage() + " " + method.getName() + arguments[0]);
        contexts.withBean(AsyncUncaughtExceptionHandler.class, () -> handler).run(context -> {
            context.getBean(Service.class).fail("a");
            assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo("expected faila");
            // the next task of the stripe starts after the failed one has been counted
            context.getBean(Service.class).read("a").get();
            assertThat(context.getBean(StripedExecutor.class).inspect().stats().failed())
                    .isEqualTo(1);
        });
    }

    @Test
    void failuresOfVoidMethodsGoToTheHandlerOfTheConfigurer() {
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        AsyncConfigurer configurer = new AsyncConfigurer() {
            @Override
            public AsyncUncaughtExceptionHandler getAsyncUncaughtExceptionHandler() {
                return (failure, method, arguments) -> told.complete(failure);
            }
        };
        contexts.withBean(AsyncConfigurer.class, () -> configurer).run(context -> {
            context.getBean(Service.class).fail("a");
            assertThat(told.get(30, TimeUnit.SECONDS)).hasMessage("expected");
        });
    }

    @Test
    void failuresOfVoidMethodsAreLoggedOtherwise(CapturedOutput output) {
        contexts.run(context -> {
            context.getBean(Service.class).fail("a");
            context.getBean(Service.class).read("a").get();
        });
        assertThat(output)
                .contains("Unexpected exception occurred invoking async method")
                .contains("expected");
    }

    @Test
    void aHandlerThatFailsHurtsNobody(CapturedOutput output) {
        AsyncUncaughtExceptionHandler handler = (failure, method, arguments) -> {
            throw new IllegalStateException("of the handler");
        };
        contexts.withBean(AsyncUncaughtExceptionHandler.class, () -> handler).run(context -> {
            context.getBean(Service.class).fail("a");
            assertThat(context.getBean(Service.class).read("a").get()).isNull();
        });
        assertThat(output).contains("The AsyncUncaughtExceptionHandler failed").contains("of the handler");
    }

    @Test
    void decoratorsReadTheContextOfTheCaller() {
        contexts.withUserConfiguration(Decorators.class).run(context -> {
            Service.CONTEXT.set("of the caller");
            try {
                assertThat(context.getBean(Service.class).read("a").get()).isEqualTo("outer of the caller");
            } finally {
                Service.CONTEXT.remove();
            }
            assertThat(context.getBean(Service.class).read("a").get()).isEqualTo("outer null");
        });
    }

    @Test
    void aDecoratorThatDropsItsTaskFailsTheCall() {
        contexts.withBean(TaskDecorator.class, () -> task -> () -> {})
                .run(context -> assertThatThrownBy(
                                context.getBean(Service.class).read("a")::get)
                        .cause()
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("TaskDecorator did not run its task")
                        .hasMessageContaining("Service.read("));
    }

    @Test
    void aVoidCallThatADecoratorKeepsFromRunningIsReported() {
        assertReported(
                contexts.withBean(TaskDecorator.class, () -> task -> () -> {}), "A TaskDecorator did not run its task");
        assertReported(
                contexts.withBean(
                        TaskDecorator.class,
                        () -> task -> () -> {
                            throw new IllegalStateException("of the decorator");
                        }),
                "of the decorator");
    }

    @Test
    void aVoidCallThatTheObserverKeepsFromRunningIsReported() {
        OrderedAsyncObserver.WatchedCall call = new OrderedAsyncObserver.WatchedCall() {
            @Override
            public OrderedAsyncObserver.WatchedRun started() {
                throw new IllegalStateException("of the observer");
            }

            @Override
            public void failed(Throwable reason) {}
        };
        assertReported(
                contexts.withBean(OrderedAsyncObserver.class, () -> (submitted, executorName, executorType) -> call),
                "of the observer");
    }

    private static void assertReported(ApplicationContextRunner contexts, String problem) {
        List<String> told = new CopyOnWriteArrayList<>();
        AsyncUncaughtExceptionHandler handler =
                (failure, method, arguments) -> told.add(method.getName() + arguments[0] + ": " + failure.getMessage());
        contexts.withBean(AsyncUncaughtExceptionHandler.class, () -> handler).run(context -> {
            context.getBean(Service.class).fail("a");
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            executor.close();
            assertThat(executor.inspect().stats().failed()).isEqualTo(1);
            assertThat(told).singleElement().asString().startsWith("faila: " + problem);
        });
    }

    /** The method has run, so the call lasts until its stage is complete, and does not run again. */
    @Test
    void aDecoratorThatFailsAfterItsTaskDoesNotEndTheTurn(CapturedOutput output) {
        Steps steps = new Steps();
        contexts.withBean("steps", Steps.class, () -> steps)
                .withPropertyValues("ordered-executor.executor=steps")
                .withBean(
                        TaskDecorator.class,
                        () -> task -> () -> {
                            task.run();
                            throw new IllegalStateException("of the decorator");
                        })
                .run(context -> {
                    Service service = context.getBean(Service.class);
                    CompletableFuture<String> stage = new CompletableFuture<>();
                    CompletableFuture<String> first = service.keep("a", stage);
                    CompletableFuture<String> second = service.keep("a", CompletableFuture.completedFuture("second"));
                    steps.runAll();
                    assertThat(first).isNotDone();
                    assertThat(second).isNotDone();
                    stage.complete("first");
                    steps.runAll();
                    assertThat(first).isCompletedWithValue("first");
                    assertThat(second).isCompletedWithValue("second");
                    assertThat(AopTestUtils.<Service>getTargetObject(service).kept)
                            .hasValue(2);
                });
        assertThat(output)
                .contains("A TaskDecorator failed after its task had run")
                .contains("of the decorator");
    }

    static class Service {
        private final AtomicInteger kept = new AtomicInteger();

        static final ThreadLocal<String> CONTEXT = new ThreadLocal<>();

        @OrderedAsync(stripe = "#clientId")
        public void fail(String clientId) {
            throw new IllegalStateException("expected");
        }

        @OrderedAsync(stripe = "#clientId")
        public CompletableFuture<String> keep(String clientId, CompletableFuture<String> stage) {
            kept.incrementAndGet();
            return stage;
        }

        @OrderedAsync(stripe = "#clientId")
        public CompletableFuture<String> read(String clientId) {
            return CompletableFuture.completedFuture(CONTEXT.get());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Decorators {

        @Bean
        @Order(1)
        TaskDecorator outer() {
            return task -> {
                String captured = "outer " + Service.CONTEXT.get();
                return () -> {
                    Service.CONTEXT.set("overwritten by the inner one");
                    task.run();
                    assertThat(captured).isNotNull();
                };
            };
        }

        @Bean
        @Order(2)
        TaskDecorator inner() {
            return task -> {
                String captured = Service.CONTEXT.get();
                return () -> {
                    assertThat(Service.CONTEXT.get()).isEqualTo("overwritten by the inner one");
                    Service.CONTEXT.set("outer " + captured);
                    try {
                        task.run();
                    } finally {
                        Service.CONTEXT.remove();
                    }
                };
            };
        }
    }
}
