package io.orderedexecutor.benchmarks;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The batches of the throughput rows under JMH, for its profilers: {@code -prof gc}, {@code -prof stack}, {@code -prof
 * perfnorm}. JMH runs all iterations of one executor before those of the next: for comparisons on a machine that is not
 * quiet, use the tables.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
        value = 1,
        jvmArgs = {"-Xms" + Options.HEAP, "-Xmx" + Options.HEAP, "-XX:+UseG1GC", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class BatchBenchmark {
    private static final int BATCH = 100_000;

    /** The name of a subject. */
    @Param({"unordered", "ours"})
    public String executor = Subjects.OURS;

    /** The key of a throughput row. */
    @Param({"1", "1k", "100k"})
    public String row = Row.ONE_STRIPE.key;

    /** How many threads the executor has. */
    @Param("2")
    public int threads;

    /** How many tasks may be submitted and not run yet. */
    @Param("16384")
    public int window;

    private Experiment experiment = Experiment.NONE;

    /** Starts the executor. */
    @Setup(Level.Trial)
    public void start() {
        Settings settings = new Settings(threads, 0, window, BATCH, 1, 1, 1, Options.STALL_MILLIS);
        experiment = Row.keyed(row).start(Subjects.named(executor), settings);
    }

    /**
     * Runs one batch.
     *
     * @return how fast it was, which JMH measures again
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public Object batch() throws Exception {
        return experiment.measure();
    }

    /** Ends the executor, and fails if it did not do what it is for. */
    @TearDown(Level.Trial)
    public void end() throws Exception {
        experiment.end();
        if (experiment.verdict() != Verdict.OK) {
            throw new IllegalStateException(executor + " " + experiment.verdict().label);
        }
    }
}
