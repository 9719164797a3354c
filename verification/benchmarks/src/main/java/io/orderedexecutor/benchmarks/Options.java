package io.orderedexecutor.benchmarks;

import static java.util.Map.entry;

import io.orderedexecutor.benchmarks.CoreClasses.Earlier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the command line. */
final class Options {
    static final String DESIGN_MODE = "design";

    static final String USAGE =
            """
            java -jar benchmarks.jar design [--before=JAR]               what the bars ask for, and whether they are met
            java -jar benchmarks.jar [quick|full] [--option=value ...]   print the tables as Markdown
            java -jar benchmarks.jar jmh [JMH's options]                 the same batches under JMH, with its profilers
            java -jar benchmarks.jar scaling                             count what more threads make dearer

              --executors=a,b    those only; full mode has all, quick mode most: %s
              --rows=a,b         those only; design has those of the bars, quick and full a window everywhere: %s
              --histories=a,b    what has run in each JVM before: mixed (all of ours), alone; a report for each
              --before=JAR       another build of the core: each of ours is measured with it, too
              --forks=N          JVMs for each executor and row, one after another
              --warmups=N        samples thrown away in each JVM
              --rounds=N         samples taken in each JVM
              --long-rounds=N    the same at most where a sample takes a second
              --batch=N          tasks in a sample of a throughput row
              --slice=MILLIS     duration of a sample of a row of waits
              --window=N         tasks submitted and not run yet, at most
              --threads=N        threads of each executor
              --producers=N      threads that submit the tasks of a throughput row; 0: as the row says
              --queued=N         tasks queued when their memory is measured
              --stripes=N        stripes opened when their memory is measured
              --heap=SIZE        heap of each JVM, but those of the memory row
              --jvm=-XX:A,-XX:B  more arguments for each JVM
            """.formatted(String.join(",", Subjects.names(Subjects.ALL)), String.join(",", Row.keys()));

    /** The heap of each JVM, unless the caller chooses another one. */
    static final String HEAP = "512m";

    private static final Map<String, String> COMMON = Map.of(
            "rows",
                    "1,1k,100k,2p,work,groups,features,blocked,output,busy,submission,latency,latency-busy,backlog,hot,"
                            + "memory",
            "long-rounds", "3",
            "window", "16384",
            "threads", "2",
            "producers", "0",
            "heap", HEAP,
            "before", "",
            "jvm", "");

    private static final Map<String, String> QUICK = Map.of(
            "executors",
                    "unordered,ours,ours-capacity,ours-key-capacity,ours-listening,ours-bounded,ours-grouped,"
                            + "ours-1-blocked,ours-1000-blocked,ours-collected,ours-queued-calls,"
                            + "ours-collected-calls,global-lock,guava,netty,bookkeeper,single-threads,"
                            + "ours-output,futures-in-order,output-lock",
            "histories", "mixed",
            "forks", "1",
            "warmups", "12",
            "rounds", "5",
            "batch", "200000",
            "slice", "500",
            "queued", "300000",
            "stripes", "100000");

    private static final Map<String, String> FULL = Map.of(
            "executors", String.join(",", Subjects.names(Subjects.ALL)),
            "histories", "mixed,alone",
            "forks", "3",
            "warmups", "25",
            "rounds", "9",
            "batch", "1000000",
            "slice", "3000",
            "queued", "1000000",
            "stripes", "100000");

    /** Enough of each for a median, in 25 minutes for all. */
    private static final Map<String, String> DESIGN = Map.ofEntries(
            entry("executors", String.join(",", Subjects.names(Subjects.ALL))),
            entry("rows", Bar.rows().stream().sorted().map(row -> row.key).collect(Collectors.joining(","))),
            entry("histories", "mixed"),
            entry("forks", "1"),
            entry("warmups", "4"),
            entry("rounds", "9"),
            entry("long-rounds", "5"),
            entry("batch", "200000"),
            entry("slice", "1000"),
            entry("queued", "1000000"),
            entry("stripes", "1000000"));

    static final int STALL_MILLIS = 10_000;

    private final Map<String, String> values = new HashMap<>(COMMON);

    /** Only what a bar asks for is measured. */
    private final boolean design;

    private Options(Map<String, String> mode) {
        values.putAll(mode);
        this.design = mode == DESIGN;
    }

    static Plan parse(List<String> arguments) {
        Options options = new Options(mode(arguments));
        for (String argument : arguments) {
            if (!Set.of("full", "quick", DESIGN_MODE).contains(argument)) {
                options.set(argument);
            }
        }
        return options.plan();
    }

    private static Map<String, String> mode(List<String> arguments) {
        if (arguments.contains(DESIGN_MODE)) {
            return DESIGN;
        }
        return arguments.contains("full") ? FULL : QUICK;
    }

    private void set(String argument) {
        String[] parts = argument.split("=", 2);
        String name = parts[0].startsWith("--") ? parts[0].substring(2) : "";
        if (parts.length < 2 || !values.containsKey(name)) {
            throw new IllegalArgumentException("'" + argument
                    + "' is not design, quick, full or --option=value with one of " + new TreeSet<>(values.keySet()));
        }
        values.put(name, parts[1]);
    }

    private Plan plan() {
        Settings settings = new Settings(
                number("threads"),
                number("producers"),
                number("window"),
                number("batch"),
                number("slice"),
                number("queued"),
                number("stripes"),
                STALL_MILLIS);
        return new Plan(
                list("rows").stream().map(Row::keyed).sorted().toList(),
                withEarlierBuild(Subjects.named(list("executors"))),
                design ? Bar::use : (row, subject) -> true,
                list("histories").stream().map(History::named).toList(),
                settings,
                number("forks"),
                number("warmups"),
                number("rounds"),
                number("long-rounds"),
                value("heap"),
                list("jvm"));
    }

    /** With another build of the core, each of ours is followed by its former self. */
    private List<Subject> withEarlierBuild(List<Subject> subjects) {
        if (value("before").isEmpty()) {
            return subjects;
        }
        Path jar = Path.of(value("before")).toAbsolutePath();
        if (!Files.isReadable(jar)) {
            throw new IllegalArgumentException("--before=" + value("before") + ": there is no such jar");
        }
        Earlier build = Earlier.of(jar);
        return subjects.stream()
                .flatMap(subject -> subject.isOurs() ? Stream.of(subject, subject.before(build)) : Stream.of(subject))
                .toList();
    }

    private String value(String name) {
        return values.getOrDefault(name, "");
    }

    private int number(String name) {
        int number = Integer.parseInt(value(name));
        if (number < (Set.of("warmups", "producers").contains(name) ? 0 : 1)) {
            throw new IllegalArgumentException("--" + name + "=" + number + " is too small");
        }
        return number;
    }

    private List<String> list(String name) {
        return Arrays.stream(value(name).split(",", -1))
                .filter(part -> !part.isEmpty())
                .toList();
    }
}
