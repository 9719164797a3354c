package io.orderedexecutor.spring.autoconfigure;

import static io.orderedexecutor.spring.fixtures.Probes.assertThreads;
import static io.orderedexecutor.spring.fixtures.Probes.threadNames;
import static io.orderedexecutor.spring.fixtures.Probes.threadOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.StripedExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Which grouped executors there are, and how they are set up; see {@link OrderedExecutorAutoConfigurationTest}. */
class GroupedExecutorAutoConfigurationTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class));

    @Test
    void thereIsOneOfEachKind() {
        contexts.run(context -> {
            assertThat(context.getBeansOfType(OrderedExecutor.class))
                    .containsOnlyKeys("stripedExecutor", "groupedExecutor", "orderedOutputExecutor");
            assertThat(context.getBean(GroupedExecutor.class).name()).isEqualTo("ordered-executor");
        });
    }

    @Test
    void allOfItCanBeSwitchedOff() {
        contexts.withPropertyValues("ordered-executor.enabled=false", "ordered-executor.grouped.a.threads=1")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(OrderedExecutor.class));
        contexts.withClassLoader(new FilteredClassLoader(OrderedExecutor.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("groupedExecutor"));
    }

    @Test
    void theApplicationsExecutorReplacesTheDefaultOfItsKindOnly() {
        contexts.withUserConfiguration(OwnExecutor.class)
                .withPropertyValues("ordered-executor.grouped.transfers.threads=1")
                .run(context -> {
                    assertThat(context.getBeansOfType(GroupedExecutor.class)).containsOnlyKeys("mine", "transfers");
                    assertThat(context.getBean(GroupedExecutor.class)).isSameAs(context.getBean("mine"));
                    assertThat(context).hasBean("stripedExecutor");
                });
        contexts.withBean(
                        "striped",
                        StripedExecutor.class,
                        () -> StripedExecutor.builder().build())
                .run(context ->
                        assertThat(context).doesNotHaveBean("stripedExecutor").hasSingleBean(GroupedExecutor.class));
    }

    @Test
    void theApplicationsBeanOfAConfiguredNameWins() {
        contexts.withUserConfiguration(OwnExecutor.class)
                .withPropertyValues("ordered-executor.grouped.mine.threads=1")
                .run(context -> assertThat(
                                context.getBean("mine", GroupedExecutor.class).name())
                        .isEqualTo("the application's own"));
    }

    @Test
    void everyConfiguredNameIsABeanAndTheDefaultStaysPrimary() {
        contexts.withPropertyValues(
                        "ordered-executor.striped.orders.threads=1",
                        "ordered-executor.grouped.transfers.threads=3",
                        "ordered-executor.threads=1")
                .run(context -> {
                    assertThat(context.getBeanNamesForType(GroupedExecutor.class))
                            .containsExactlyInAnyOrder("groupedExecutor", "transfers");
                    assertThat(context.getBean(GroupedExecutor.class)).isSameAs(context.getBean("groupedExecutor"));
                    assertThat(context.getBean(StripedExecutor.class)).isSameAs(context.getBean("stripedExecutor"));
                    assertThreads(context.getBean("transfers", GroupedExecutor.class), 3);
                    assertThreads(context.getBean("groupedExecutor", GroupedExecutor.class), 1);
                });
    }

    @Test
    void executorsRunOnTheThreadsOfAnotherBean() {
        contexts.withUserConfiguration(Pool.class)
                .withPropertyValues("ordered-executor.threads=7", "ordered-executor.grouped.transfers.executor=pool")
                .run(context -> assertThat(threadOf(context.getBean("transfers", GroupedExecutor.class)))
                        .contains("the pool's"));
    }

    @Test
    void customizersAreCalledInOrderAndHaveTheLastWord() {
        contexts.withUserConfiguration(Customizers.class)
                .withPropertyValues("ordered-executor.grouped.transfers.threads=3")
                .run(context -> {
                    assertThreads(context.getBean("transfers", GroupedExecutor.class), 2);
                    assertThat(context.getBean(Customizers.class).calls)
                            .containsExactlyInAnyOrder(
                                    "first ordered-executor",
                                    "second ordered-executor",
                                    "first transfers",
                                    "second transfers")
                            .containsSubsequence("first transfers", "second transfers");
                });
    }

    @Test
    void noThreadIsStartedBeforeFirstUse() {
        contexts.withPropertyValues("ordered-executor.grouped.idle.threads=4").run(context -> {
            assertThat(threadNames()).noneMatch(name -> name.startsWith("idle-"));
            assertThat(threadOf(context.getBean("idle", GroupedExecutor.class))).contains("idle-");
            assertThat(threadNames()).anyMatch(name -> name.startsWith("idle-"));
        });
    }

    @Test
    void springBootsOwnTaskExecutorIsStillThere() {
        contexts.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
                .withPropertyValues("ordered-executor.grouped.transfers.threads=1")
                .run(context ->
                        assertThat(context.getBeansOfType(Executor.class)).containsOnlyKeys("applicationTaskExecutor"));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void virtualThreadsAreUsedWhereNoThreadsAreConfigured() {
        contexts.withPropertyValues("spring.threads.virtual.enabled=true", "ordered-executor.grouped.own.threads=1")
                .run(context -> {
                    assertThat(threadOf(context.getBean("groupedExecutor", GroupedExecutor.class)))
                            .startsWith("VirtualThread[#")
                            .contains("ordered-executor-");
                    assertThat(threadOf(context.getBean("own", GroupedExecutor.class)))
                            .startsWith("Thread[");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnExecutor {

        @Bean
        GroupedExecutor mine() {
            return GroupedExecutor.builder().name("the application's own").build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Pool {

        @Bean(destroyMethod = "shutdown")
        ExecutorService pool() {
            return Executors.newSingleThreadExecutor(task -> new Thread(task, "the pool's"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Customizers {
        final List<String> calls = new ArrayList<>();

        @Bean
        @Order(2)
        GroupedExecutorCustomizer second() {
            return (name, builder) -> {
                calls.add("second " + name);
                builder.threads(2);
            };
        }

        @Bean
        @Order(1)
        GroupedExecutorCustomizer first() {
            return (name, builder) -> {
                calls.add("first " + name);
                builder.threads(1);
            };
        }
    }
}
