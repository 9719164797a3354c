package io.orderedexecutor.spring.actuate;

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
 * What was recorded, in the format that Chrome has for traces: each executor is a process, each key a thread of it.
 *
 * @param displayTimeUnit of the viewer
 * @param traceEvents the names of executors and keys, and then what has happened
 */
public record Trace(String displayTimeUnit, List<Entry> traceEvents) {
    private static final String TASK = "io.orderedexecutor.Task";
    private static final String REJECTED = "io.orderedexecutor.Rejected";
    private static final String PARKED = "io.orderedexecutor.Parked";
    private static final String WRITTEN = "io.orderedexecutor.Written";

    /** What {@link Object#toString()} makes of an object that says nothing of itself. */
    private static final Pattern IDENTITY = Pattern.compile("\\S+@[0-9a-f]+");

    /** What has to be recorded. */
    static final List<String> EVENTS = List.of(TASK, REJECTED, PARKED, WRITTEN);

    /**
     * One entry; the format says what its fields are called.
     *
     * @param name what is shown
     * @param cat the category; null of a name
     * @param ph {@code X} for what has a duration, {@code i} for a moment, {@code M} for a name
     * @param ts when it began, in microseconds
     * @param dur how long it took, in microseconds; null of what has no duration
     * @param pid the number of the executor
     * @param tid the number of the key
     * @param s {@code t}: a moment is one of its track
     * @param args what else is known
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Entry(
            String name,
            @Nullable String cat,
            String ph,
            long ts,
            @Nullable Long dur,
            int pid,
            int tid,
            @Nullable String s,
            Map<String, Object> args) {}

    static Trace of(List<RecordedEvent> events, Shown shown) {
        Tracks tracks = new Tracks(shown);
        List<Entry> entries = new ArrayList<>();
        events.stream()
                .filter(event -> EVENTS.contains(event.getEventType().getName()))
                .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                .forEach(event -> entries.add(tracks.entryOf(event)));
        List<Entry> all = new ArrayList<>(tracks.names);
        all.addAll(entries);
        return new Trace("ms", all);
    }

    /** Numbers the executors and keys, and names them when they come for the first time. */
    private static final class Tracks {
        private final Shown shown;
        private final Map<String, Integer> executors = new LinkedHashMap<>();
        private final Map<List<Object>, Integer> keys = new LinkedHashMap<>();
        private final List<Entry> names = new ArrayList<>();

        Tracks(Shown shown) {
            this.shown = shown;
        }

        Entry entryOf(RecordedEvent event) {
            int executor = numberOf(string(event, "executor"));
            int key = numberOf(executor, event);
            long began = ChronoUnit.MICROS.between(Instant.EPOCH, event.getStartTime());
            return switch (event.getEventType().getName()) {
                case TASK -> {
                    Map<String, Object> args = new LinkedHashMap<>();
                    args.put("outcome", string(event, "outcome"));
                    args.put("queuedMicros", micros(event.getDuration("queued")));
                    yield new Entry(
                            nameOfTask(event),
                            "task",
                            "X",
                            began,
                            micros(event.getDuration()),
                            executor,
                            key,
                            null,
                            args);
                }
                case WRITTEN -> {
                    long took = micros(event.getDuration("written"));
                    Map<String, Object> args = Map.of("waitedMicros", micros(event.getDuration("waited")));
                    yield new Entry("output", "output", "X", began - took, took, executor, key, null, args);
                }
                case REJECTED -> moment("rejected", "reason", event, began, executor, key);
                default -> moment("parked", "failure", event, began, executor, key);
            };
        }

        /**
         * What the task says of itself, if that is more than where it is in memory, and may be seen; else its class.
         */
        private String nameOfTask(RecordedEvent event) {
            String text = event.getString("text");
            if (text != null && shown.values() && !IDENTITY.matcher(text).matches()) {
                return shown.task(text).replaceFirst("^(?:[a-z]\\w*\\.)+(?=[A-Z])", ""); // there is little room
            }
            String type = className(event, "task");
            int lambda = type.indexOf("$$Lambda");
            String named = lambda < 0 ? type : type.substring(0, lambda);
            String simple = named.substring(named.lastIndexOf('.') + 1);
            return lambda < 0 ? simple : "lambda in " + simple;
        }

        private static Entry moment(String name, String field, RecordedEvent event, long began, int executor, int key) {
            Map<String, Object> args = Map.of(field, className(event, field));
            return new Entry(name, name, "i", began, null, executor, key, "t", args);
        }

        /** On JDK 17, recordings after the first one may lack strings of 16 characters and more. */
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

        private int numberOf(String executor) {
            Integer known = executors.get(executor);
            if (known != null) {
                return known;
            }
            int number = executors.size() + 1;
            executors.put(executor, number);
            names.add(nameOf("process_name", number, 0, executor));
            return number;
        }

        private int numberOf(int executor, RecordedEvent event) {
            List<Object> key = List.of(executor, event.getInt("track"));
            Integer known = keys.get(key);
            if (known != null) {
                return known;
            }
            int number = keys.size() + 1;
            keys.put(key, number);
            String text = event.getString("key");
            String name = text == null || !shown.values() ? "key " + number : shown.key("key", text);
            names.add(nameOf("thread_name", executor, number, name));
            return number;
        }

        private static Entry nameOf(String of, int executor, int key, String name) {
            return new Entry(of, null, "M", 0, null, executor, key, null, Map.of("name", name));
        }
    }
}
