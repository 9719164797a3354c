package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.DeclarationAssertions.CONTEXTS;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.integration.Slf4jThreadLocalAccessor;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

/** {@code spring.task.execution.propagate-context} needs a library that is not always there. */
@ExtendWith(OutputCaptureExtension.class)
class PropagateContextTest {
    private static final String WARNING = "spring.task.execution.propagate-context is true, but"
            + " io.micrometer:context-propagation is not on the class path";

    private final ApplicationContextRunner contexts =
            CONTEXTS.withPropertyValues("spring.task.execution.propagate-context=true");
    private final ApplicationContextRunner withoutLibrary =
            contexts.withClassLoader(new FilteredClassLoader("io.micrometer.context"));

    @Test
    void withoutTheLibraryGetsAWarning(CapturedOutput output) {
        withoutLibrary.run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains(WARNING);
    }

    @Test
    void withTheLibraryGetsNone(CapturedOutput output) {
        contexts.run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void aMissingAccessorOfTheMdcIsNamedWithTheLineThatRegistersIt(CapturedOutput output) {
        ApplicationContextRunner propagating = contexts.withConfiguration(
                        AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
                .withBean(Accounts.class);
        try {
            MDC.put("request", "42");
            propagating.run(context -> assertThat(mdcOfACall(context)).isEqualTo("none"));
            assertThat(output)
                    .containsOnlyOnce(
                            "but not their MDC, as no ThreadLocalAccessor of it is registered (registered are ")
                    .contains("INFO")
                    .contains("micrometer.observation")
                    .contains("io.micrometer.context.ContextRegistry.getInstance().registerThreadLocalAccessor("
                            + "new io.micrometer.context.integration.Slf4jThreadLocalAccessor());");
            // what the line says
            ContextRegistry.getInstance().registerThreadLocalAccessor(new Slf4jThreadLocalAccessor());
            propagating.run(context -> assertThat(mdcOfACall(context)).isEqualTo("42"));
            assertThat(output).containsOnlyOnce("but not their MDC");
        } finally {
            ContextRegistry.getInstance().removeThreadLocalAccessor(Slf4jThreadLocalAccessor.KEY);
            MDC.clear();
        }
    }

    private static String mdcOfACall(ApplicationContext context) {
        return context.getBean(Accounts.class)
                .mdc("alice")
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }

    static class Accounts {
        @OrderedAsync(stripe = "#account")
        public CompletableFuture<String> mdc(String account) {
            return CompletableFuture.completedFuture(Objects.requireNonNullElse(MDC.get("request"), "none"));
        }
    }

    @Test
    void nothingIsSaidOfTheMdcWhereNothingIsPropagatedOrOrdered(CapturedOutput output) {
        contexts.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed());
        CONTEXTS.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
                .withBean(Accounts.class)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("MDC");
    }

    @Test
    void switchedOffGetsNone(CapturedOutput output) {
        withoutLibrary
                .withPropertyValues("spring.task.execution.propagate-context=false")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain(WARNING);
    }
}
