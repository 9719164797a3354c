package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.FailurePolicy.Retry;
import io.orderedexecutor.FailurePolicy.RetryBuilder;
import io.orderedexecutor.kafka.RecordFailures.Verdict;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.ListenerExecutionFailedException;
import org.springframework.kafka.support.serializer.DeserializationException;

/** What a failure policy says of records; the words are those of the core's policy. */
class RecordFailuresTest {
    private final RuntimeException failure = new IllegalStateException("failed");

    /** As Spring gives it to whom it concerns. */
    private static Exception wrapped(Exception thrown) {
        return new ListenerExecutionFailedException("Listener method threw", "group", new CompletionException(thrown));
    }

    private static Verdict verdict(FailurePolicy policy, int attempt, Throwable failure) {
        return new RecordFailures(policy).verdict(attempt, failure);
    }

    @Test
    void withoutRetriesTheFirstFailureIsTheLast() {
        assertThat(verdict(FailurePolicy.proceed(), 1, failure)).isEqualTo(Verdict.ENDS);
        assertThat(verdict(FailurePolicy.park(), 1, failure)).isEqualTo(Verdict.PARKS);
    }

    @Test
    void aRecordRunsOnceMoreThanItIsRetried() {
        RetryBuilder retries = FailurePolicy.retry().maxRetries(2);
        for (int attempt : new int[] {1, 2}) {
            assertThat(verdict(retries.thenPark(), attempt, failure)).isEqualTo(Verdict.RETRIES);
        }
        assertThat(verdict(retries.thenPark(), 3, failure)).isEqualTo(Verdict.PARKS);
        assertThat(verdict(retries.thenProceed(), 3, failure)).isEqualTo(Verdict.ENDS);
    }

    /** As in the core: what the application says need not be retried holds up no key. */
    @Test
    void whatIsExcludedIsNeitherRetriedNorParked() {
        FailurePolicy excluding =
                FailurePolicy.retry().excludes(UncheckedIOException.class).thenPark();
        Exception excluded = new UncheckedIOException(new IOException());
        assertThat(verdict(excluding, 1, excluded)).isEqualTo(Verdict.ENDS);
        assertThat(verdict(excluding, 1, wrapped(excluded))).isEqualTo(Verdict.ENDS);
        assertThat(verdict(excluding, 1, wrapped(failure))).isEqualTo(Verdict.RETRIES);
        assertThat(verdict(FailurePolicy.retry().excludes(IOException.class).thenPark(), 1, wrapped(excluded)))
                .as("a cause")
                .isEqualTo(Verdict.ENDS);
    }

    @Test
    void onlyWhatIsIncludedIsRetried() {
        FailurePolicy including = FailurePolicy.retry()
                .includes(IOException.class)
                .excludes(FileNotFoundException.class)
                .thenPark();
        assertThat(verdict(including, 1, wrapped(new IOException()))).isEqualTo(Verdict.RETRIES);
        assertThat(verdict(including, 1, wrapped(new FileNotFoundException()))).isEqualTo(Verdict.ENDS);
        assertThat(verdict(including, 1, wrapped(failure))).isEqualTo(Verdict.ENDS);
    }

    @Test
    void aPredicateIsGivenWhatTheListenerHasThrown() {
        List<Throwable> given = new ArrayList<>();
        FailurePolicy choosy = FailurePolicy.retry()
                .predicate(thrown -> {
                    given.add(thrown);
                    return thrown != failure;
                })
                .thenPark();
        assertThat(verdict(choosy, 1, wrapped(failure))).isEqualTo(Verdict.ENDS);
        assertThat(verdict(choosy, 1, wrapped(new IllegalArgumentException()))).isEqualTo(Verdict.RETRIES);
        assertThat(given).first().isSameAs(failure);
    }

    @Test
    void afterAPredicateThatFailsNothingIsRetried() {
        FailurePolicy broken = FailurePolicy.retry()
                .predicate(failure -> {
                    throw new AssertionError("of the predicate");
                })
                .thenPark();
        try (LogLines log = new LogLines(RecordFailures.class.getName())) {
            assertThat(verdict(broken, 1, failure)).isEqualTo(Verdict.ENDS);
            assertThat(log.lines()).singleElement().asString().startsWith("ERROR ");
        }
    }

