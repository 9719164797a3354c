package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Health of one ordered executor: down if the number of parked tasks or the age of a running task has reached its
 * threshold; out of service if the executor is shut down; and up otherwise. The details are figures and contain no
 * keys.
 */
final class OrderedExecutorHealthIndicator extends AbstractHealthIndicator {
    private final ManagedExecutor managed;
    private final int parkedThreshold;
    private final @Nullable Duration ageThreshold;

    OrderedExecutorHealthIndicator(ManagedExecutor managed, int parkedThreshold, @Nullable Duration ageThreshold) {
        super("Health check of ordered executor '" + managed.name() + "' failed");
        this.managed = managed;
        this.parkedThreshold = parkedThreshold;
        this.ageThreshold = ageThreshold;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        Status status = Status.UP;
        List<String> reasons = new ArrayList<>();
        builder.withDetail("state", managed.state());

        OrderedExecutorStats stats = managed.stats();
        builder.withDetail("queued", stats.queued());
        Integer capacity = managed.settings().capacity();
        if (capacity != null) {
            builder.withDetail("capacity", capacity);
        }
        if (managed.executor().isShutdown()) {
            status = Status.OUT_OF_SERVICE;
            reasons.add("it accepts no more tasks");
        }

        long parked = stats.parked();
        builder.withDetail("parked", parked);
        if (parkedThreshold > 0 && parked >= parkedThreshold) {
            status = Status.DOWN;
            reasons.add(parked + " parked, to be resumed or skipped" + because(managed.explainParked()));
        }

        if (ageThreshold != null) {
            Duration oldest = managed.oldestAge(managed.executor().inspect().runningTasks());
            if (!managed.knowsAges()) {
                builder.withDetail("oldestTask", "unknown, as the executor has no listener");
            }
            if (oldest != null) {
                builder.withDetail(
                        "oldestTask", oldest.truncatedTo(ChronoUnit.MILLIS).toString());
                if (oldest.compareTo(ageThreshold) >= 0) {
                    status = Status.DOWN;
                    reasons.add("a task has been running for longer than " + ageThreshold
                            + because(managed.explainStuck(ageThreshold)));
                }
            }
        }
        if (!reasons.isEmpty()) {
            builder.withDetail("reason", String.join("; ", reasons));
        }
        builder.status(status);
    }

    /** Returns the reason without values of the application, since a health check must not show keys. */
    private static String because(@Nullable Explanation explanation) {
        return explanation == null ? "" : " (" + explanation.text(ShownExplanation.MASKED) + ")";
    }
}
