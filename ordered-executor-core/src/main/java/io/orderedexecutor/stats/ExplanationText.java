package io.orderedexecutor.stats;

import io.orderedexecutor.Groups;
import io.orderedexecutor.stats.Explanation.Cause;
import io.orderedexecutor.stats.Explanation.Place;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An {@link Explanation} as a sentence: what waits, and then each cause in a clause of its own. */
final class ExplanationText {
    /** The maximum number of items of a batch in a text. */
    private static final int MOST_OF_BATCH = 10;

    /** The application's own text, or the name of its class if that throws. */
    static final BiFunction<String, Object, String> UNMASKED = (kind, value) -> textOf(value);

    private final Explanation explanation;
    private final BiFunction<String, Object, String> shown;

    ExplanationText(Explanation explanation, BiFunction<String, Object, String> shown) {
        this.explanation = explanation;
        this.shown = shown;
    }

    private static String textOf(Object value) {
        if (value instanceof List<?> batch) {
            String first = batch.stream()
                    .limit(MOST_OF_BATCH)
                    .map(ExplanationText::textOf)
                    .collect(Collectors.joining(", "));
            int others = batch.size() - MOST_OF_BATCH;
            return others <= 0 ? "[" + first + "]" : "[" + first + ", and " + others + " more]";
        }
        try {
            return String.valueOf(value);
        } catch (Throwable unprintable) {
            return value.getClass().getName();
        }
    }

    String text() {
        Duration waited = explanation.waited();
        boolean waits = explanation.task() != null || waited != null;
        StringBuilder text =
                new StringBuilder(waits ? task(explanation.task(), explanation.place()) : of(explanation.place()));
        if (explanation.place().key() != null) {
            text.append(of(explanation.place().executor()));
        }
        if (waits) {
            text.append(waited == null ? " waits" : " has waited for " + time(waited));
        }
        text.append(": ");
        int count = explanation.causes().size();
        for (int i = 0; i < count; i++) {
            if (i > 0) {
                text.append("; ");
            }
            if (i == count - 1 && explanation.omitted() > 0) {
                text.append(explanation.omitted()).append(" more tasks wait like this; ");
            }
            text.append(clause(explanation.causes().get(i)));
        }
        return text.toString();
    }

    private String clause(Cause cause) {
        Place place = cause.place();
        if (cause instanceof Explanation.Running it) {
            StackTraceElement at = it.at();
            return task(it.task(), place)
                    + (it.age() == null ? " is running" : " has been running for " + time(it.age()))
                    + " on thread " + nameOf(it.thread())
                    + (at == null ? "" : " at " + at.getFileName() + ":" + at.getLineNumber());
        }
        if (cause instanceof Explanation.Incomplete it) {
            return task(it.task(), place) + " has returned a stage that is not complete" + after(it.age());
        }
        if (cause instanceof Explanation.Queued it) {
            return task(it.task(), place) + " is queued before it" + after(it.waited());
        }
        if (cause instanceof Explanation.AwaitingFuture it) {
            return "that thread waits for " + task(it.task(), place);
        }
        if (cause instanceof Explanation.NoRoom it) {
            return "that thread waits for room in " + of(place) + ", whose capacity is " + it.capacity();
        }
        if (cause instanceof Explanation.WindowFull it) {
            return "that thread waits for room in the window of " + of(place) + ", which is " + it.window() + " pieces";
        }
        if (cause instanceof Explanation.AwaitingLock it) {
            return "that thread waits for " + it.lock()
                    + (it.owner() == null ? "" : ", which thread " + it.owner() + " has");
        }
        if (cause instanceof Explanation.NoThread it) {
            return noThread(it);
        }
        if (cause instanceof Explanation.Paused) {
            return of(place) + " is paused";
        }
        if (cause instanceof Explanation.Parked it) {
            return task(it.task(), place) + " is parked after " + shown.apply("failure", it.failure());
        }
        if (cause instanceof Explanation.RetryDelay it) {
            Throwable failure = it.failure();
            return task(it.task(), place)
                    + (failure == null ? " has failed" : " has failed with " + shown.apply("failure", failure))
                    + " and is tried again" + (it.remaining() == null ? "" : " in " + time(it.remaining()));
        }
        if (cause instanceof Explanation.Reserved it) {
            Thread owner = it.owner();
            return "a place of " + of(place) + " is reserved" + (owner == null ? "" : " by thread " + nameOf(owner))
                    + " for a task that has not come";
        }
        if (cause instanceof Explanation.Lingering it) {
            return "a batch of " + of(place) + " waits for more items for " + time(it.remaining());
        }
        if (cause instanceof Explanation.ConcurrencyReached) {
            return "as many pieces of " + of(place) + " are worked on as may be at once";
        }
        return "nothing holds it up";
    }

    private String noThread(Explanation.NoThread cause) {
        String executor = "executor '" + cause.place().executor() + "'";
        Integer threads = cause.threads();
        int busy = cause.running().size();
        String text = threads == null
                ? "no thread has come for it from where executor '"
                        + cause.place().executor() + "' has its threads"
                : busy + " of " + threads + " threads of " + executor + " are busy";
        if (busy == 0) {
            return text;
        }
        RunningTask longest = cause.running().get(0);
        Object task = longest.task();
        Thread thread = longest.thread();
        return text + ", " + (busy == 1 ? "with " : "longest with ")
                + (task == null ? "a task" : "task " + shown.apply("task", task))
                + (longest.age() == null ? "" : " for " + time(longest.age()))
                + (thread == null ? "" : " on thread " + nameOf(thread));
    }

    private String task(@Nullable Object task, Place place) {
        return task == null
                ? (place.key() == null ? "a task" : "the task") + " of " + of(place)
                : "task " + shown.apply("task", task) + " of " + of(place);
    }

    private static String of(String executor) {
        return " of executor '" + executor + "'";
    }

    /** Names the executor only if it is not the executor of the waiting task, which the text names first. */
    private String of(Place place) {
        Object key = place.key();
        if (key == null) {
            return "executor '" + place.executor() + "'";
        }
        String where = place.executor().equals(explanation.place().executor()) ? "" : of(place.executor());
        String type = place.type();
        Object named = key;
        if (key instanceof Groups groups) {
            List<Object> shared = groups.sharedGroups();
            int count = groups.exclusiveGroups().size() + shared.size();
            if (count == 0) {
                // all groups, which shows nothing of the application
                return groups + where;
            }
            if (count == 1 && !groups.areAll() && !groups.areAllShared()) {
                type = "key";
                if (!shared.isEmpty()) {
                    type = "shared key";
                    named = shared.get(0);
                }
            }
        }
        return type + " " + shown.apply(place.type(), named) + where;
    }

    private static String after(@Nullable Duration age) {
        return age == null ? "" : " (" + time(age) + ")";
    }

    /** A virtual thread has no name unless somebody gave it one. */
    private static String nameOf(Thread thread) {
        return thread.getName().isEmpty() ? thread.toString() : thread.getName();
    }

    /** As a person would say it: 250 ms, 4.2 s, 3 min 20 s, 5 h 3 min. */
    static String time(Duration time) {
        long millis = time.toMillis();
        if (millis < 1_000) {
            return millis + " ms";
        }
        if (millis < 60_000) {
            return String.format(Locale.ROOT, "%.1f s", Math.floor(millis / 100.0) / 10);
        }
        return time.toHours() > 0
                ? time.toHours() + " h " + time.toMinutesPart() + " min"
                : time.toMinutes() + " min " + time.toSecondsPart() + " s";
    }
}
