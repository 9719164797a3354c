package io.orderedexecutor.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.run.Retries.Verdict;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** Which failures are retried, for how long, and which park. */
class RetriesTest {
    private final Throwable failure = new IllegalStateException();

    private static Verdict verdict(FailurePolicy policy, int failures, Throwable failure) {
        return new Retries(policy).verdict(failures, failure);
    }

    @Test
    void theSimplePolicies() {
        assertThat(verdict(FailurePolicy.proceed(), 1, failure)).isEqualTo(Verdict.ENDS);
        assertThat(verdict(FailurePolicy.park(), 1, failure)).isEqualTo(Verdict.PARKS);
        assertThat(new Retries(FailurePolicy.proceed()).isNever()).isTrue();
        assertThat(new Retries(FailurePolicy.park()).isNever()).isFalse();
    }

    @Test
    void aTaskIsRunAgainAsOftenAsMaxRetriesSays() {
        FailurePolicy.RetryBuilder twice = FailurePolicy.retry().maxRetries(2);
        for (int failures = 1; failures <= 2; failures++) {
            assertThat(verdict(twice.thenPark(), failures, failure)).isEqualTo(Verdict.RETRIES);
        }
        assertThat(verdict(twice.thenPark(), 3, failure)).isEqualTo(Verdict.PARKS);
        assertThat(verdict(twice.thenProceed(), 3, failure)).isEqualTo(Verdict.ENDS);
        assertThat(verdict(twice.thenProceed(), Integer.MAX_VALUE, failure)).isEqualTo(Verdict.ENDS);
        assertThat(verdict(FailurePolicy.retry().maxRetries(0).thenPark(), 1, failure))
                .isEqualTo(Verdict.PARKS);
    }

    @Test
    void whatIsExcludedNeitherRetriesNorParks() {
        FailurePolicy policy = FailurePolicy.retry()
                .includes(IOException.class)
                .includes(IllegalStateException.class)
                .excludes(FileNotFoundException.class)
                .thenPark();
        assertThat(verdict(policy, 1, new IOException())).isEqualTo(Verdict.RETRIES);
        assertThat(verdict(policy, 1, failure)).isEqualTo(Verdict.RETRIES);
        assertThat(verdict(policy, 1, new FileNotFoundException())).isEqualTo(Verdict.ENDS);
        assertThat(verdict(policy, 4, new FileNotFoundException())).isEqualTo(Verdict.ENDS);
        assertThat(verdict(policy, 1, new Error())).isEqualTo(Verdict.ENDS);
    }

    @Test
    void causesCount() {
        FailurePolicy policy = FailurePolicy.retry().includes(IOException.class).thenProceed();
        assertThat(verdict(policy, 1, new CompletionException(new IOException())))
                .isEqualTo(Verdict.RETRIES);
        assertThat(verdict(policy, 1, new ExecutionException(new IOException())))
                .isEqualTo(Verdict.RETRIES);
        assertThat(verdict(policy, 1, new IllegalStateException(new IOException())))
                .isEqualTo(Verdict.RETRIES);
        assertThat(verdict(policy, 1, new CompletionException("no cause", null)))
                .isEqualTo(Verdict.ENDS);
    }

    @Test
    void thePredicateDecidesAtLastAndItsOwnFailureEndsTheTask() {
        List<Throwable> reported = new ArrayList<>();
        Thread.UncaughtExceptionHandler before = Thread.currentThread().getUncaughtExceptionHandler();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> reported.add(thrown));
        try {
            Error ofPredicate = new AssertionError("predicate");
            FailurePolicy throwing = FailurePolicy.retry()
                    .predicate(failure -> {
                        throw ofPredicate;
                    })
                    .thenPark();
            assertThat(verdict(throwing, 1, failure)).isEqualTo(Verdict.ENDS);
            assertThat(reported).containsExactly(ofPredicate);
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(before);
        }
        FailurePolicy odd = FailurePolicy.retry()
                .predicate(failure -> failure.getMessage() == null)
                .thenPark();
        assertThat(verdict(odd, 1, failure)).isEqualTo(Verdict.RETRIES);
        assertThat(verdict(odd, 1, new IllegalStateException("permanent"))).isEqualTo(Verdict.ENDS);
    }

    @Test
    void delaysGrowUpToTheLongest() {
        Retries retries = new Retries(FailurePolicy.retry()
                .delay(Duration.ofMillis(100))
                .multiplier(2)
                .maxDelay(Duration.ofSeconds(1))
                .thenProceed());
        assertThat(List.of(1, 2, 3, 4, 5, 1_000, Integer.MAX_VALUE))
                .extracting(failures -> retries.delay(failures, 0).toMillis())
                .containsExactly(100L, 200L, 400L, 800L, 1_000L, 1_000L, 1_000L);
    }

    @Test
    void delaysAreAsLongAsTimersCanCountAtMost() {
        Retries retries = new Retries(FailurePolicy.retry().multiplier(10).thenProceed());
        assertThat(retries.delay(1, 0)).isEqualTo(Duration.ofSeconds(1));
        assertThat(retries.delay(Integer.MAX_VALUE, Integer.MAX_VALUE)).isEqualTo(Duration.ofNanos(Long.MAX_VALUE));
        Retries atOnce = new Retries(
                FailurePolicy.retry().delay(Duration.ZERO).multiplier(9).thenProceed());
        assertThat(atOnce.delay(Integer.MAX_VALUE, 0)).isZero();
    }

    @Test
    void jitterMakesDelaysShorterAndLongerAndGrowsWithThem() {
        Retries retries = new Retries(FailurePolicy.retry()
                .delay(Duration.ofMillis(100))
                .multiplier(3)
                .jitter(Duration.ofMillis(10))
                .thenProceed());
        assertThat(retries.delay(1, Integer.MAX_VALUE)).isEqualTo(Duration.ofMillis(110));
        assertThat(retries.delay(1, -Integer.MAX_VALUE)).isEqualTo(Duration.ofMillis(90));
        assertThat(retries.delay(2, Integer.MAX_VALUE)).isEqualTo(Duration.ofMillis(330));
        Retries wide = new Retries(FailurePolicy.retry()
                .delay(Duration.ofMillis(1))
                .jitter(Duration.ofSeconds(1))
                .thenProceed());
        assertThat(wide.delay(1, Integer.MIN_VALUE)).isZero();
    }
}
