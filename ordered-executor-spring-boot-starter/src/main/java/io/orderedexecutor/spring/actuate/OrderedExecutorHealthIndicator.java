package io.orderedexecutor.spring.actuate;

import io.orderedexecutor.stats.Explanation;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Health of one ordered executor: down if too much is parked or a task has been running for too long, out of service if
 * there is no room for more tasks or the executor is shut down, and up otherwise. The details are figures and say
 * nothing of keys.
 */
final class OrderedExecutorHealthIndicator extends AbstractHealthIndicator {
    private final ManagedExecutor managed;
    private final HealthThresholds thresholds;
    private final BlockedThreads blockedThreads;

    OrderedExecutorHealthIndicator(ManagedExecutor managed, HealthThresholds thresholds) {
        this(managed, thresholds, new BlockedThreads());
    }

    OrderedExecutorHealthIndicator(
            ManagedExecutor managed, HealthThresholds thresholds, BlockedThreads blockedThreads) {
        super("Health check of ordered executor '" + managed.name() + "' failed");
        this.managed = managed;
        this.thresholds = thresholds;
        this.blockedThreads = blockedThreads;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        Status status = Status.UP;
        List<String> reasons = new ArrayList<>();
        builder.withDetail("state", managed.state());

        long queued = managed.stats().queued();
        builder.withDetail("queued", queued);
        Integer capacity = managed.settings().capacity();
        if (capacity != null) {
            builder.withDetail("capacity", capacity);
            if (thresholds.isFull(queued, capacity)) {
                status = Status.OUT_OF_SERVICE;
                reasons.add(queued + " of at most " + capacity + " tasks are queued");
            }
        }
        if (managed.executor().isShutdown()) {
            status = Status.OUT_OF_SERVICE;
            reasons.add("it accepts no more tasks");
        }

        int parked = managed.parked();
        builder.withDetail("parked", parked);
        if (thresholds.isTooMuchParked(parked)) {
            status = Status.DOWN;
            reasons.add(parked + " parked, to be resumed or skipped" + because(managed.explainParked()));
        }

        if (thresholds.age() != null && !managed.knowsAges()) {
            builder.withDetail("oldestTask", "unknown, as the executor has no listener");
        }
        Duration oldest = thresholds.age() == null ? null : managed.oldestAge();
        if (oldest != null) {
            builder.withDetail(
                    "oldestTask", oldest.truncatedTo(ChronoUnit.MILLIS).toString());
            if (thresholds.isTooOld(oldest)) {
                status = Status.DOWN;
                reasons.add("a task has been running for longer than " + thresholds.age()
                        + because(managed.explainStuck(Objects.requireNonNull(thresholds.age()))));
            }
        }
        Duration longest = thresholds.blocked();
        if (longest != null) {
            Duration blocked = blockedThreads.longest(managed.threadsOfTasks());
            if (blocked.compareTo(longest) >= 0) {
                status = Status.DOWN;
                reasons.add("the thread of a task has been blocked for " + blocked.truncatedTo(ChronoUnit.SECONDS)
                        + ", and so may be stuck");
            }
        }
        if (!reasons.isEmpty()) {
            builder.withDetail("reason", String.join("; ", reasons));
        }
        builder.status(status);
    }

    /** Without what belongs to the application: a check of the health shows no keys. */
    private static String because(@Nullable Explanation explanation) {
        return explanation == null ? "" : " (" + explanation.text(ShownExplanation.MASKED) + ")";
    }
}