    /** Nobody has said that it may be lost. */
    @Test
    void whatSpringConsidersFatalIsNotRetriedButParked() {
        Exception fatal = new DeserializationException("failed", new byte[0], false, null);
        RetryBuilder retries = FailurePolicy.retry();
        assertThat(verdict(retries.thenPark(), 1, wrapped(fatal))).isEqualTo(Verdict.PARKS);
        assertThat(verdict(retries.thenProceed(), 1, wrapped(fatal))).isEqualTo(Verdict.ENDS);
        assertThat(new RecordFailures(retries.thenPark()).verdictOfUnusable(fatal))
                .isEqualTo(Verdict.PARKS);
        retries.excludes(DeserializationException.class);
        assertThat(new RecordFailures(retries.thenPark()).verdictOfUnusable(fatal))
                .isEqualTo(Verdict.ENDS);
        assertThat(new RecordFailures(FailurePolicy.park()).verdictOfUnusable(fatal))
                .isEqualTo(Verdict.PARKS);
    }

    @Test
    void delaysGrowToTheLongest() {
        RecordFailures failures = new RecordFailures(FailurePolicy.retry()
                .delay(Duration.ofMillis(100))
                .multiplier(2)
                .maxDelay(Duration.ofMillis(350))
                .thenPark());
        assertThat(IntStream.rangeClosed(1, 4).mapToObj(failures::delayAfter))
                .containsExactly(
                        Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMillis(350), Duration.ofMillis(350));
        RecordFailures byDefault = new RecordFailures(FailurePolicy.retry().thenPark());
        assertThat(byDefault.delayAfter(1_000_000)).hasSeconds(1);
    }

    @Test
    void jitterMakesDelaysShorterOrLonger() {
        Retry retry = (Retry) FailurePolicy.retry()
                .delay(Duration.ofMillis(100))
                .multiplier(3)
                .jitter(Duration.ofMillis(10))
                .maxDelay(Duration.ofMillis(310))
                .thenPark();
        assertThat(RecordFailures.delay(retry, 1, -1)).isEqualTo(Duration.ofMillis(90));
        assertThat(RecordFailures.delay(retry, 1, 0.5)).isEqualTo(Duration.ofMillis(105));
        assertThat(RecordFailures.delay(retry, 2, -0.5)).isEqualTo(Duration.ofMillis(285));
        assertThat(RecordFailures.delay(retry, 2, 1)).isEqualTo(Duration.ofMillis(310));
        assertThat(IntStream.range(0, 100).mapToObj(i -> new RecordFailures(retry).delayAfter(1)))
                .allMatch(delay -> delay.toMillis() >= 90 && delay.toMillis() <= 110)
                .anyMatch(delay -> !delay.equals(Duration.ofMillis(100)));
    }

    /** They are tried until they are accepted, whatever the policy says of records. */
    @Test
    void delaysOfDeadLettersAreNeitherZeroNorGrowForEver() {
        assertThat(RecordFailures.delayOfDeadLetterAfter(1)).hasMillis(100);
        assertThat(RecordFailures.delayOfDeadLetterAfter(2)).hasMillis(200);
        assertThat(RecordFailures.delayOfDeadLetterAfter(Integer.MAX_VALUE)).hasSeconds(10);
    }

    @Test
    @DisplayName("a failure whose cause cannot be told is its own cause, and is retried and given up as any other")
    void aCauseThatCannotBeTold() {
        RuntimeException failure = new IllegalStateException() {
            @Override
            public synchronized Throwable getCause() {
                throw new IllegalArgumentException("no cause");
            }
        };
        assertThat(RecordFailures.thrownBy(failure)).isSameAs(failure);
        RecordFailures failures = new RecordFailures(Containers.retries(2).thenPark());
        assertThat(failures.verdict(1, failure)).isEqualTo(RecordFailures.Verdict.RETRIES);
        assertThat(failures.verdict(2, failure)).isEqualTo(RecordFailures.Verdict.PARKS);
        failures = new RecordFailures(FailurePolicy.retry()
                .maxRetries(1)
                .excludes(NumberFormatException.class)
                .thenPark());
        assertThat(failures.verdict(1, failure)).isEqualTo(RecordFailures.Verdict.RETRIES);
        assertThat(failures.verdict(2, failure)).isEqualTo(RecordFailures.Verdict.PARKS);
    }
}
