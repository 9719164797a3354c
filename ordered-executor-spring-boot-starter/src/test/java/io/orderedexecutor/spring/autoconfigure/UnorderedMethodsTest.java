package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

/** What is said where annotated methods are not ordered. */
@ExtendWith(OutputCaptureExtension.class)
class UnorderedMethodsTest {
    private static final String WARNING = "ordered-executor.enabled is false: ";

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class));
    private final ApplicationContextRunner disabled =
            contexts.withPropertyValues("ordered-executor.enabled=false").withUserConfiguration(WithAsync.class);

    @Test
    void oneWarningCountsTheMethodsOfAllBeans(CapturedOutput output) {
        disabled.withBean("accounts", Accounts.class)
                .withBean("moreAccounts", Accounts.class)
                .withBean(Whole.class)
                .withBean(Plain.class)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .containsOnlyOnce(WARNING)
                .contains("WARN")
                .contains(WARNING + "4 methods with @OrderedAsync run on the threads of callers, unordered: ")
                .contains("Accounts.book, ")
                .contains(" and 1 more");
    }

    @Test
    void oneMethodIsNamed(CapturedOutput output) {
        disabled.withBean(One.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .contains(WARNING + "1 method with @OrderedAsync runs on the threads of callers, unordered: ")
                .contains("$One.book");
    }

    @Test
    void thereIsNoneIfThereIsNoMethodOrTheyAreOrdered(CapturedOutput output) {
        disabled.withBean(Plain.class).run(context -> assertThat(context).hasNotFailed());
        contexts.withBean(Accounts.class)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(UnorderedMethods.class));
        assertThat(output).doesNotContain("unordered");
    }

    static class Accounts {
        @OrderedAsync(stripe = "#account")
        public void book(String account) {}

        @OrderedAsync(groups = "{#from, #to}")
        public void transfer(String from, String to) {}

        @Async
        public void audit() {}
    }

    @OrderedAsync(stripe = "'all'")
    static class Whole {
        public void first() {}

        public void second() {}
    }

    static class One {
        @OrderedAsync(stripe = "#account")
        public void book(String account) {}
    }

    static class Plain {
        public void book() {}
    }

    @EnableAsync
    static class WithAsync {}
}
