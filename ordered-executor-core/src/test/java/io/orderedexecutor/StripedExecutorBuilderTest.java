package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Wrong settings are refused with a message that names the setting. */
class StripedExecutorBuilderTest {
    private final StripedExecutorBuilder builder = StripedExecutor.builder();

    @Test
    void wrongValuesAreRefusedAtOnce() {
        assertRefused(() -> builder.name(" "), "name");
        assertRefused(() -> builder.threads(0), "threads", "0");
        assertRefused(() -> builder.threads(-3), "threads", "-3");
        assertRefused(() -> builder.turn(0, Duration.ofMillis(1)), "turn", "tasks", "0");
        assertRefused(() -> builder.turn(1, Duration.ZERO), "turn", "time");
        assertRefused(() -> builder.turn(1, Duration.ofMillis(-1)), "turn", "time");
    }

    private static void assertRefused(Runnable setting, CharSequence... inMessage) {
        assertThatThrownBy(setting::run)
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .contains(inMessage);
    }

    @Test
    void nullsAreNamed() {
        assertNamed(() -> builder.name(null), "name");
        assertNamed(() -> builder.executor(null), "executor");
        assertNamed(() -> builder.threadFactory(null), "threadFactory");
        assertNamed(() -> builder.turn(1, null), "time");
    }

    private static void assertNamed(Runnable setting, String parameter) {
        assertThatThrownBy(setting::run)
                .isInstanceOf(NullPointerException.class)
                .hasMessage(parameter);
    }

    @Test
    void ownThreadsAndAnExecutorExcludeEachOther() {
        assertThatThrownBy(() -> StripedExecutor.builder()
                        .name("orders")
                        .threads(2)
                        .executor(Runnable::run)
                        .build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("'orders'", "threads", "executor");
        assertThatThrownBy(() -> StripedExecutor.builder()
                        .executor(Runnable::run)
                        .threadFactory(Thread::new)
                        .build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("threadFactory", "executor");
    }

    @Test
    @DisplayName("A builder builds any number of executors, with names of their own if it has none")
    void isReusable() {
        try (StripedExecutor one = builder.build();
                StripedExecutor other = builder.build();
                StripedExecutor named = builder.name("orders").build()) {
            assertThat(one.name()).startsWith("striped-executor-").isNotEqualTo(other.name());
            assertThat(named.name()).isEqualTo("orders");
            one.shutdown();
            assertThat(Patience.get(other.submit("a", () -> 1))).isEqualTo(1);
            assertThat(Patience.get(named.submit("a", () -> 2))).isEqualTo(2);
        }
    }

    @Test
    void aTurnOfAnyLengthIsAllowed() {
        try (StripedExecutor executor = builder.threads(1)
                .turn(Integer.MAX_VALUE, Duration.ofSeconds(Long.MAX_VALUE))
                .build()) {
            assertThat(Patience.get(executor.submit("a", () -> 1))).isEqualTo(1);
        }
    }
}
