package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a failure policy accepts and refuses, and its defaults; RetriesTest has what follows from it. */
class FailurePolicyTest {
    private static final Duration NEGATIVE = Duration.ofNanos(-1);

    @Test
    void theDefaultsAreThoseOfSpring() {
        assertThat(FailurePolicy.retry().thenProceed()).isInstanceOfSatisfying(FailurePolicy.Retry.class, retry -> {
            assertThat(retry.maxRetries()).isEqualTo(3);
            assertThat(retry.delay()).isEqualTo(Duration.ofSeconds(1));
            assertThat(retry.multiplier()).isEqualTo(1);
            assertThat(retry.jitter()).isZero();
            assertThat(retry.maxDelay()).isGreaterThan(Duration.ofDays(36_500));
            assertThat(retry.includes()).isEmpty();
            assertThat(retry.excludes()).isEmpty();
            assertThat(retry.predicate().test(new Error())).isTrue();
            assertThat(retry.parks()).isFalse();
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE})
    void negativeRetriesAreRefused(long retries) {
        assertThatThrownBy(() -> FailurePolicy.retry().maxRetries(retries))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxRetries of a retry is " + retries);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.999, 0, -2, Double.NaN, Double.POSITIVE_INFINITY})
    void multipliersThatDoNotGrowAreRefused(double multiplier) {
        assertThatThrownBy(() -> FailurePolicy.retry().multiplier(multiplier))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("multiplier of a retry is " + multiplier);
    }

    @Test
    void negativeTimesAreRefusedByName() {
        assertThatThrownBy(() -> FailurePolicy.retry().delay(NEGATIVE))
                .hasMessage("delay of a retry is PT-0.000000001S, but cannot be negative");
        assertThatThrownBy(() -> FailurePolicy.retry().maxDelay(NEGATIVE))
                .hasMessageStartingWith("maxDelay of a retry");
        assertThatThrownBy(() -> FailurePolicy.retry().jitter(NEGATIVE)).hasMessageStartingWith("jitter of a retry");
    }

    @Test
    void nullsAreNamed() {
        assertNull("delay", () -> FailurePolicy.retry().delay(null));
        assertNull("maxDelay", () -> FailurePolicy.retry().maxDelay(null));
        assertNull("jitter", () -> FailurePolicy.retry().jitter(null));
        assertNull("type", () -> FailurePolicy.retry().includes(null));
        assertNull("type", () -> FailurePolicy.retry().excludes(null));
        assertNull("predicate", () -> FailurePolicy.retry().predicate(null));
        assertNull("failurePolicy", () -> StripedExecutor.builder().failurePolicy(null));
    }

    private static void assertNull(String name, Runnable call) {
        assertThatThrownBy(call::run).isInstanceOf(NullPointerException.class).hasMessage(name);
    }

    @Test
    void aPolicyIsAValueAndDoesNotChangeWithItsBuilder() {
        Predicate<Throwable> never = failure -> false;
        FailurePolicy.RetryBuilder builder =
                FailurePolicy.retry().maxRetries(4).excludes(IOException.class).predicate(never);
        FailurePolicy policy = builder.thenPark();
        assertThat(policy)
                .isEqualTo(builder.thenPark())
                .hasSameHashCodeAs(builder.thenPark())
                .isNotEqualTo(builder.thenProceed())
                .isNotEqualTo(FailurePolicy.park());
        builder.excludes(Error.class).maxRetries(5);
        assertThat(policy).isInstanceOfSatisfying(FailurePolicy.Retry.class, retry -> {
            assertThat(retry.maxRetries()).isEqualTo(4);
            assertThat(retry.excludes()).isEqualTo(Set.of(IOException.class));
        });
        assertThat(FailurePolicy.park()).isSameAs(FailurePolicy.park());
    }

    @Test
    void aPolicyPrintsTheWordsOfItsBuilder() {
        assertThat(List.of(FailurePolicy.proceed(), FailurePolicy.park())).hasToString("[proceed, park]");
        assertThat(FailurePolicy.retry()
                        .maxRetries(2)
                        .delay(Duration.ofMillis(250))
                        .maxDelay(Duration.ofSeconds(7))
                        .multiplier(2)
                        .jitter(Duration.ofMillis(50))
                        .thenPark())
                .hasToString("retry(maxRetries=2, delay=PT0.25S, maxDelay=PT7S, multiplier=2.0, jitter=PT0.05S),"
                        + " then park");
        assertThat(FailurePolicy.retry().thenProceed())
                .hasToString("retry(maxRetries=3, delay=PT1S, multiplier=1.0, jitter=PT0S), then proceed");
    }
}
