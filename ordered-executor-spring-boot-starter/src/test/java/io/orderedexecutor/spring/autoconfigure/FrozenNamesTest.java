package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.fixtures.StartUpFailures;
import org.junit.jupiter.api.Test;
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
        assertThat(analyze("ordered-executor.striped.orders.threads=-1"))
                .contains("'ordered-executor.striped.orders.threads'")
                .contains("Invalid value '-1'")
                .contains("It must be a whole number, at least 1.");
        assertThat(analyze("ordered-executor.thread=1"))
                .contains("'ordered-executor.thread'")
                .contains("There is no such property. Did you mean 'threads'?");
    }

    @Test
    void namesThatCameLaterHaveNoBean() {
        for (String kind : new String[] {"grouped", "striped"}) {
            assertThat(analyze("ordered-executor." + kind + ".later.threads=1"))
                    .contains("'ordered-executor." + kind + ".later.threads'")
                    .contains("There is no bean for the executor name 'later'")
                    .contains("names are fixed at build time in AOT mode")
                    .contains("Build the application with it, or remove it.");
        }
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

    private static String analyze(String property) {
        try (GenericApplicationContext context = contextOf(property)) {
            Throwable failure = catchThrowable(context::refresh);
            assertThat(failure).as("the start-up failure").isNotNull();
            return StartUpFailures.reportOf(context, failure);
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
                    context.getBeanProvider(io.orderedexecutor.TaskListener.class),
                    context.getBeanProvider(StripedExecutorCustomizer.class),
                    context.getBeanProvider(GroupedExecutorCustomizer.class),
                    context.getBeanProvider(OrderedOutputExecutorCustomizer.class),
                    context,
                    context.getEnvironment());
        }
    }
}
