package io.orderedexecutor.spring.autoconfigure;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import org.jspecify.annotations.Nullable;

/**
 * A recording in Chrome's trace format: each executor is a process, and each key is one or several threads of it; see
 * {@link Tracks}.
 *
 * @param displayTimeUnit the unit in which the viewer shows times
 * @param traceEvents the names of executors and keys, and then the events
 */
record Trace(String displayTimeUnit, List<Entry> traceEvents) {
    /** The result of {@link Object#toString()} of a class that does not override it. */
    private static final Pattern IDENTITY = Pattern.compile("\\S+@[0-9a-f]+");

    /** The names of the events to record. */
    static final List<String> EVENTS = List.of(Timeline.TASK, Timeline.REJECTED, Timeline.PARKED, Timeline.WRITTEN);

    /**
     * One entry, with the field names of the format.
     *
     * @param name the text that is shown
     * @param cat the category; null for a name
     * @param ph {@code X} for an event with a duration, {@code i} for a moment, {@code M} for a name
     * @param ts when it began, in microseconds
     * @param dur how long it took, in microseconds; null without a duration
     * @param pid the number of the executor
     * @param tid the number of the track
     * @param s {@code t} for a moment, which belongs to its track; otherwise null
     * @param args further data
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Entry(
            String name,
            @Nullable String cat,
            String ph,
            long ts,
            @Nullable Long dur,
            int pid,
            int tid,
            @Nullable String s,
            Map<String, Object> args) {

        static Entry nameOf(String of, int executor, int thread, String name) {
            return new Entry(of, null, "M", 0, null, executor, thread, null, Map.of("name", name));
        }

        private static Entry slice(
                String name, String category, RecordedEvent event, int executor, int thread, Map<String, Object> args) {
            return new Entry(name, category, "X", began(event), took(event), executor, thread, null, args);
        }

        private static Entry moment(String name, String field, RecordedEvent event, int executor, int thread) {
            Map<String, Object> args = Map.of(field, className(event, field));
            return new Entry(name, name, "i", began(event), null, executor, thread, "t", args);
        }
    }

    static Trace of(List<RecordedEvent> events, Shown shown) {
        Tracks tracks = new Tracks(shown);
        List<Entry> entries = events.stream()
                .filter(event -> EVENTS.contains(event.getEventType().getName()))
                .sorted(Comparator.comparingLong(Trace::began))
                .map(event -> entryOf(event, tracks, shown))
                .toList();
        List<Entry> all = new ArrayList<>(tracks.names());
        all.addAll(entries);
        return new Trace("ms", all);
    }

    private static Entry entryOf(RecordedEvent event, Tracks tracks, Shown shown) {
        int executor = tracks.executor(string(event, "executor"));
        Tracks.Key key = tracks.key(executor, event);
        return switch (event.getEventType().getName()) {
            case Timeline.TASK -> {
                Map<String, Object> args = new LinkedHashMap<>();
                args.put("outcome", string(event, "outcome"));
                args.put("queuedMicros", micros(event.getDuration("queued")));
                int thread = key.tasks().place(began(event), took(event));
                yield Entry.slice(nameOfTask(event, shown), "task", event, executor, thread, args);
            }
            case Timeline.WRITTEN -> {
                Map<String, Object> args = Map.of("waitedMicros", micros(event.getDuration("waited")));
                int thread = key.outputs().place(began(event), took(event));
                yield Entry.slice("output", "output", event, executor, thread, args);
            }
            case Timeline.REJECTED ->
                Entry.moment("rejected", "reason", event, executor, key.tasks().first());
            default ->
                Entry.moment("parked", "failure", event, executor, key.tasks().first());
        };
    }

    /** Returns when an event began, in microseconds. A write is recorded at its end. */
    private static long began(RecordedEvent event) {
        long recorded = ChronoUnit.MICROS.between(Instant.EPOCH, event.getStartTime());
        return isWritten(event) ? recorded - took(event) : recorded;
    }

    /** Returns how long an event took, in microseconds. */
    private static long took(RecordedEvent event) {
        return micros(isWritten(event) ? event.getDuration("written") : event.getDuration());
    }

    private static boolean isWritten(RecordedEvent event) {
        return event.getEventType().getName().equals(Timeline.WRITTEN);
    }

    /**
     * Returns the text of a task, if it is more than a class name with a hash code and may be shown; otherwise its
     * class.
     */
    private static String nameOfTask(RecordedEvent event, Shown shown) {
        String text = event.getString("text");
        if (text != null && shown.values() && !IDENTITY.matcher(text).matches()) {
            return shown.task(text).replaceFirst("^(?:[a-z]\\w*\\.)+(?=[A-Z])", ""); // a viewer has little room
        }
        String type = className(event, "task");
        int lambda = type.indexOf("$$Lambda");
        String named = lambda < 0 ? type : type.substring(0, lambda);
        String simple = named.substring(named.lastIndexOf('.') + 1);
        return lambda < 0 ? simple : "lambda in " + simple;
    }

    /**
     * Returns a field of an event. On JDK 17, recordings after the first one may lack strings of 16 characters and
     * more.
     */
    private static String string(RecordedEvent event, String field) {
        String text = event.getString(field);
        return text == null ? "unknown" : text;
    }

    private static String className(RecordedEvent event, String field) {
        RecordedClass type = event.getClass(field);
        return type == null ? "unknown" : type.getName();
    }

    private static long micros(Duration time) {
        return time.toNanos() / 1_000;
    }
}
