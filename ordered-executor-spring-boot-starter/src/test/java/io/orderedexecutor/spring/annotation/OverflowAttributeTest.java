package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.spring.annotation.OrderedAsync.OverflowMode;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorThreads;
import io.orderedexecutor.spring.fixtures.Steps;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.test.util.AopTestUtils;

/** A method with an overflow of its own, on an executor that takes one task for each key. */
class OverflowAttributeTest {
    private final Steps steps = new Steps();
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
            .withBean(OrderedExecutorThreads.class, () -> (builder, name) -> builder.executor(steps))
            .withPropertyValues(
                    "ordered-executor.key-capacity=1", "ordered-executor.overflow=discard-oldest", "patience=1ns");

    static class Service {
        final List<String> ran = new ArrayList<>();

        @OrderedAsync(stripe = "#key")
        public CompletableFuture<String> asTheExecutor(String key, String name) {
            return done(name);
        }

        @OrderedAsync(stripe = "#key", overflow = OverflowMode.REJECT)
        public CompletableFuture<String> reject(String key, String name) {
            return done(name);
        }

        @OrderedAsync(groups = "{#key}", overflow = OverflowMode.REJECT)
        public CompletableFuture<String> rejectGroup(String key, String name) {
            return done(name);
        }

        @OrderedAsync(groups = "{#key}", overflow = OverflowMode.BLOCK, overflowTimeout = "${patience}")
        public CompletableFuture<String> block(String key, String name) {
            return done(name);
        }

        @OrderedAsync(
                stripe = "#key",
                overflow = OverflowMode.REJECT,
                whenBusy = OrderedAsync.Mode.COLLECT,
                maxBatch = "1")
        public CompletableFuture<Void> collect(String key, List<String> names) {
            ran.addAll(names);
            return CompletableFuture.completedFuture(null);
        }

        private CompletableFuture<String> done(String name) {
            ran.add(name);
            return CompletableFuture.completedFuture(name);
        }
    }

    @Test
    void aMethodRefusesWhereItsExecutorDrops() {
        contexts.withBean(Service.class).run(context -> {
            Service service = context.getBean(Service.class);
            CompletableFuture<String> first = service.reject("a", "first");
            assertThatThrownBy(() -> service.reject("a", "second")).isInstanceOf(RejectedExecutionException.class);
            assertThatThrownBy(() -> service.rejectGroup("a", "third")).isInstanceOf(RejectedExecutionException.class);
            assertThatThrownBy(() -> service.collect("a", List.of("fourth")))
                    .isInstanceOf(RejectedExecutionException.class);
            assertThat(first).isNotDone();
            assertThatThrownBy(() -> service.block("a", "fifth"))
                    .as("after the time that it waits")
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContaining("PT0.000000001S");
            CompletableFuture<String> last = service.asTheExecutor("a", "last");
            assertThat(first).isCancelled();
            steps.runAll();
            assertThat(last).isCompletedWithValue("last");
            Service target = AopTestUtils.getTargetObject(service);
            assertThat(target.ran).containsExactly("last");
        });
    }

    static class WithoutTimeout {
        @OrderedAsync(stripe = "#key", overflow = OverflowMode.BLOCK)
        public void handle(String key) {}
    }

    static class WithoutBlock {
        @OrderedAsync(stripe = "#key", overflow = OverflowMode.REJECT, overflowTimeout = "5s")
        public void handle(String key) {}
    }

    static class NoDuration {
        @OrderedAsync(stripe = "#key", overflow = OverflowMode.BLOCK, overflowTimeout = "soon")
        public void handle(String key) {}
    }

    @Test
    void whatHasNoLimitOrNoEffectIsRefused() {
        assertRefused(WithoutTimeout.class, "overflow = BLOCK without overflowTimeout", "Add overflowTimeout = \"5s\"");
        assertRefused(
                WithoutBlock.class, "overflowTimeout without overflow = BLOCK", "Set overflow = BLOCK, or remove");
        assertRefused(NoDuration.class, "overflowTimeout = \"soon\"", "a duration such as 20ms or 1s");
    }

    private void assertRefused(Class<?> bean, String problem, String fix) {
        contexts.withBean(bean)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining(problem)
                        .hasMessageContaining(fix));
    }
}
