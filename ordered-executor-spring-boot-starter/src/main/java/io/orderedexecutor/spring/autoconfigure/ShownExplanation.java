package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.CauseDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.ExplanationDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.FailureDescriptor;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.Explanation.Cause;
import io.orderedexecutor.stats.Explanation.Place;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Shows an explanation as a sentence and as data. Values of the application are masked where they must not be shown.
 */
final class ShownExplanation {
    private static final String MASK = "******";

    /** Masks all values of the application, for a health check for instance. Only the classes of failures are shown. */
    static final BiFunction<String, Object, String> MASKED =
            (kind, value) -> kind.equals("failure") ? value.getClass().getName() : MASK;

    private ShownExplanation() {}

    static ExplanationDescriptor of(Explanation explanation, Shown shown) {
        List<Cause> causes = explanation.causes().stream()
                .map(cause -> withShownLine(cause, shown))
                .toList();
        Explanation lines = new Explanation(
                explanation.place(), explanation.task(), explanation.waited(), causes, explanation.omitted());
        return new ExplanationDescriptor(
                lines.text((kind, value) -> text(kind, value, shown)),
                causes.stream().map(cause -> describe(cause, shown)).toList());
    }

    static String text(String kind, Object value, Shown shown) {
        if (kind.equals("failure") && value instanceof Throwable thrown) {
            FailureDescriptor failure = shown.failure(thrown);
            return failure.type() + (failure.message() == null ? "" : ": " + failure.message());
        }
        return switch (kind) {
            case "task" -> shown.task(value);
            case "output" -> shown.output(value);
            default -> shown.key(value);
        };
    }

    /** Removes the line of a stack from a cause if stacks are masked. */
    private static Cause withShownLine(Cause cause, Shown shown) {
        if (cause instanceof Explanation.Running running && running.at() != null && !shown.showsLine(running.at())) {
            return new Explanation.Running(running.place(), running.task(), running.age(), running.thread(), null);
        }
        return cause;
    }

    private static CauseDescriptor describe(Cause cause, Shown shown) {
        Place place = cause.place();
        Object key = place.key();
        Object task = null;
        Duration age = null;
        Duration remaining = null;
        String thread = null;
        String at = null;
        String lock = null;
        Integer capacity = null;
        Throwable failure = null;
        if (cause instanceof Explanation.Running it) {
            task = it.task();
            age = it.age();
            thread = it.thread().getName();
            at = it.at() == null ? null : it.at().toString();
        } else if (cause instanceof Explanation.Incomplete it) {
            task = it.task();
            age = it.age();
        } else if (cause instanceof Explanation.Queued it) {
            task = it.task();
            age = it.waited();
        } else if (cause instanceof Explanation.AwaitingFuture it) {
            task = it.task();
        } else if (cause instanceof Explanation.AwaitingLock it) {
            lock = it.lock();
            thread = it.owner();
        } else if (cause instanceof Explanation.NoRoom it) {
            capacity = it.capacity();
        } else if (cause instanceof Explanation.WindowFull it) {
            capacity = it.window();
        } else if (cause instanceof Explanation.Parked it) {
            task = it.task();
            failure = it.failure();
        } else if (cause instanceof Explanation.RetryDelay it) {
            task = it.task();
            failure = it.failure();
            remaining = it.remaining();
        } else if (cause instanceof Explanation.Lingering it) {
            remaining = it.remaining();
        } else if (cause instanceof Explanation.Reserved it) {
            thread = it.owner() == null ? null : it.owner().getName();
        }
        return new CauseDescriptor(
                cause.verdict(),
                place.executor(),
                key == null ? null : text(place.type(), key, shown),
                task == null ? null : shown.task(task),
                inMillis(age),
                inMillis(remaining),
                thread,
                at,
                lock,
                capacity,
                failure == null ? null : shown.failure(failure));
    }

    private static @Nullable Duration inMillis(@Nullable Duration time) {
        return time == null ? null : time.truncatedTo(ChronoUnit.MILLIS);
    }
}
