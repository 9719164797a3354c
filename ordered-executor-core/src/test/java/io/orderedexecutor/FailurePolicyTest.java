package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a failure policy accepts, what it refuses, and how long its pauses are. */
class FailurePolicyTest {
    private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

    @Test
    void fewerThanTwoAttemptsAreRefused() {
        for (int attempts : new int[] {1, 0, -1, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> FailurePolicy.retry(attempts, Duration.ofSeconds(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("attempts")
                    .hasMessageContaining(String.valueOf(attempts))
                    .hasMessageContaining("at least 2");
        }
        assertThat(FailurePolicy.retry(2, Duration.ZERO).thenProceed()).isNotNull();
        assertThat(FailurePolicy.retry(Integer.MAX_VALUE, Duration.ZERO).thenPark())
                .isNotNull();
    }

    @Test
    void negativeTimesAreRefused() {
        Duration negative = Duration.ofNanos(-1);
        assertThatThrownBy(() -> FailurePolicy.retry(2, negative))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("backoff")
                .hasMessageContaining(negative.toString());
        FailurePolicy.Retry retry = FailurePolicy.retry(2, Duration.ofSeconds(1));
        assertThatThrownBy(() -> retry.ceiling(negative))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ceiling")
                .hasMessageContaining(negative.toString());
    }

    @Test
    void nullsAreNamed() {
        assertThatThrownBy(() -> FailurePolicy.retry(2, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("backoff");
        assertThatThrownBy(() -> FailurePolicy.retry(2, Duration.ZERO).ceiling(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("ceiling");
        assertThatThrownBy(() -> StripedExecutor.builder().failurePolicy(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("failurePolicy");
    }

    @Test
    void pausesDoubleUpToTheCeiling() {
        FailurePolicy policy = FailurePolicy.retry(10, Duration.ofMillis(100))
                .ceiling(Duration.ofSeconds(1))
                .thenPark();
        assertThat(pauses(policy, 7))
                .containsExactly(
                        Duration.ofMillis(100),
                        Duration.ofMillis(200),
                        Duration.ofMillis(400),
                        Duration.ofMillis(800),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1));
    }

    @Test
    void theCeilingIsAMinuteIfItIsNotSet() {
        FailurePolicy policy = FailurePolicy.retry(10, Duration.ofSeconds(20)).thenProceed();
        assertThat(pauses(policy, 4))
                .containsExactly(
                        Duration.ofSeconds(20), Duration.ofSeconds(40), Duration.ofMinutes(1), Duration.ofMinutes(1));
        assertThat(pauses(FailurePolicy.retry(10, Duration.ofHours(1)).thenProceed(), 2))
                .containsExactly(Duration.ofMinutes(1), Duration.ofMinutes(1));
    }

    @Test
    void aCeilingBelowTheFirstPauseMakesAllThatLong() {
        FailurePolicy policy = FailurePolicy.retry(10, Duration.ofSeconds(1))
                .ceiling(Duration.ofMillis(1))
                .thenPark();
        assertThat(pauses(policy, 3)).containsOnly(Duration.ofMillis(1));
        FailurePolicy atOnce = FailurePolicy.retry(10, Duration.ofSeconds(1))
                .ceiling(Duration.ZERO)
                .thenPark();
        assertThat(pauses(atOnce, 3)).containsOnly(Duration.ZERO);
    }

    @Test
    void aCeilingDoesNotChangeTheRetryItWasAskedFrom() {
        FailurePolicy.Retry retry = FailurePolicy.retry(3, Duration.ofSeconds(1));
        FailurePolicy limited = retry.ceiling(Duration.ofMillis(1)).thenPark();
        assertThat(pauses(retry.thenPark(), 1)).containsExactly(Duration.ofSeconds(1));
        assertThat(pauses(limited, 1)).containsExactly(Duration.ofMillis(1));
    }

    @Test
    void zeroStaysZero() {
        FailurePolicy policy =
                FailurePolicy.retry(Integer.MAX_VALUE, Duration.ZERO).thenPark();
        assertThat(pauses(policy, 100)).containsOnly(Duration.ZERO);
    }

    /** The server asks after each failure, so what grows with their number makes many attempts quadratic. */
    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aPauseAfterManyFailuresIsNotMoreToCompute() {
        FailurePolicy atOnce =
                FailurePolicy.retry(Integer.MAX_VALUE, Duration.ZERO).thenPark();
        FailurePolicy slowly =
                FailurePolicy.retry(Integer.MAX_VALUE, Duration.ofNanos(1)).thenPark();
        for (int i = 1; i <= 1000; i++) {
            assertThat(atOnce.pauseAfter(Integer.MAX_VALUE - i)).isZero();
            assertThat(slowly.pauseAfter(Integer.MAX_VALUE - i)).isEqualTo(Duration.ofMinutes(1));
        }
    }

    @Test
    void pausesDoNotOverflow() {
        // 292 years, as far as nanoseconds reach
        Duration longestPause = Duration.ofNanos(Long.MAX_VALUE);
        FailurePolicy longest =
                FailurePolicy.retry(Integer.MAX_VALUE, LONGEST).ceiling(LONGEST).thenPark();
        assertThat(pauses(longest, 3)).containsOnly(longestPause);
        Duration overHalf = Duration.ofSeconds(Long.MAX_VALUE / 2 + 1);
        FailurePolicy overHalfOfIt = FailurePolicy.retry(Integer.MAX_VALUE, overHalf)
                .ceiling(LONGEST)
                .thenPark();
        assertThat(pauses(overHalfOfIt, 3)).containsOnly(longestPause);
        FailurePolicy fromTheSmallest = FailurePolicy.retry(Integer.MAX_VALUE, Duration.ofNanos(1))
                .ceiling(LONGEST)
                .thenPark();
        List<Duration> pauses = pauses(fromTheSmallest, 200);
        assertThat(pauses).isSorted().startsWith(Duration.ofNanos(1)).endsWith(longestPause);
        assertThat(pauses.get(62)).isEqualTo(Duration.ofNanos(1L << 62));
    }

    @Test
    void attemptsAreCountedWithTheFirst() {
        FailurePolicy policy = FailurePolicy.retry(3, Duration.ZERO).thenPark();
        assertThat(policy.retriesAfter(1)).isTrue();
        assertThat(policy.retriesAfter(2)).isTrue();
        assertThat(policy.retriesAfter(3)).isFalse();
        assertThat(policy.retriesAfter(Integer.MAX_VALUE)).isFalse();
        assertThat(FailurePolicy.park().retriesAfter(1)).isFalse();
        assertThat(FailurePolicy.proceed().retriesAfter(1)).isFalse();
    }

    @Test
    void saysWhatItDoes() {
        FailurePolicy.Retry retry = FailurePolicy.retry(5, Duration.ofMillis(250));
        assertThat(FailurePolicy.proceed())
                .hasToString("proceed")
                .satisfies(p -> assertThat(p.parks()).isFalse());
        assertThat(FailurePolicy.park())
                .hasToString("park")
                .satisfies(p -> assertThat(p.parks()).isTrue());
        assertThat(retry.thenProceed().toString()).contains("retry(5, PT0.25S)", "ceiling(PT1M)", "then proceed");
        assertThat(retry.ceiling(Duration.ofSeconds(7)).thenPark().toString())
                .contains("retry(5, PT0.25S)", "ceiling(PT7S)", "then park");
    }

    @Test
    void tellsAttemptsPausesAndWhetherItParks() {
        FailurePolicy.Retry retry = FailurePolicy.retry(5, Duration.ofMillis(250));
        assertThat(retry.thenPark())
                .returns(5, FailurePolicy::attempts)
                .returns(Duration.ofMillis(250), FailurePolicy::backoff)
                .returns(Duration.ofMinutes(1), FailurePolicy::ceiling)
                .returns(true, FailurePolicy::parks);
        assertThat(retry.ceiling(Duration.ofSeconds(7)).thenProceed())
                .returns(Duration.ofSeconds(7), FailurePolicy::ceiling)
                .returns(false, FailurePolicy::parks);
        assertThat(FailurePolicy.park())
                .returns(1, FailurePolicy::attempts)
                .returns(Duration.ZERO, FailurePolicy::backoff)
                .returns(Duration.ZERO, FailurePolicy::ceiling);
    }

    @Test
    void isEqualToOneThatDoesTheSame() {
        FailurePolicy policy = FailurePolicy.retry(5, Duration.ofMillis(250)).thenPark();
        assertThat(policy)
                .isEqualTo(FailurePolicy.retry(5, Duration.ofMillis(250)).thenPark())
                .hasSameHashCodeAs(
                        FailurePolicy.retry(5, Duration.ofMillis(250)).thenPark())
                .isNotEqualTo(FailurePolicy.retry(4, Duration.ofMillis(250)).thenPark())
                .isNotEqualTo(FailurePolicy.retry(5, Duration.ofMillis(251)).thenPark())
                .isNotEqualTo(FailurePolicy.retry(5, Duration.ofMillis(250))
                        .ceiling(Duration.ZERO)
                        .thenPark())
                .isNotEqualTo(FailurePolicy.retry(5, Duration.ofMillis(250)).thenProceed())
                .isNotEqualTo("park");
    }

    private static List<Duration> pauses(FailurePolicy policy, int count) {
        return IntStream.rangeClosed(1, count).mapToObj(policy::pauseAfter).toList();
    }

    @Test
    void aPolicyWithoutParkingProceedsInstead() {
        FailurePolicy parks = FailurePolicy.retry(3, Duration.ofMillis(5)).thenPark();
        assertThat(parks.withoutParking())
                .isEqualTo(FailurePolicy.retry(3, Duration.ofMillis(5)).thenProceed());
        assertThat(FailurePolicy.proceed().withoutParking()).isSameAs(FailurePolicy.proceed());
    }
}
