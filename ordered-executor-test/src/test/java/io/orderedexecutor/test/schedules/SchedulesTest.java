package io.orderedexecutor.test.schedules;

import io.orderedexecutor.test.SimulationRunner;
import io.orderedexecutor.test.Strategy;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The executors themselves, with features at random, against models that know one task after the other: two thousand
 * schedules in a build, ten thousand in CI. CONTRIBUTING.md has the command for a million.
 */
@Tag("no-second-try")
class SchedulesTest {
    private static final int RUNS = Boolean.getBoolean("tests.long") ? 1250 : 250;

    static {
        System.out.println("rounds: schedules of a kind and strategy " + RUNS);
    }

    @Test
    void striped() {
        keepsPromises("striped", StripedSchedule::run);
    }

    @Test
    void grouped() {
        keepsPromises("grouped", GroupedSchedule::run);
    }

    @Test
    void outputs() {
        keepsPromises("outputs", OutputSchedule::run);
    }

    @Test
    void tickets() {
        keepsPromises("tickets", TicketSchedule::run);
    }

    /** Both strategies at once: a simulation keeps one processor busy at most. */
    private static void keepsPromises(String kind, SimulationRunner.Body schedule) {
        CompletableFuture<Void> byPriority =
                CompletableFuture.runAsync(() -> run(kind, Strategy.PCT, schedule), job -> new Thread(job).start());
        run(kind, Strategy.RANDOM, schedule);
        byPriority.join();
    }

    private static void run(String kind, Strategy strategy, SimulationRunner.Body schedule) {
        Progress progress = new Progress(kind + ", " + strategy);
        SimulationRunner.named(kind).strategy(strategy).runs(RUNS).run(simulation -> {
            progress.begins();
            schedule.run(simulation);
        });
        progress.print("all");
    }

    /** Tells every few seconds how far it is: a million schedules take long. */
    private static final class Progress {
        private static final long NANOS = 10_000_000_000L;

        private final String what;
        private final long start = System.nanoTime();
        private long printed = start;
        private int begun;

        Progress(String what) {
            this.what = what;
        }

        void begins() {
            begun++;
            if (System.nanoTime() - printed > NANOS) {
                printed = System.nanoTime();
                print("at");
            }
        }

        void print(String how) {
            long millis = Math.max(1, (System.nanoTime() - start) / 1_000_000);
            System.out.printf(
                    "%s: %s %d schedules after %d s, %d/s%n", what, how, begun, millis / 1000, begun * 1000L / millis);
        }
    }
}
