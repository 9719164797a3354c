package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.autoconfigure.Settings.OverflowChoice;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Refuses settings that are out of range, that exclude each other, or that would have no effect. What an executor
 * inherits is refused where it is written, under {@code ordered-executor.defaults}; what the two have together, at the
 * executor.
 */
final class SettingsCheck {
    private static final int MAX_CAPACITY = 1_000_000_000;
    private static final String DEFAULTS = OrderedExecutorProperties.PREFIX + ".defaults";

    private final PropertyFailures failures;
    private final Settings defaults;

    /** Checks the defaults at once. */
    SettingsCheck(PropertyFailures failures, Settings defaults) {
        this.failures = failures;
        this.defaults = defaults;
        checkRanges(DEFAULTS, defaults);
        checkTogether(DEFAULTS, defaults, defaults);
    }

    /** Checks an executor's own settings. */
    void check(ExecutorSection section, String prefix, Settings own) {
        boolean isOutput = section == ExecutorSection.ORDERED_OUTPUT;
        Settings all = own.orElse(isOutput ? defaults.forOrderedOutput() : defaults);
        checkRanges(prefix, own);
        checkTogether(prefix, own, all);
        if (isOutput && own.overflow() == OverflowChoice.DISCARD_OLDEST) {
            throw failures.wrong(
                    prefix + ".overflow",
                    "would make no room, since what an output has finished waits for its oldest piece",
                    "Set it to reject or block, or remove it.");
        }
        // an ordered output always has a window
        if (own.overflow() != null && !isOutput && !all.isBounded()) {
            throw failures.wrong(
                    prefix + ".overflow",
                    "has no effect, since the executor has no capacity",
                    "Set '" + prefix + ".capacity', or a capacity per key, to how many tasks may wait; or remove it.");
        }
    }

    private void checkRanges(String prefix, Settings settings) {
        requireAtLeastOne(
                prefix + ".threads",
                settings.threads(),
                "Set it to a number of threads, or remove it for as many as there are processors.");
        requireAtLeastOne(
                prefix + ".turn.tasks", settings.turn().tasks(), "Set it to a number of tasks, or remove it for 64.");
        Duration time = settings.turn().time();
        if (time != null && (time.isZero() || time.isNegative())) {
            throw failures.wrong(
                    prefix + ".turn.time", "must be more than zero", "Set it to a duration such as 1ms, or remove it.");
        }
        requireCapacity(prefix + ".capacity", settings.capacity());
        requireCapacity(prefix + ".stripe-capacity", settings.stripeCapacity());
        requireCapacity(prefix + ".group-capacity", settings.groupCapacity());
        requireCapacity(prefix + ".window", settings.window());
        requireCapacity(prefix + ".concurrency", settings.concurrency());
        requireNotNegative(prefix + ".overflow-timeout", settings.overflowTimeout(), "5s");
        requireAtLeastOne(
                prefix + ".retry.attempts",
                settings.retry().attempts(),
                "Set it to how often a task is run at most, the first time included, or remove it for 1.");
        requireNotNegative(prefix + ".retry.backoff", settings.retry().backoff(), "100ms");
        requireNotNegative(prefix + ".retry.ceiling", settings.retry().ceiling(), "1m");
        String executor = settings.executor();
        if (executor != null && executor.isBlank()) {
            throw failures.wrong(
                    prefix + ".executor", "is blank", "Set it to the name of an Executor bean, or remove it.");
        }
    }

    private void checkTogether(String prefix, Settings own, Settings all) {
        if (own.executor() != null && own.threads() != null) {
            throw failures.wrong(
                    prefix + ".executor",
                    "excludes '" + prefix
                            + ".threads': an executor runs on its own threads or on those of another executor",
                    "Remove one of the two.");
        }
        String timeout = prefix + ".overflow-timeout";
        if (own.overflow() == OverflowChoice.BLOCK && all.overflowTimeout() == null) {
            throw failures.wrong(
                    prefix + ".overflow",
                    "lets callers wait for room, and there is no limit to how long",
                    "Set '" + timeout + "' to a duration such as 5s.");
        }
        if (own.overflowTimeout() != null && all.overflow() != OverflowChoice.BLOCK) {
            throw failures.wrong(
                    timeout,
                    "has no effect, since no caller waits for room",
                    "Set '" + prefix + ".overflow' to block, or remove it.");
        }
        requireRetry(prefix + ".retry.backoff", own.retry().backoff(), all);
        requireRetry(prefix + ".retry.ceiling", own.retry().ceiling(), all);
    }

    private void requireRetry(String property, @Nullable Duration pause, Settings all) {
        if (pause != null && !all.retry().isOn()) {
            throw failures.wrong(
                    property,
                    "has no effect, since a task that fails is not run again",
                    "Set '" + property.substring(0, property.lastIndexOf('.'))
                            + ".attempts' to 2 or more, or remove it.");
        }
    }

    private void requireAtLeastOne(String property, @Nullable Integer value, String mend) {
        if (value != null && value < 1) {
            throw failures.wrong(property, "must be at least 1", mend);
        }
    }

    private void requireCapacity(String property, @Nullable Integer value) {
        if (value != null && (value < 1 || value > MAX_CAPACITY)) {
            throw failures.wrong(
                    property,
                    "must be from 1 to " + MAX_CAPACITY,
                    "Set it to how many tasks may wait, or remove it for no limit.");
        }
    }

    private void requireNotNegative(String property, @Nullable Duration value, String example) {
        if (value != null && value.isNegative()) {
            throw failures.wrong(
                    property, "must not be negative", "Set it to a duration such as " + example + ", or remove it.");
        }
    }
}
