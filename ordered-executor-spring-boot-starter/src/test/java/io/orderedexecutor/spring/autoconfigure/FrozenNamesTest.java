package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.StripedExecutor;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.support.GenericApplicationContext;

/**
 * A context as ahead-of-time processing leaves it: its bean definitions are fixed, and no registrar looks at the
 * properties.
 */
class FrozenNamesTest {

    @Test
    void valuesAreCheckedWithoutARegistrar() {
        FailureAnalysis analysis = analyze("ordered-executor.striped.orders.threads=-1");
        assertThat(analysis.getDescription())
                .contains("Property: ordered-executor.striped.orders.threads")
                .contains("Value: \"-1\"")
                .contains("must be at least 1");
        assertThat(analyze("ordered-executor.defaults.thread=1").getDescription())
                .contains("Property: ordered-executor.defaults.thread")
                .contains("is unknown");
    }

    @Test
    void namesThatCameLaterHaveNoBean() {
        assertThat(analyze("ordered-executor.grouped.later.threads=1").getDescription())
                .contains("Property: ordered-executor.grouped.later")
                .contains("names are fixed at build time in AOT mode");
        FailureAnalysis analysis = analyze("ordered-executor.striped.later.threads=1");
        assertThat(analysis.getDescription())
                .contains("Property: ordered-executor.striped.later")
                .contains("names are fixed at build time in AOT mode");
        assertThat(analysis.getAction())
                .contains("Build the application with this property")
                .contains("remove it");
    }

    @Test
    void valuesMayChange() throws Exception {
        try (GenericApplicationContext context = contextOf("ordered-executor.striped.orders.threads=3")) {
            context.refresh();
            assertThat(context.getBean("orders", StripedExecutor.class)
                            .submit("a", () -> Thread.currentThread().getName())
                            .get())
                    .startsWith("orders-");
        }
        try (GenericApplicationContext context = contextOf("ordered-executor.grouped.transfers.threads=3")) {
            context.refresh();
            assertThat(context.getBean("transfers", GroupedExecutor.class)
                            .submit(
                                    Groups.exclusive("a"),
                                    () -> Thread.currentThread().getName())
                            .get())
                    .startsWith("transfers-");
        }
    }

    private static FailureAnalysis analyze(String property) {
        try (GenericApplicationContext context = contextOf(property)) {
            Throwable failure = catchThrowable(context::refresh);
            assertThat(failure).as("the start-up failure").isNotNull();
            FailureAnalysis analysis = new OrderedExecutorPropertyFailureAnalyzer().analyze(failure);
            assertThat(analysis).as("the analysis of " + failure).isNotNull();
            return analysis;
        }
    }

    /** Built with the names orders and transfers, started with other properties. */
    private static GenericApplicationContext contextOf(String property) {
        GenericApplicationContext built = new GenericApplicationContext();
        TestPropertyValues.of(
                        "ordered-executor.striped.orders.threads=2", "ordered-executor.grouped.transfers.threads=2")
                .applyTo(built);
        new NamedExecutorBeanDefinitions(built.getEnvironment(), built.getDefaultListableBeanFactory())
                .registerBeanDefinitions(
                        org.springframework.core.type.AnnotationMetadata.introspect(FrozenNamesTest.class),
                        built.getDefaultListableBeanFactory());
        GenericApplicationContext started = new GenericApplicationContext();
        started.registerBeanDefinition("orders", built.getBeanDefinition("orders"));
        started.registerBeanDefinition("transfers", built.getBeanDefinition("transfers"));
        new AnnotatedBeanDefinitionReader(started).registerBean(Factory.class);
        TestPropertyValues.of(property).applyTo(started);
        return started;
    }

    /** Without the import of the registrar, which is not run in AOT mode. */
    @org.springframework.context.annotation.Configuration(proxyBeanMethods = false)
    @org.springframework.boot.context.properties.EnableConfigurationProperties(OrderedExecutorProperties.class)
    static class Factory {

        @org.springframework.context.annotation.Bean(ExecutorsConfiguration.FACTORY)
        ExecutorFactory factory(org.springframework.context.ApplicationContext context) {
            return new ExecutorFactory(
                    context.getBeanProvider(StripedExecutorCustomizer.class),
                    context.getBeanProvider(GroupedExecutorCustomizer.class),
                    context.getBeanProvider(OrderedOutputExecutorCustomizer.class),
                    context,
                    context.getEnvironment());
        }
    }
}
