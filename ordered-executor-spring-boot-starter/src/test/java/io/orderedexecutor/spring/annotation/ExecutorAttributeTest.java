package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The ways to say which executor is meant. */
class ExecutorAttributeTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
            .withPropertyValues("ordered-executor.striped.payments.threads=1", "which=payments")
            .withBean("routes", Routes.class, Routes::new);

    @Test
    void anExpressionIsANameOrTheExecutorItself() {
        contexts.withInitializer(context -> context.getBeanFactory().registerAlias("payments", "salaries"))
                .withBean(Expressions.class)
                .run(context -> {
                    Expressions bean = context.getBean(Expressions.class);
                    assertThat(threadOf(bean.byName("a"))).startsWith("payments-");
                    assertThat(threadOf(bean.byBean("a"))).startsWith("payments-");
                    assertThat(threadOf(bean.byAlias("a"))).startsWith("payments-");
                    assertThat(threadOf(bean.byPlaceholderInExpression("a"))).startsWith("payments-");
                    assertThat(threadOf(bean.byEmpty("a"))).startsWith("ordered-executor-");
                    assertThat(threadOf(bean.shared("a"))).startsWith("ordered-executor-");
                    assertThat(context.getBean(OrderedAsyncPostProcessor.class).methodsOf("payments"))
                            .containsExactly(
                                    "ExecutorAttributeTest.Expressions.byAlias(String)",
                                    "ExecutorAttributeTest.Expressions.byBean(String)",
                                    "ExecutorAttributeTest.Expressions.byName(String)",
                                    "ExecutorAttributeTest.Expressions.byPlaceholderInExpression(String)");
                });
    }

    @Test
    void aQualifierIsAsGoodAsAName() {
        contexts.withUserConfiguration(Qualified.class)
                .withBean(ByQualifier.class)
                .run(context -> assertThat(
                                threadOf(context.getBean(ByQualifier.class).handle("a")))
                        .startsWith("of the qualifier-"));
    }

    @Test
    void invalidExpressionsAreRefused() {
        assertRefused(
                NoSuchBean.class,
                "has the executor '#{@nope}', an expression that cannot be evaluated",
                "#{@nameOfABean} is a bean, and 'stripedExecutor' alone is the name of one.");
        assertRefused(
                OtherKind.class,
                "has the executor '#{@orderedOutputExecutor}', which is a "
                        + "io.orderedexecutor.OrderedOutputExecutor, not a "
                        + "StripedExecutor",
                "Use a StripedExecutor or the name of one: groupedExecutor, payments, stripedExecutor.");
        assertRefused(
                UnknownName.class,
                "names the executor 'no executor', but there is no such StripedExecutor bean",
                "Use one of groupedExecutor, payments, stripedExecutor");
        assertRefused(
                NameInLowerCase.class,
                "names the executor 'stripedexecutor', but there is no such StripedExecutor bean",
                "Did you mean 'stripedExecutor'? Use one of groupedExecutor, payments, stripedExecutor");
    }

    private void assertRefused(Class<?> bean, String problem, String fix) {
        contexts.withBean(bean).run(context -> {
            assertThat(context).hasFailed();
            FailureAnalysis analysis = new InvalidOrderedAsyncFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis).isNotNull();
            assertThat(analysis.getDescription()).contains(problem);
            assertThat(analysis.getAction()).contains(fix);
        });
    }

    private static String threadOf(CompletableFuture<String> call) throws Exception {
        return call.get(30, TimeUnit.SECONDS);
    }

    private static CompletableFuture<String> thread() {
        return CompletableFuture.completedFuture(Thread.currentThread().getName());
    }

    static class Routes {
        public String executor() {
            return "payments";
        }
    }

    static class Expressions {
        @OrderedAsync(stripe = "#key", executor = "#{@routes.executor()}")
        public CompletableFuture<String> byName(String key) {
            return thread();
        }

        @OrderedAsync(stripe = "#key", executor = "salaries")
        public CompletableFuture<String> byAlias(String key) {
            return thread();
        }

        @OrderedAsync(stripe = "#key", executor = "#{@payments}")
        public CompletableFuture<String> byBean(String key) {
            return thread();
        }

        @OrderedAsync(stripe = "#key", executor = "#{'${which}'}")
        public CompletableFuture<String> byPlaceholderInExpression(String key) {
            return thread();
        }

        @OrderedAsync(stripe = "#key", executor = "#{null}")
        public CompletableFuture<String> byEmpty(String key) {
            return thread();
        }

        @OrderedAsync(shared = "#key", executor = "#{@groupedExecutor}")
        public CompletableFuture<String> shared(String key) {
            return thread();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Qualified {

        @Bean
        @Qualifier("money")
        StripedExecutor first() {
            return StripedExecutor.builder().name("of the qualifier").threads(1).build();
        }

        @Bean
        @Qualifier("money")
        GroupedExecutor ofTheOtherKind() {
            return GroupedExecutor.builder().build();
        }
    }

    static class ByQualifier {
        @OrderedAsync(stripe = "#key", executor = "money")
        public CompletableFuture<String> handle(String key) {
            return thread();
        }
    }

    static class NoSuchBean {
        @OrderedAsync(stripe = "#key", executor = "#{@nope}")
        public void handle(String key) {}
    }

    static class OtherKind {
        @OrderedAsync(stripe = "#key", executor = "#{@orderedOutputExecutor}")
        public void handle(String key) {}
    }

    static class NameInLowerCase {
        @OrderedAsync(stripe = "#key", executor = "stripedexecutor")
        public void handle(String key) {}
    }

    static class UnknownName {
        @OrderedAsync(stripe = "#key", executor = "#{'no executor'}")
        public void handle(String key) {}
    }
}
