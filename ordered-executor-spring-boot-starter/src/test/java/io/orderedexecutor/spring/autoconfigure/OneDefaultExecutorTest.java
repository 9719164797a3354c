package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.fixtures.Journal;
import io.orderedexecutor.spring.fixtures.StartUpFailures;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The beans {@code stripedExecutor} and {@code groupedExecutor} are one executor, and are shown and ended as one. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class OneDefaultExecutorTest {
    private static final String TWO_SPACES = "Methods with a stripe and methods with groups run in no common order";

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class,
                    LifecycleAutoConfiguration.class, // timeout-per-shutdown-phase
                    OrderedExecutorMetricsAutoConfiguration.class,
                    OrderedExecutorsEndpointAutoConfiguration.class,
                    OrderedExecutorsHealthContributorAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class)
            .withPropertyValues("management.endpoints.web.exposure.include=*");

    private static GroupedExecutor bank() {
        return GroupedExecutor.builder().name("the bank").threads(2).build();
    }

    private static StripedExecutor orders() {
        return StripedExecutor.builder().name("the orders").threads(2).build();
    }

    @Test
    @DisplayName("the striped bean is the stripes of the grouped one, ours or the application's")
    void theStripedBeanIsAFace(CapturedOutput output) {
        contexts.run(context -> {
            assertThat(context.getBean("stripedExecutor"))
                    .isSameAs(context.getBean("groupedExecutor", GroupedExecutor.class)
                            .stripes())
                    .isSameAs(context.getBean(StripedExecutor.class));
            assertThat(context.getBean(StripedExecutor.class).name()).isEqualTo("ordered-executor");
        });
        contexts.withBean("bank", GroupedExecutor.class, OneDefaultExecutorTest::bank)
                .run(context -> {
                    assertThat(context).hasSingleBean(GroupedExecutor.class);
                    assertThat(context.getBean("stripedExecutor"))
                            .isSameAs(context.getBean("bank", GroupedExecutor.class)
                                    .stripes());
                    assertThat(shownBy(context.getBean(OrderedExecutorsEndpoint.class)))
                            .containsExactlyInAnyOrder("bank", "orderedOutputExecutor");
                });
        assertThat(output).doesNotContain(TWO_SPACES);
    }

    @Test
    @DisplayName("the endpoint, the meters and the health create no executor of a prototype")
    void noPrototypeIsCreated() {
        AtomicInteger created = new AtomicInteger();
        contexts.withBean(
                        "prototype",
                        StripedExecutor.class,
                        () -> {
                            created.incrementAndGet();
                            return orders();
                        },
                        definition -> {
                            definition.setScope(BeanDefinition.SCOPE_PROTOTYPE);
                            ((AbstractBeanDefinition) definition).setDefaultCandidate(false);
                        })
                .run(context -> {
                    assertThat(shownBy(context.getBean(OrderedExecutorsEndpoint.class)))
                            .containsExactlyInAnyOrder("ordered-executor", "orderedOutputExecutor");
                    assertThat(created).hasValue(0);
                });
    }

    @Test
    @DisplayName("the endpoint, the meters, the health and the report of the start show one executor")
    void isShownOnce(CapturedOutput output) {
        contexts.withPropertyValues("ordered-executor.grouped.accounts.threads=1", "ordered-executor.threads=1")
                .run(context -> {
                    assertThat(context.getBeansOfType(OrderedExecutor.class))
                            .containsOnlyKeys(
                                    "stripedExecutor",
                                    "groupedExecutor",
                                    "orderedOutputExecutor",
                                    "accounts",
                                    "accountsStripes");
                    List<String> names = List.of("accounts", "ordered-executor", "orderedOutputExecutor");
                    OrderedExecutorsEndpoint endpoint = context.getBean(OrderedExecutorsEndpoint.class);
                    assertThat(shownBy(endpoint)).containsExactlyElementsOf(names);
                    assertThat(ShownTypes.of(endpoint)).containsEntry("ordered-executor", "grouped");
                    assertThat(context.getBean(OrderedExecutorsHealthContributor.class).stream())
                            .extracting(entry -> entry.name())
                            .containsExactlyElementsOf(names);
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    context.getBean(OrderedExecutorMetrics.class).bindTo(registry);
                    assertThat(tags(registry, "name")).containsExactlyInAnyOrderElementsOf(names);
                    assertThat(registry.find("ordered.executor.replaced")
                                    .tags("name", "ordered-executor", "type", "grouped")
                                    .functionCounter())
                            .isNotNull();
                });
        assertThat(output.getOut().lines().filter(line -> line.contains("Ordered executors: ")))
                .singleElement()
                .asString()
                .contains("ordered-executor (grouped, ")
                .contains("accounts (grouped, 1 thread, no bounds)")
                .doesNotContain("stripedExecutor")
                .doesNotContain("groupedExecutor")
                .doesNotContain("accountsStripes");
    }

    private static Set<String> shownBy(OrderedExecutorsEndpoint endpoint) {
        return ShownTypes.of(endpoint).keySet();
    }

    private static Set<String> tags(MeterRegistry registry, String tag) {
        return registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getName().startsWith("ordered.executor."))
                .map(id -> id.getTag(tag))
                .collect(Collectors.toSet());
    }

    @Test
    @DisplayName("a close waits once for tasks of both faces, and then reports them once")
    void isEndedOnce(CapturedOutput output) {
        List<Runnable> unfinished = new ArrayList<>();
        List<String> names = new ArrayList<>();
        contexts.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=50ms")
                .withBean(UnfinishedTasksHandler.class, () -> (name, tasks) -> {
                    names.add(name);
                    unfinished.addAll(tasks);
                })
                .run(context -> {
                    CountDownLatch started = new CountDownLatch(1);
                    StripedExecutor stripes = context.getBean(StripedExecutor.class);
                    stripes.submitAsync("alice", () -> {
                        started.countDown();
                        return new CompletableFuture<>();
                    });
                    Journal.await(started);
                    stripes.execute("alice", () -> {});
                    context.getBean(GroupedExecutor.class).execute(Groups.exclusive("alice", "bob"), () -> {});
                });
        assertThat(names).containsExactly("ordered-executor");
        assertThat(unfinished).hasSize(2);
        assertThat(output.getOut().lines().filter(line -> line.contains("was stopped before it was done")))
                .singleElement()
                .asString()
                .contains("Ordered executor 'ordered-executor'")
                .contains("2 queued tasks did not run");
    }

    @Test
    @DisplayName("the executor goes on until the last bean that uses either face is destroyed")
    void isThereUntilTheEnd() {
        List<CompletableFuture<String>> last = new ArrayList<>();
        for (String accounts : new String[] {"groupedExecutor", "accounts"}) {
            contexts.withPropertyValues("ordered-executor.grouped.accounts.threads=1")
                    .withBean(
                            "early",
                            LastWill.class,
                            () -> new LastWill(
                                    ofGroups -> last.add(ofGroups.submit(Groups.exclusive("alice"), () -> "done"))))
                    .withInitializer(context -> context.addBeanFactoryPostProcessor(factory -> {
                        factory.getBeanDefinition("early").setDependsOn(accounts);
                        factory.getBeanDefinition("early")
                                .getPropertyValues()
                                .add(
                                        "executor",
                                        new org.springframework.beans.factory.config.RuntimeBeanReference(accounts));
                    }))
                    .run(context -> assertThat(context).hasNotFailed());
        }
        assertThat(last).hasSize(2).allSatisfy(future -> assertThat(future).isCompletedWithValue("done"));
    }

    /** Submits when it is destroyed. */
    static final class LastWill implements DisposableBean {
        private final Consumer<GroupedExecutor> will;
        private GroupedExecutor executor;

        LastWill(Consumer<GroupedExecutor> will) {
            this.will = will;
        }

        public void setExecutor(GroupedExecutor executor) {
            this.executor = executor;
        }

        @Override
        public void destroy() throws InterruptedException {
            will.accept(executor);
            executor.awaitIdle(java.time.Duration.ofSeconds(30));
        }
    }

    @Test
    @DisplayName("a striped executor of the application does not see the grouped one, and the start says so")
    void warnsOfTwo(CapturedOutput output) {
        contexts.withBean("orders", StripedExecutor.class, OneDefaultExecutorTest::orders)
                .run(context -> {
                    assertThat(context).doesNotHaveBean("stripedExecutor");
                    assertThat(shownBy(context.getBean(OrderedExecutorsEndpoint.class)))
                            .containsExactly("ordered-executor", "orderedOutputExecutor", "orders");
                });
        assertThat(output.getOut().lines().filter(line -> line.contains(TWO_SPACES)))
                .singleElement()
                .asString()
                .contains("WARN")
                .contains("methods with a stripe run on 'orders'")
                .contains("set executor = \"groupedExecutor\" on methods with a stripe");
    }

    @Test
    @DisplayName("a grouped executor of the application that is not the only one has no stripes by default")
    void warnsOfSeveral(CapturedOutput output) {
        contexts.withBean("bank", GroupedExecutor.class, OneDefaultExecutorTest::bank)
                .withBean("house", GroupedExecutor.class, OneDefaultExecutorTest::bank)
                .run(context -> assertThat(shownBy(context.getBean(OrderedExecutorsEndpoint.class)))
                        .containsExactly("bank", "house", "ordered-executor", "orderedOutputExecutor"));
        assertThat(output.getOut().lines().filter(line -> line.contains(TWO_SPACES)))
                .singleElement()
                .asString()
                .contains("WARN")
                .contains("methods with groups on 'bank', 'house'")
                .contains("mark one of these executors as @Primary");
    }

    @Test
    @DisplayName("there is nothing to warn of if the application's stripes are those of a grouped bean, or have names")
    void doesNotWarnOfOne(CapturedOutput output) {
        contexts.withBean("bank", GroupedExecutor.class, OneDefaultExecutorTest::bank)
                .withBean("orders", StripedExecutor.class, OneDefaultExecutorTest::orders)
                .run(context -> assertThat(context).hasNotFailed());
        contexts.withPropertyValues("ordered-executor.striped.mails.threads=1")
                .run(context -> assertThat(shownBy(context.getBean(OrderedExecutorsEndpoint.class)))
                        .containsExactly("mails", "ordered-executor", "orderedOutputExecutor"));
        assertThat(output).doesNotContain(TWO_SPACES);
    }

    @Test
    @DisplayName("the default executor has the settings that are directly below the prefix")
    void settings() {
        contexts.withPropertyValues(
                        "ordered-executor.threads=3", "ordered-executor.key-capacity=5", "ordered-executor.capacity=7")
                .run(context -> {
                    var settings = context.getBean("stripedExecutor", StripedExecutor.class)
                            .inspect()
                            .settings();
                    assertThat(settings.threads()).isEqualTo(3);
                    assertThat(settings.capacity()).isEqualTo(7);
                    assertThat(settings.keyCapacity()).isEqualTo(5);
                });
    }

    @Test
    @DisplayName("the name of the stripes of a grouped executor is taken")
    void namesOfStripesClash() {
        assertThat(reportOf(
                        "ordered-executor.grouped.accounts.threads=1",
                        "ordered-executor.striped.accountsStripes.threads=1"))
                .contains("'ordered-executor.striped.accountsStripes.threads'")
                .contains("'accountsStripes' is also the name of the stripes of the grouped executor 'accounts'");
        assertThat(StartUpFailures.reportOf(contexts.withBean("accountsStripes", String.class, () -> "mine")
                        .withPropertyValues("ordered-executor.grouped.accounts.threads=1")))
                .contains("The stripes of the grouped executor 'accounts' are the bean 'accountsStripes'")
                .contains("of type java.lang.String");
    }

    private String reportOf(String... properties) {
        return StartUpFailures.reportOf(contexts.withPropertyValues(properties));
    }
}
