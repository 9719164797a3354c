package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The settings of bounds: what is nonsense is refused, with the name of the setting. */
class OverflowTest {
    private static final int MOST = 1_000_000_000;

    private final StripedExecutorBuilder builder = StripedExecutor.builder();

    @Test
    void numbersOutOfRangeAreRefusedAtOnce() {
        for (int nonsense : new int[] {Integer.MIN_VALUE, -1, 0, MOST + 1, Integer.MAX_VALUE}) {
            assertRefused(() -> builder.capacity(nonsense), "capacity is " + nonsense, "1 to 1,000,000,000");
            assertRefused(() -> builder.keyCapacity(nonsense), "keyCapacity is " + nonsense, "1,000,000,000");
        }
    }

    @Test
    void aNegativeLimitIsRefusedAtOnce() {
        assertRefused(() -> Overflow.block(Duration.ofNanos(-1)), "limit", "PT-0.000000001S", "negative");
        assertRefused(() -> Overflow.block(Duration.ofSeconds(Long.MIN_VALUE)), "limit", "negative");
        assertRefused(() -> new Overflow.Block(Duration.ofNanos(-1)), "limit", "PT-0.000000001S", "negative");
    }

    private static void assertRefused(Runnable setting, CharSequence... inMessage) {
        assertThatThrownBy(setting::run)
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .contains(inMessage);
    }

    @Test
    void aPolicyPrintsTheWordsOfItsFactory() {
        assertThat(Overflow.reject()).hasToString("reject");
        assertThat(Overflow.discardOldest()).hasToString("discardOldest");
        assertThat(Overflow.block(Duration.ofMillis(20))).hasToString("block(PT0.02S)");
    }

    @Test
    void nullsAreNamed() {
        assertNamed(() -> Overflow.block(null), "limit");
        assertNamed(() -> new Overflow.Block(null), "limit");
        assertNamed(() -> OutputFailure.omit(null), "report");
        assertNamed(() -> new OutputFailure.Omit<>(null), "report");
        assertNamed(() -> OutputFailure.replace(null), "replacement");
        assertNamed(() -> new OutputFailure.Replace<>(null), "replacement");
        assertNamed(() -> builder.overflow(null), "overflow");
        assertNamed(() -> builder.listener(null), "listener");
    }

    private static void assertNamed(Runnable setting, String parameter) {
        assertThatThrownBy(setting::run)
                .isInstanceOf(NullPointerException.class)
                .hasMessage(parameter);
    }

    @Test
    void theEndsOfTheRangesAreAllowed() {
        for (int allowed : new int[] {1, MOST}) {
            for (Overflow overflow : List.of(
                    Overflow.reject(),
                    Overflow.discardOldest(),
                    Overflow.block(Duration.ZERO),
                    Overflow.block(Duration.ofSeconds(Long.MAX_VALUE)))) {
                try (StripedExecutor executor = StripedExecutor.builder()
                        .threads(1)
                        .capacity(allowed)
                        .keyCapacity(allowed)
                        .overflow(overflow)
                        .build()) {
                    assertThat(Patience.get(executor.submit("a", () -> 1))).isEqualTo(1);
                }
            }
        }
    }

    @Test
    void policiesWithoutParametersAreOneObjectAndLimitsCompare() {
        assertThat(Overflow.reject()).isSameAs(Overflow.reject());
        assertThat(Overflow.discardOldest()).isSameAs(Overflow.discardOldest());
        assertThat(Overflow.block(Duration.ofMillis(1)))
                .isEqualTo(Overflow.block(Duration.ofMillis(1)))
                .isNotEqualTo(Overflow.block(Duration.ZERO));
    }
}
