package io.orderedexecutor.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Where and when figures were taken.
 *
 * @param time when
 * @param load how many threads of all programs wanted to run, in the last minute
 */
record Machine(Instant time, double load) {

    static Machine now() {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return new Machine(Instant.now().truncatedTo(ChronoUnit.SECONDS), load);
    }

    /** Everything that the figures depend on. */
    String markdown(Plan plan, Machine after) {
        Settings settings = plan.settings();
        return """
                - %s, %s %s, %d processors, %s %s
                - %s to %s, load average %.2f before
                - %d threads for each executor; %s; at most %,d tasks submitted and not run
                - %d forks, in each %d warm-ups and %d rounds (of waits %d and %d) of %,d tasks (of waits, %,d ms);\
                 heap %s, G1; %s
                """.formatted(
                System.getProperty("java.vm.name"),
                System.getProperty("java.vendor"),
                Runtime.version(),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                time,
                after.time,
                load,
                settings.threads(),
                settings.producers() == 0 ? "as many producers as the row says" : settings.producers() + " producers",
                settings.window(),
                plan.forks(),
                plan.warmups(),
                plan.rounds(),
                Row.Table.WAIT.warmups(plan),
                Row.Table.WAIT.rounds(plan),
                settings.batch(),
                settings.sliceMillis(),
                plan.heap(),
                plan.jvmArguments().isEmpty() ? "no other JVM arguments" : String.join(" ", plan.jvmArguments()));
    }
}
