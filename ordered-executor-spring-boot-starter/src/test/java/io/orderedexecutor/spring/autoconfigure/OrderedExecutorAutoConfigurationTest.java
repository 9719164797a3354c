package io.orderedexecutor.spring.autoconfigure;

import static io.orderedexecutor.spring.fixtures.Probes.assertThreads;
import static io.orderedexecutor.spring.fixtures.Probes.threadNames;
import static io.orderedexecutor.spring.fixtures.Probes.threadOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsyncPostProcessor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.Order;

/** Which executors there are, and how they are set up. */
class OrderedExecutorAutoConfigurationTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class));

    @Test
    void thereIsOneExecutorAndTheAnnotation() {
        contexts.run(context -> {
            assertThat(context).hasSingleBean(StripedExecutor.class).hasBean("stripedExecutor");
            assertThat(context.getBean(StripedExecutor.class).name()).isEqualTo("ordered-executor");
            assertThat(context).hasSingleBean(OrderedAsyncPostProcessor.class);
        });
    }

    @Test
    void allOfItCanBeSwitchedOff() {
        contexts.withPropertyValues("ordered-executor.enabled=false", "ordered-executor.striped.a.threads=1")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(StripedExecutor.class)
                        .doesNotHaveBean(OrderedAsyncPostProcessor.class)
                        .doesNotHaveBean(ExecutorsLifecycle.class));
        contexts.withPropertyValues("ordered-executor.enabled=true")
                .run(context -> assertThat(context).hasSingleBean(StripedExecutor.class));
    }

    @Test
    void withoutTheCoreThereIsNothing() {
        contexts.withClassLoader(new FilteredClassLoader(OrderedExecutor.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("stripedExecutor"));
    }

    @Test
    void theApplicationsExecutorReplacesTheDefaultAndIsTheOneThatIsMeant() {
        contexts.withUserConfiguration(OwnExecutor.class)
                .withPropertyValues("ordered-executor.striped.orders.threads=1")
                .run(context -> {
                    assertThat(context)
                            .doesNotHaveBean("stripedExecutor")
                            .hasBean("mine")
                            .hasBean("orders");
                    assertThat(context.getBeanProvider(StripedExecutor.class).getObject())
                            .isSameAs(context.getBean("mine"));
                });
    }

    @Test
    void everyConfiguredNameIsABeanAndTheDefaultStaysPrimary() {
        contexts.withPropertyValues(
                        "ordered-executor.striped.orders.threads=1",
                        "ordered-executor.striped.web-sockets.threads=8",
                        "ordered-executor.threads=1")
                .withUserConfiguration(Injected.class)
                .run(context -> {
                    assertThat(context.getBeanNamesForType(StripedExecutor.class))
                            .containsExactlyInAnyOrder("stripedExecutor", "orders", "web-sockets");
                    assertThat(context.getBean(StripedExecutor.class)).isSameAs(context.getBean("stripedExecutor"));
                    Injected injected = context.getBean(Injected.class);
                    assertThat(injected.executor).isSameAs(context.getBean("stripedExecutor"));
                    assertThat(injected.orders).isSameAs(context.getBean("orders"));
                    assertThat(injected.all).hasSize(3);
                    assertThat(injected.orders.name()).isEqualTo("orders");
                });
    }

    @Test
    void theApplicationsBeanOfAConfiguredNameWins() {
        contexts.withUserConfiguration(OwnExecutor.class)
                .withPropertyValues("ordered-executor.striped.mine.threads=1")
                .run(context -> {
                    assertThat(context).hasSingleBean(StripedExecutor.class);
                    assertThat(context.getBean(StripedExecutor.class).name()).isEqualTo("the application's own");
                });
    }

    @Test
    void threadsAreSetByNameOrByDefault() {
        contexts.withPropertyValues(
                        "ordered-executor.threads=1",
                        "ordered-executor.striped.orders.threads=3",
                        "ordered-executor.striped.unset.capacity=2")
                .run(context -> {
                    assertThreads(context.getBean("orders", StripedExecutor.class), 3);
                    assertThat(context.getBean("unset", StripedExecutor.class)
                                    .inspect()
                                    .settings()
                                    .threads())
                            .as("a named executor takes nothing from the default one")
                            .isEqualTo(Runtime.getRuntime().availableProcessors());
                    assertThreads(context.getBean("stripedExecutor", StripedExecutor.class), 1);
                });
    }

    @Test
    void executorsRunOnTheThreadsOfAnotherBean() {
        contexts.withUserConfiguration(Pool.class)
                .withPropertyValues("ordered-executor.threads=7", "ordered-executor.striped.orders.executor=pool")
                .run(context -> {
                    StripedExecutor orders = context.getBean("orders", StripedExecutor.class);
                    assertThat(orders.submit("a", () -> Thread.currentThread().getName())
                                    .get())
                            .isEqualTo("the pool's");
                });
        contexts.withUserConfiguration(Pool.class)
                .withPropertyValues("ordered-executor.executor=pool", "ordered-executor.striped.own.threads=1")
                .run(context -> {
                    StripedExecutor own = context.getBean("own", StripedExecutor.class);
                    assertThat(own.submit("a", () -> Thread.currentThread().getName())
                                    .get())
                            .startsWith("own-");
                    StripedExecutor other = context.getBean("stripedExecutor", StripedExecutor.class);
                    assertThat(other.submit("a", () -> Thread.currentThread().getName())
                                    .get())
                            .isEqualTo("the pool's");
                });
    }

    @Test
    void customizersAreCalledInOrderAndHaveTheLastWord() {
        contexts.withUserConfiguration(Customizers.class)
                .withPropertyValues("ordered-executor.striped.orders.threads=3")
                .run(context -> {
                    assertThreads(context.getBean("orders", StripedExecutor.class), 2);
                    assertThat(context.getBean(Customizers.class).calls)
                            .containsExactlyInAnyOrder("first orders", "second orders")
                            .containsSubsequence("first orders", "second orders");
                });
    }

    @Test
    void noThreadIsStartedBeforeFirstUse() {
        contexts.withPropertyValues("ordered-executor.striped.unused.threads=4").run(context -> {
            assertThat(threadNames()).noneMatch(name -> name.startsWith("unused-"));
            context.getBean("unused", StripedExecutor.class)
                    .submit("a", () -> null)
                    .get();
            assertThat(threadNames()).anyMatch(name -> name.startsWith("unused-"));
        });
    }

    @Test
    void springBootsOwnTaskExecutorIsStillThere() {
        contexts.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
                .withPropertyValues("ordered-executor.striped.orders.threads=1")
                .run(context -> {
                    assertThat(context).hasBean("applicationTaskExecutor");
                    assertThat(context.getBeansOfType(Executor.class)).containsOnlyKeys("applicationTaskExecutor");
                });
    }

    @Test
    void lazyContextsWork() {
        contexts.withInitializer(context -> context.addBeanFactoryPostProcessor(
                        new org.springframework.boot.LazyInitializationBeanFactoryPostProcessor()))
                .withPropertyValues("ordered-executor.striped.orders.threads=1")
                .run(context -> assertThat(context.getBean("orders", StripedExecutor.class)
                                .submit("a", () -> "ran")
                                .get())
                        .isEqualTo("ran"));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void virtualThreadsAreUsedWhereNoThreadsAreConfigured() {
        contexts.withPropertyValues("spring.threads.virtual.enabled=true", "ordered-executor.striped.own.threads=1")
                .run(context -> {
                    assertThat(threadOf(context.getBean("stripedExecutor", StripedExecutor.class)))
                            .startsWith("VirtualThread[#")
                            .contains("ordered-executor-");
                    assertThat(threadOf(context.getBean("own", StripedExecutor.class)))
                            .startsWith("Thread[");
                });
    }

    @Test
    void virtualThreadsNeedJdk21AndTheProperty() {
        contexts.run(context ->
                assertThat(threadOf(context.getBean(StripedExecutor.class))).startsWith("Thread["));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnExecutor {

        @Bean
        StripedExecutor mine() {
            return StripedExecutor.builder().name("the application's own").build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Pool {

        @Bean(destroyMethod = "shutdown")
        @Lazy
        ExecutorService pool() {
            return Executors.newSingleThreadExecutor(task -> new Thread(task, "the pool's"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Customizers {
        final List<String> calls = new ArrayList<>();

        @Bean
        @Order(2)
        StripedExecutorCustomizer second() {
            return (name, builder) -> {
                calls.add("second " + name);
                builder.threads(2);
            };
        }

        @Bean
        @Order(1)
        StripedExecutorCustomizer first() {
            return (name, builder) -> {
                calls.add("first " + name);
                builder.threads(1);
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Injected {
        @Autowired
        StripedExecutor executor;

        @Autowired
        @org.springframework.beans.factory.annotation.Qualifier("orders")
        StripedExecutor orders;

        @Autowired
        Map<String, StripedExecutor> all;
    }
}
