package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What the start of an application says of a declaration. */
final class DeclarationAssertions {
    static final ApplicationContextRunner CONTEXTS = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, AopAutoConfiguration.class));

    private DeclarationAssertions() {}

    static void assertAccepted(Class<?> bean) {
        CONTEXTS.withBean(bean).run(context -> assertThat(context).hasNotFailed());
    }

    static void assertRefused(Class<?> bean, String where, String problem, String fix) {
        CONTEXTS.withBean(bean).run(context -> assertRefused(context.getStartupFailure(), where, problem, fix));
    }

    static void assertRefused(Throwable failure, String where, String problem, String fix) {
        assertThat(failure).as("the start-up failure").isNotNull();
        FailureAnalysis analysis = new InvalidOrderedAsyncFailureAnalyzer().analyze(failure);
        assertThat(analysis).as("the analysis of " + failure).isNotNull();
        assertThat(analysis.getDescription())
                .contains("@OrderedAsync on ")
                .contains(where)
                .contains(problem);
        assertThat(analysis.getAction()).contains(fix);
    }
}
