package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.spring.fixtures.StartUpFailures;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Ordered output executors as beans. */
class OrderedOutputExecutorAutoConfigurationTest {
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class));

    @Test
    void oneIsAlwaysThereAndWritesInOrder() {
        application.run(context -> {
            OrderedOutputExecutor executor = context.getBean(OrderedOutputExecutor.class);
            assertThat(executor.name()).isEqualTo("orderedOutputExecutor");
            List<Integer> written = new ArrayList<>();
            try (OrderedOutput<Integer> output = executor.open(written::add)) {
                for (int i = 0; i < 100; i++) {
                    int number = i;
                    output.submit(() -> number);
                }
            }
            assertThat(written).isEqualTo(IntStream.range(0, 100).boxed().toList());
        });
    }

    @Test
    void aNameIsABeanWithItsSettings() {
        application
                .withPropertyValues(
                        "ordered-executor.ordered-output.frames.threads=3",
                        "ordered-executor.ordered-output.frames.window=7",
                        "ordered-executor.ordered-output.frames.concurrency=2",
                        "ordered-executor.ordered-output.frames.overflow=block",
                        "ordered-executor.ordered-output.frames.overflow-timeout=2s",
                        "ordered-executor.ordered-output.frames.retry.max-retries=1",
                        "ordered-executor.ordered-output.frames.retry.delay=0")
                .run(context -> {
                    OrderedOutputExecutor frames = context.getBean("frames", OrderedOutputExecutor.class);
                    OrderedExecutorSettings settings = frames.inspect().settings();
                    assertThat(settings.threads()).isEqualTo(3);
                    assertThat(settings.keyCapacity()).isEqualTo(7);
                    assertThat(settings.overflow()).isEqualTo(Overflow.block(Duration.ofSeconds(2)));
                    assertThat(settings.failurePolicy())
                            .hasToString(FailurePolicy.retry()
                                    .maxRetries(1)
                                    .delay(Duration.ZERO)
                                    .thenProceed()
                                    .toString());
                    assertThat(context.getBean(OrderedOutputExecutor.class).name())
                            .isEqualTo("orderedOutputExecutor");
                    assertAtMostTwoAreWorkedOn(frames);
                });
    }

    private static void assertAtMostTwoAreWorkedOn(OrderedOutputExecutor executor) {
        List<CompletableFuture<Integer>> stages = new ArrayList<>();
        CompletableFuture<Integer> end = new CompletableFuture<>();
        OrderedOutput<Integer> output = executor.open(result -> {});
        for (int i = 0; i < 5; i++) {
            stages.add(output.submitAsync(() -> end));
        }
        assertThat(executor.inspect().stats().queued()).isGreaterThanOrEqualTo(3);
        end.complete(1);
        CompletableFuture.allOf(stages.toArray(CompletableFuture[]::new)).join();
        // a future may complete before its task is counted
        executor.close();
        assertThat(executor.inspect().stats().completed()).isEqualTo(5);
    }

    @Test
    void theApplicationsOwnReplacesIt() {
        OrderedOutputExecutor own = OrderedOutputExecutor.builder().name("own").build();
        application
                .withBean("own", OrderedOutputExecutor.class, () -> own)
                .run(context ->
                        assertThat(context.getBean(OrderedOutputExecutor.class)).isSameAs(own));
    }

    @Test
    void customizersHaveTheLastWord() {
        application
                .withBean(
                        OrderedOutputExecutorCustomizer.class,
                        () -> (name, builder) -> builder.window(name.equals("frames") ? 5 : 6))
                .withPropertyValues("ordered-executor.ordered-output.frames.window=7")
                .run(context -> {
                    assertThat(windowOf(context, "frames")).isEqualTo(5);
                    assertThat(windowOf(context, "orderedOutputExecutor")).isEqualTo(6);
                });
    }

    private static int windowOf(AssertableApplicationContext context, String name) {
        return context.getBean(name, OrderedOutputExecutor.class)
                .open(result -> {})
                .snapshot()
                .window();
    }

    @Test
    void nothingIsTakenFromTheDefaultExecutor() {
        application
                .withPropertyValues(
                        "ordered-executor.capacity=10",
                        "ordered-executor.overflow=discard-oldest",
                        "ordered-executor.failure-policy=park")
                .run(context -> {
                    OrderedExecutorSettings settings = context.getBean(OrderedOutputExecutor.class)
                            .inspect()
                            .settings();
                    assertThat(settings.overflow()).isEqualTo(waitsForAsLongAsItTakes());
                    assertThat(settings.failurePolicy()).isEqualTo(FailurePolicy.proceed());
                    assertThat(settings.capacity()).isNull();
                });
    }

    private static Overflow waitsForAsLongAsItTakes() {
        try (OrderedOutputExecutor plain = OrderedOutputExecutor.builder().build()) {
            return plain.inspect().settings().overflow();
        }
    }

    @Test
    void callsWaitForRoomUnlessASettingSaysOtherwise() {
        application
                .withPropertyValues(
                        "ordered-executor.ordered-output.waiting.window=3",
                        "ordered-executor.ordered-output.explicit.overflow=block",
                        "ordered-executor.ordered-output.limited.overflow-timeout=2s",
                        "ordered-executor.ordered-output.refusing.overflow=reject")
                .run(context -> {
                    assertThat(overflow(context, "waiting")).isEqualTo(waitsForAsLongAsItTakes());
                    assertThat(overflow(context, "explicit")).isEqualTo(waitsForAsLongAsItTakes());
                    assertThat(overflow(context, "limited")).isEqualTo(Overflow.block(Duration.ofSeconds(2)));
                    assertThat(overflow(context, "refusing")).isEqualTo(Overflow.reject());
                });
        application
                .withPropertyValues("ordered-executor.ordered-output.orderedOutputExecutor.overflow=reject")
                .run(context ->
                        assertThat(overflow(context, "orderedOutputExecutor")).isEqualTo(Overflow.reject()));
        application
                .withPropertyValues(
                        "ordered-executor.ordered-output.refusing.overflow=reject",
                        "ordered-executor.ordered-output.refusing.overflow-timeout=2s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("ordered-executor.ordered-output.refusing.overflow-timeout"));
    }

    private static Overflow overflow(AssertableApplicationContext context, String name) {
        return context.getBean(name, OrderedOutputExecutor.class)
                .inspect()
                .settings()
                .overflow();
    }

    @Test
    void wrongSettingsFailTheStart() {
        assertRefused("frames.overflow=discard-oldest", "frames.overflow", "It would make no room");
        assertRefused("frames.window=0", "frames.window", "from 1 to 1000000000. Remove it for 256.");
        assertRefused("frames.concurrency=-1", "frames.concurrency", "from 1 to 1000000000");
        assertRefused("frames.failure-policy=park", "frames.failure-policy", "an ordered-output executor are window,");
        assertRefused("frames.key-capacity=1", "frames.key-capacity", "window, concurrency,");
    }

    private void assertRefused(String property, String named, String said) {
        assertThat(StartUpFailures.reportOf(
                        application.withPropertyValues("ordered-executor.ordered-output." + property)))
                .contains("'ordered-executor.ordered-output." + named + "'")
                .contains(said);
    }
}
