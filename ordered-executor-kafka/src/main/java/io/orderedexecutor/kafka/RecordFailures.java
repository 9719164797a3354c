package io.orderedexecutor.kafka;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.FailurePolicy.Retry;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ExceptionClassifier;
import org.springframework.kafka.listener.ListenerExecutionFailedException;

/** Applies the failure policy of a listener to a failed record. Immutable. */
final class RecordFailures {
    private static final SafeLog logger = SafeLog.of(RecordFailures.class);

    /** The maximum number of causes to follow, since causes may form a cycle. */
    private static final int LONGEST_CHAIN = 100;

    /**
     * A dead letter is published again until it is accepted, so its delays must neither be zero nor grow without a
     * limit.
     */
    private static final Retry OF_DEAD_LETTERS = new Retry(
            Long.MAX_VALUE,
            Duration.ofMillis(100),
            Duration.ofSeconds(10),
            2,
            Duration.ZERO,
            Set.of(),
            Set.of(),
            failure -> true,
            false);

    /** The decision on a record that has failed. */
    enum Verdict {
        RETRIES,
        PARKS,
        /** The record is published as a dead letter or given up, and its key proceeds. */
        ENDS
    }

    private final FailurePolicy policy;

    RecordFailures(FailurePolicy policy) {
        this.policy = policy;
    }

    /**
     * Decides what happens to a record after an attempt. May call the predicate of the policy, which is code of the
     * application.
     *
     * @param attempt the number of attempts so far, at least 1
     */
    Verdict verdict(int attempt, Throwable failure) {
        if (!(policy instanceof Retry retry)) {
            return afterLast();
        }
        if (!isToBeRetried(retry, failure)) {
            return Verdict.ENDS;
        }
        return attempt <= retry.maxRetries() && !isFatal(failure) ? Verdict.RETRIES : afterLast();
    }

    /** Decides what happens to a record that cannot be run at all. It is never retried. */
    Verdict verdictOfUnusable(Throwable failure) {
        return policy instanceof Retry retry && !isToBeRetried(retry, failure) ? Verdict.ENDS : afterLast();
    }

    private Verdict afterLast() {
        return policy.parks() ? Verdict.PARKS : Verdict.ENDS;
    }

    /**
     * Returns whether this failure is one that Spring for Apache Kafka never retries, since another attempt would fail
     * in the same way.
     */
    private static boolean isFatal(Throwable failure) {
        return isAny(ExceptionClassifier.defaultFatalExceptionsList(), failure);
    }

    private static boolean isToBeRetried(Retry retry, Throwable failure) {
        try {
            return retry.allows(failure) && retry.predicate().test(thrownBy(failure));
        } catch (Throwable ofPredicate) {
            logger.error(ofPredicate, () -> "The predicate of a retry failed; the record is not retried");
            return false;
        }
    }

    /**
     * Returns whether the failure or one of its causes has one of these types. Spring wraps the exceptions of
     * listeners, once or twice.
     */
    private static boolean isAny(Collection<? extends Class<? extends Throwable>> types, Throwable failure) {
        return causes(failure).anyMatch(cause -> types.stream().anyMatch(type -> type.isInstance(cause)));
    }

    /** Returns the exception that the listener has thrown, or that its future was completed with, without wrappers. */
    static Throwable thrownBy(Throwable failure) {
        return causes(failure).filter(cause -> !isWrapper(cause)).findFirst().orElse(failure);
    }

    /** Returns the failure and its causes, the failure first. */
    private static Stream<Throwable> causes(Throwable failure) {
        return Stream.iterate(failure, cause -> cause != null, RecordFailures::causeOf)
                .limit(LONGEST_CHAIN);
    }

    /** Returns the cause of a failure; null if there is none, or if {@code getCause()} throws. */
    static @Nullable Throwable causeOf(Throwable failure) {
        try {
            return failure.getCause();
        } catch (Throwable unknown) {
            return null;
        }
    }

    private static boolean isWrapper(Throwable failure) {
        return failure instanceof ListenerExecutionFailedException
                || failure instanceof CompletionException
                || failure instanceof ExecutionException;
    }

    /** Returns how long a record waits for its next attempt after the attempt of this number, counted from 1. */
    Duration delayAfter(int attempt) {
        return policy instanceof Retry retry
                ? delay(retry, attempt, ThreadLocalRandom.current().nextDouble(-1, 1))
                : Duration.ZERO;
    }

    /**
     * Returns how long a dead letter waits for its next publication after the refusal of this number, counted from 1.
     */
    static Duration delayOfDeadLetterAfter(int refusal) {
        return delay(OF_DEAD_LETTERS, refusal, 0);
    }

    /** @param random the share of the jitter that is added to the delay, from -1 to 1 */
    static Duration delay(Retry retry, int failures, double random) {
        // finite, so that it can be multiplied by zero
        double growth = Math.min(Math.pow(retry.multiplier(), failures - 1.0), 1e30);
        double nanos = (nanos(retry.delay()) + nanos(retry.jitter()) * random) * growth;
        double longest = Math.min(nanos(retry.maxDelay()), Long.MAX_VALUE);
        return Duration.ofNanos((long) Math.max(0, Math.min(nanos, longest)));
    }

    private static double nanos(Duration duration) {
        return duration.getSeconds() * 1e9 + duration.getNano();
    }
}
