package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.autoconfigure.Settings.FailureChoice;
import io.orderedexecutor.spring.autoconfigure.Settings.OverflowChoice;
import io.orderedexecutor.spring.autoconfigure.Settings.Retry;
import java.time.Duration;
import java.util.Objects;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Refuses settings that exclude each other or would have no effect. */
final class SettingsCheck {
    private final PropertyFailures failures;

    SettingsCheck(PropertyFailures failures) {
        this.failures = failures;
    }

    /** Checks the settings of an executor with keys. */
    void checkKeyed(String prefix, Settings settings) {
        checkCommon(prefix, settings, false);
        require(
                settings.overflow() == null || settings.capacity() != null || settings.keyCapacity() != null,
                prefix + ".overflow",
                "It has no effect, since the executor has no capacity. Remove it, or set '" + prefix + ".capacity' or '"
                        + prefix + ".key-capacity' to the maximum number of queued tasks.");
        checkTypes(
                prefix,
                settings.retry(),
                settings.failurePolicy() == FailureChoice.PARK,
                "It has no effect, since failed tasks are neither retried nor park their keys. Remove it, or set '"
                        + prefix + ".retry.max-retries' to 1 or more or '" + prefix + ".failure-policy' to park.");
    }

    /** Checks the types of exceptions. They choose which failures are retried, and which park their key. */
    private void checkTypes(String prefix, Retry retry, boolean parks, String reason) {
        boolean haveEffect = retry.isOn() || parks;
        require(retry.includes().isEmpty() || haveEffect, prefix + ".retry.includes", reason);
        require(retry.excludes().isEmpty() || haveEffect, prefix + ".retry.excludes", reason);
    }

    /** Checks the settings of an ordered output executor. */
    void checkOutput(String prefix, Settings settings) {
        checkCommon(prefix, settings, true);
        require(
                settings.overflow() != OverflowChoice.DISCARD_OLDEST,
                prefix + ".overflow",
                "It would make no room: pieces that are finished wait for the oldest one. Set it to reject or block,"
                        + " or remove it.");
        checkTypes(prefix, settings.retry(), false, withoutRetries(prefix));
        int window = Objects.requireNonNullElse(settings.window(), Settings.DEFAULT_WINDOW);
        require(
                settings.concurrency() == null || settings.concurrency() <= window,
                prefix + ".concurrency",
                "It has no effect, since the window has " + window + " pieces. Lower it to " + window
                        + " or less, or raise '" + prefix + ".window'.");
    }

    private void checkCommon(String prefix, Settings settings, boolean waitsByDefault) {
        require(
                settings.executor() == null || settings.threads() == null,
                prefix + ".executor",
                "It excludes '" + prefix + ".threads': an executor has own threads or uses those of another executor."
                        + " Remove one of the two.");
        String timeout = prefix + ".overflow-timeout";
        require(
                settings.overflow() != OverflowChoice.BLOCK || settings.overflowTimeout() != null || waitsByDefault,
                prefix + ".overflow",
                "It lets callers wait without a limit. Set '" + timeout + "' to a duration such as 5s.");
        boolean waits = settings.overflow() == null ? waitsByDefault : settings.overflow() == OverflowChoice.BLOCK;
        require(
                settings.overflowTimeout() == null || waits,
                timeout,
                "It has no effect, since calls do not wait. Remove it, or set '" + prefix + ".overflow' to block.");
        Retry retry = settings.retry();
        require(retry.delay() == null || retry.isOn(), prefix + ".retry.delay", withoutRetries(prefix));
        require(retry.multiplier() == null || retry.isOn(), prefix + ".retry.multiplier", withoutRetries(prefix));
        require(retry.maxDelay() == null || retry.isOn(), prefix + ".retry.max-delay", withoutRetries(prefix));
        require(retry.jitter() == null || retry.isOn(), prefix + ".retry.jitter", withoutRetries(prefix));
        Duration delay = Objects.requireNonNullElse(retry.delay(), Retry.DEFAULT_DELAY);
        require(
                retry.maxDelay() == null || retry.maxDelay().compareTo(delay) >= 0,
                prefix + ".retry.max-delay",
                "It is shorter than the first delay, " + delay + ". Raise it to " + delay + " or more, or lower '"
                        + prefix + ".retry.delay'.");
    }

    private static String withoutRetries(String prefix) {
        return "It has no effect, since failed tasks are not retried. Remove it, or set '" + prefix
                + ".retry.max-retries' to 1 or more.";
    }

    /** @throws InvalidConfigurationPropertyValueException with this reason, if {@code right} is false */
    private void require(boolean right, String property, String reason) {
        if (!right) {
            throw failures.invalid(property, reason);
        }
    }
}
