package io.orderedexecutor.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What has run in a JVM before its subject is measured. */
enum History {
    /**
     * All executors of ours, as in an application of the starter, which always has all three kinds: code that they
     * share has been compiled for each of them.
     */
    MIXED("in JVMs that have run all executors before") {
        @Override
        void play(Settings settings) throws Exception {
            Settings shorter = settings.withBatch(Math.min(settings.batch(), MOST_TASKS));
            for (Overture overture : OVERTURES) {
                Experiment experiment = overture.row.start(Subjects.named(overture.subject), shorter);
                for (int sample = 0; sample < SAMPLES; sample++) {
                    experiment.measure();
                }
                experiment.end();
                if (experiment.verdict() != Verdict.OK) {
                    throw new IllegalStateException(overture.subject + " " + experiment.verdict().label);
                }
            }
        }
    },
    /** Nothing: no executor's code is compiled for what another one did. */
    ALONE("in JVMs of their own") {
        @Override
        void play(Settings settings) {}
    };

    /** Enough for the compiler to have seen all of it. */
    private static final int SAMPLES = 4;

    /** In each of them. The samples that are thrown away come after it. */
    private static final int MOST_TASKS = 100_000;

    private static final List<Overture> OVERTURES = List.of(
            new Overture(Subjects.OURS, Row.THOUSAND_STRIPES),
            new Overture(Subjects.OURS_GROUPED, Row.GROUPS),
            new Overture(Subjects.OURS_OUTPUT, Row.OUTPUT),
            new Overture(Subjects.OURS_BOUNDED, Row.THOUSAND_STRIPES));

    final String title;

    History(String title) {
        this.title = title;
    }

    private record Overture(String subject, Row row) {}

    abstract void play(Settings settings) throws Exception;

    static History named(String name) {
        return Arrays.stream(values())
                .filter(history -> history.key().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no history '" + name + "'; there are "
                        + Arrays.stream(values()).map(History::key).toList()));
    }

    /** How it is called in options. */
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
