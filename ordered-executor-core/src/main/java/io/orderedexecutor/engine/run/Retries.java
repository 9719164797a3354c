package io.orderedexecutor.engine.run;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Applies a failure policy to one failure. Immutable. */
final class Retries {

    /** The decision on a failed task. */
    enum Verdict {
        RETRIES,
        PARKS,
        ENDS
    }

    private final FailurePolicy policy;

    Retries(FailurePolicy policy) {
        this.policy = policy;
    }

    FailurePolicy policy() {
        return policy;
    }

    /** Whether all failures end their task. */
    boolean isNever() {
        return policy == FailurePolicy.proceed();
    }

    /**
     * Decides on a failed task. Calls the predicate, which is code of the application.
     *
     * @param failures how often the task has failed since it was submitted or resumed, at least once
     */
    Verdict verdict(int failures, Throwable failure) {
        if (!(policy instanceof FailurePolicy.Retry retry)) {
            return policy == FailurePolicy.park() ? Verdict.PARKS : Verdict.ENDS;
        }
        if (!isRetried(retry, failure)) {
            return Verdict.ENDS;
        }
        return failures <= retry.maxRetries() ? Verdict.RETRIES : retry.parks() ? Verdict.PARKS : Verdict.ENDS;
    }

    /** Whether the policy retries a failure; false, too, if {@code getCause} of a wrapper or the predicate throws. */
    private static boolean isRetried(FailurePolicy.Retry retry, Throwable failure) {
        try {
            return retry.allows(failure) && retry.predicate().test(causeOf(failure));
        } catch (Throwable thrown) {
            UncaughtFailures.report(thrown);
            return false;
        }
    }

    /** May throw: then the failure is not retried. Callers that must not fail use {@code Causes}. */
    private static Throwable causeOf(Throwable failure) {
        boolean isWrapper = failure instanceof CompletionException || failure instanceof ExecutionException;
        Throwable cause = isWrapper ? failure.getCause() : null;
        return cause == null ? failure : cause;
    }

    /**
     * The time until the next attempt.
     *
     * @param failures how often the task has failed since it was submitted or resumed, at least once
     * @param random any number, each as likely as the others
     */
    Duration delay(int failures, int random) {
        FailurePolicy.Retry retry = (FailurePolicy.Retry) policy;
        // finite: infinity times a delay of zero would be NaN
        double growth = Math.min(Math.pow(retry.multiplier(), failures - 1.0), 1e30);
        double spread = nanos(retry.jitter()) * growth * (random / (double) Integer.MAX_VALUE);
        double nanos = nanos(retry.delay()) * growth + spread;
        double longest = Math.min(nanos(retry.maxDelay()), Long.MAX_VALUE);
        return Duration.ofNanos((long) Math.max(0, Math.min(nanos, longest)));
    }

    private static double nanos(Duration duration) {
        return duration.getSeconds() * 1e9 + duration.getNano();
    }
}
