package io.orderedexecutor.benchmarks;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Reads the command line. */
final class Options {
    static final String USAGE =
            """
            java -jar benchmarks.jar [quick|full] [--option=value ...]   print the tables as Markdown
            java -jar benchmarks.jar jmh [JMH's options]                 the same batches under JMH, with its profilers

              --executors=a,b    those only: %s
              --rows=a,b         those only: %s
              --forks=N          JVMs for each executor and row, one after another
              --warmups=N        samples thrown away in each JVM
              --rounds=N         samples taken in each JVM
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

    private static final Map<String, String> COMMON = Map.of(
            "executors", String.join(",", Subjects.names(Subjects.ALL)),
            "rows", String.join(",", Row.keys()),
            "window", "16384",
            "threads", "2",
            "producers", "0",
            "heap", "1g",
            "jvm", "");

    private static final Map<String, String> QUICK = Map.of(
            "forks", "1",
            "warmups", "20",
            "rounds", "5",
            "batch", "400000",
            "slice", "500",
            "queued", "300000",
            "stripes", "100000");

    private static final Map<String, String> FULL = Map.of(
            "forks", "3",
            "warmups", "25",
            "rounds", "9",
            "batch", "1000000",
            "slice", "3000",
            "queued", "1000000",
            "stripes", "100000");

    static final int STALL_MILLIS = 10_000;

    private final Map<String, String> values = new HashMap<>(COMMON);

    private Options(boolean full) {
        values.putAll(full ? FULL : QUICK);
    }

    static Plan parse(List<String> arguments) {
        Options options = new Options(arguments.contains("full"));
        for (String argument : arguments) {
            if (!Set.of("full", "quick").contains(argument)) {
                options.set(argument);
            }
        }
        return options.plan();
    }

    private void set(String argument) {
        String[] parts = argument.split("=", 2);
        String name = parts[0].startsWith("--") ? parts[0].substring(2) : "";
        if (parts.length < 2 || !values.containsKey(name)) {
            throw new IllegalArgumentException("'" + argument + "' is not quick, full or --option=value with one of "
                    + new TreeSet<>(values.keySet()));
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
                Subjects.named(list("executors")),
                settings,
                number("forks"),
                number("warmups"),
                number("rounds"),
                value("heap"),
                list("jvm"));
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
