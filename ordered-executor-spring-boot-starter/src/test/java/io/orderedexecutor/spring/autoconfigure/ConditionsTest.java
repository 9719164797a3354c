package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.spring.annotation.OrderedAsyncPostProcessor;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Conditions that the auto-configurations have in common, each by itself; those of one of them are in its own test. */
class ConditionsTest {
    private static final List<Class<?>> PARTS = List.of(
            OrderedExecutorMetrics.class,
            OrderedExecutorsEndpoint.class,
            OrderedExecutorsEndpointWebExtension.class,
            OrderedExecutorsHealthContributor.class,
            OrderedAsyncObservations.class);

    /** All that the parts ask for, except executors. */
    private final ApplicationContextRunner parts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorMetricsAutoConfiguration.class,
                    OrderedExecutorsEndpointAutoConfiguration.class,
                    OrderedExecutorsHealthContributorAutoConfiguration.class,
                    OrderedAsyncObservationAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class)
            .withBean(ObservationRegistry.class, ObservationRegistry::create)
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=orderedexecutors",
                    "ordered-executor.observations.enabled=true");

    private final ApplicationContextRunner all =
            parts.withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class));

    private static void assertParts(AssertableApplicationContext context, List<Class<?>> expected) {
        assertThat(context).hasNotFailed();
        for (Class<?> part : PARTS) {
            assertThat(context.getBeanNamesForType(part))
                    .as(part.getSimpleName())
                    .hasSize(expected.contains(part) ? 1 : 0);
        }
    }

    @Test
    void allPartsAreThere() {
        all.run(context -> assertParts(context, PARTS));
    }

    @Test
    void withoutExecutorsThereIsNothingToLookAt() {
        parts.run(context -> assertParts(context, List.of(OrderedAsyncObservations.class)));
    }

    @Test
    void executorsOfTheApplicationAreLookedAtUnlessThatIsSwitchedOff() {
        ApplicationContextRunner own = parts.withBean(
                StripedExecutor.class, () -> StripedExecutor.builder().build());
        own.run(context -> assertParts(context, PARTS));
        own.withPropertyValues("ordered-executor.enabled=false").run(context -> assertParts(context, List.of()));
    }

    @Test
    void withoutTheCoreThereIsNothing() {
        all.withClassLoader(new FilteredClassLoader(OrderedExecutor.class)).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBeanDefinitionNames())
                    .noneMatch(name -> name.toLowerCase(Locale.ROOT).contains("orderedexecutor")
                            || name.toLowerCase(Locale.ROOT).contains("orderedasync"));
        });
    }

    @Test
    void withoutTheConditionsOfTheActuatorThereIsNoEndpointAndNoHealth() {
        all.withClassLoader(new FilteredClassLoader(ConditionalOnAvailableEndpoint.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(StripedExecutor.class)
                        .doesNotHaveBean("orderedExecutorsEndpoint")
                        .hasBean("orderedexecutorsHealthContributor"));
        all.withClassLoader(new FilteredClassLoader(ConditionalOnEnabledHealthIndicator.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(StripedExecutor.class)
                        .doesNotHaveBean("orderedexecutorsHealthContributor")
                        .hasBean("orderedExecutorsEndpoint"));
    }

    @Test
    void theApplicationsOwnPartsWin() {
        OrderedExecutorsEndpoint endpoint =
                new OrderedExecutorsEndpoint(Map.of(), name -> List.of(), Show.NEVER, List.of());
        all.withBean("mine", OrderedExecutorsEndpoint.class, () -> endpoint).run(context -> {
            assertParts(context, PARTS);
            assertThat(context.getBean(OrderedExecutorsEndpoint.class)).isSameAs(endpoint);
        });
        OrderedExecutorsEndpointWebExtension extension =
                new OrderedExecutorsEndpointWebExtension(endpoint, Show.NEVER, Set.of());
        all.withBean("mine", OrderedExecutorsEndpointWebExtension.class, () -> extension)
                .run(context -> {
                    assertParts(context, PARTS);
                    assertThat(context.getBean(OrderedExecutorsEndpointWebExtension.class))
                            .isSameAs(extension);
                });
        OrderedExecutorsHealthContributor health = new OrderedExecutorsHealthContributor(Map.of(), 1, null);
        all.withBean("orderedexecutorsHealthContributor", OrderedExecutorsHealthContributor.class, () -> health)
                .run(context -> {
                    assertParts(context, PARTS);
                    assertThat(context.getBean(OrderedExecutorsHealthContributor.class))
                            .isSameAs(health);
                });
        OrderedAsyncPostProcessor postProcessor = new OrderedAsyncPostProcessor();
        all.withBean("mine", OrderedAsyncPostProcessor.class, () -> postProcessor)
                .run(context -> {
                    assertParts(context, PARTS);
                    assertThat(context.getBean(OrderedAsyncPostProcessor.class)).isSameAs(postProcessor);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnBesideOthers {
        @Bean(defaultCandidate = false)
        StripedExecutor imports(StripedExecutorBuilder builder) {
            return builder.name("imports").build();
        }

        @Bean(autowireCandidate = false)
        StripedExecutor internal(StripedExecutorBuilder builder) {
            return builder.name("internal").build();
        }
    }

    /** Only an executor that cannot be injected at all is left out. */
    @Test
    void anExecutorThatIsNoDefaultCandidateIsLookedAt() {
        all.withUserConfiguration(OwnBesideOthers.class).run(context -> {
            String[] expected = {"imports", "ordered-executor"};
            SimpleMeterRegistry registry = context.getBean(SimpleMeterRegistry.class);
            context.getBeansOfType(MeterBinder.class).values().forEach(binder -> binder.bindTo(registry));
            for (String meter : List.of("ordered.executor.queued", "ordered.executor.transactions.late")) {
                assertThat(registry.find(meter).meters())
                        .extracting(found -> found.getId().getTag("name"))
                        .as(meter)
                        .contains(expected)
                        .doesNotContain("internal");
            }
            assertThat(context.getBean(OrderedExecutorsEndpoint.class)
                            .executors()
                            .executors())
                    .containsKeys(expected)
                    .doesNotContainKey("internal");
            assertThat(context.getBean(OrderedExecutorsHealthContributor.class).stream())
                    .extracting(HealthContributors.Entry::name)
                    .contains(expected)
                    .doesNotContain("internal");
        });
    }

    /** Some sources of properties have only text, as a file of properties. */
    @Test
    void eachSwitchTakesAllWordsForTrue() {
        for (String on : List.of("true", "TRUE", "yes", "on", "1")) {
            all.withPropertyValues("ordered-executor.observations.enabled=" + on)
                    .run(context -> assertParts(context, PARTS));
        }
        all.withPropertyValues("ordered-executor.observations.enabled=off")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(OrderedAsyncObservations.class));
    }
}
