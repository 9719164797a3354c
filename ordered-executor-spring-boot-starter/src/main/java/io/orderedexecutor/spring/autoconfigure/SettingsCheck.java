package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.autoconfigure.Settings.OverflowChoice;
import io.orderedexecutor.spring.autoconfigure.Settings.Retry;
import java.time.Duration;
import java.util.Objects;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Refuses settings that exclude each other or would have no effect. What an executor inherits is refused where it is
 * written, under {@code ordered-executor.defaults}; what the two have together, at the executor.
 */
final class SettingsCheck {
    private final PropertyFailures failures;
    private final Settings defaults;

    /** Checks the defaults at once. */
    SettingsCheck(PropertyFailures failures, Settings defaults) {
        this.failures = failures;
        this.defaults = defaults;
        String prefix = OrderedExecutorProperties.DEFAULTS;
        checkTogether(prefix, defaults, defaults, false);
        checkOfOutput(prefix, defaults, defaults);
    }

    /** Checks an executor's own settings. */
    void check(ExecutorSection section, String prefix, Settings own) {
        Settings all = own.orElse(defaults);
        checkTogether(prefix, own, all, section == ExecutorSection.ORDERED_OUTPUT);
        if (section == ExecutorSection.ORDERED_OUTPUT) {
            checkOfOutput(prefix, own, all);
            require(
                    own.overflow() != OverflowChoice.DISCARD_OLDEST,
                    prefix + ".overflow",
                    "It would make no room: pieces that are finished wait for the oldest one. Set it to reject or"
                            + " block, or remove it.");
        } else {
            require(
                    own.overflow() == null || isBounded(all),
                    prefix + ".overflow",
                    "It has no effect, since the executor has no capacity. Set '" + prefix + ".capacity', or the"
                            + " capacity of each key, to the maximum number of queued tasks, or remove it.");
        }
    }

    private void checkTogether(String prefix, Settings own, Settings all, boolean waitsByDefault) {
        require(
                own.executor() == null || own.threads() == null,
                prefix + ".executor",
                "It excludes '" + prefix + ".threads': an executor has own threads or uses those of another executor."
                        + " Remove one of the two.");
        String timeout = prefix + ".overflow-timeout";
        require(
                own.overflow() != OverflowChoice.BLOCK || all.overflowTimeout() != null || waitsByDefault,
                prefix + ".overflow",
                "It lets callers wait without a limit. Set '" + timeout + "' to a duration such as 5s.");
        boolean waits = all.overflow() == null ? waitsByDefault : all.overflow() == OverflowChoice.BLOCK;
        require(
                own.overflowTimeout() == null || waits,
                timeout,
                "It has no effect, since calls do not wait. Set '" + prefix + ".overflow' to block, or remove it.");
        checkRetry(prefix + ".retry", own.retry(), all.retry());
    }

    private void checkRetry(String prefix, Retry own, Retry all) {
        String reason = "It has no effect, since failed tasks are not retried. Set '" + prefix
                + ".attempts' to 2 or more, or remove it.";
        require(own.backoff() == null || all.isOn(), prefix + ".backoff", reason);
        require(own.ceiling() == null || all.isOn(), prefix + ".ceiling", reason);
        Duration ceiling = all.ceilingOrDefault();
        if (all.backoff() != null && all.backoff().compareTo(ceiling) > 0) {
            require(
                    own.backoff() == null,
                    prefix + ".backoff",
                    "It is longer than the ceiling of all pauses, " + ceiling + ". Set '" + prefix
                            + ".ceiling' to at least the same, or make it shorter.");
            require(
                    own.ceiling() == null,
                    prefix + ".ceiling",
                    "It is shorter than the first pause, " + all.backoff() + ". Set '" + prefix
                            + ".backoff' to at most the same, or make it longer.");
        }
    }

    private void checkOfOutput(String prefix, Settings own, Settings all) {
        int window = Objects.requireNonNullElse(all.window(), Settings.DEFAULT_WINDOW);
        if (all.concurrency() != null && all.concurrency() > window) {
            require(
                    own.concurrency() == null,
                    prefix + ".concurrency",
                    "It has no effect, since the window has " + window + " pieces. Set '" + prefix
                            + ".window' to at least as many, or make it smaller.");
            require(
                    own.window() == null,
                    prefix + ".window",
                    "It leaves the concurrency of " + all.concurrency() + " without effect. Set '" + prefix
                            + ".concurrency' to at most as many, or make it larger.");
        }
    }

    private static boolean isBounded(Settings settings) {
        return settings.capacity() != null || settings.stripeCapacity() != null || settings.groupCapacity() != null;
    }

    /** @throws InvalidConfigurationPropertyValueException with this reason, if it is not right */
    private void require(boolean right, String property, String reason) {
        if (!right) {
            throw failures.invalid(property, reason);
        }
    }
}
