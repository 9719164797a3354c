package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.DeclarationAssertions.CONTEXTS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

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
    void switchedOffGetsNone(CapturedOutput output) {
        withoutLibrary
                .withPropertyValues("spring.task.execution.propagate-context=false")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain(WARNING);
    }
}
