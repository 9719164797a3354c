package io.orderedexecutor.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.orderedexecutor.benchmarks.Producer.Mix;
import io.orderedexecutor.benchmarks.Producer.TaskFactory;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** How many tasks of random keys run in a second, from the first submission to the end of the last task. */
final class ThroughputExperiment implements Experiment {
    private final KeyedExecutor executor;
    private final Settings settings;
    private final Mix mix;
    private final List<Producer> producers = new ArrayList<>();
    private final Window window;
    private final Audit audit;
    private final AllocationMeter meter = new AllocationMeter();
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final double taskBytes = meter.taskBytes();

    /** The threads of the producers, the same for all samples. */
    private final ExecutorService crew;

    ThroughputExperiment(Subject subject, Settings settings, Load load) {
        this.executor = subject.factory().apply(settings.threads());
        this.settings = settings;
        this.mix = load.mix();
        Ledger ledger = new Ledger();
        Object[] keys = keys(load.keys());
        int crewSize = settings.producers() == 0 ? load.producers() : settings.producers();
        for (int i = 0; i < crewSize; i++) {
            producers.add(Producer.of(i, executor, subject.isOrdered(), keys, ledger, load.tokens()));
        }
        int least = Window.LEAST_OF_PRODUCER * crewSize;
        this.window =
                new Window(ledger, load.window() == 0 ? settings : settings.withWindow(Math.max(load.window(), least)));
        this.audit = new Audit(ledger, producers, settings);
        this.crew = Executors.newFixedThreadPool(crewSize);
    }

    /**
     * What is submitted.
     *
     * @param keys for how many keys
     * @param producers by how many threads, each to all keys
     * @param tokens how much each task works
     * @param nanos how long each task works, if not so much
     * @param rollupEvery how many tasks there are for each rollup of two keys; 0 if there is none
     * @param sharedPercent how many tasks of a hundred share their key
     * @param window how many tasks may be submitted and not run; 0 for what the settings say
     */
    record Load(int keys, int producers, int tokens, int nanos, int rollupEvery, int sharedPercent, int window) {

        static Load of(int keys) {
            return new Load(keys, 1, 0, 0, 0, 0, 0);
        }

        Load byTwo() {
            return new Load(keys, 2, tokens, nanos, rollupEvery, sharedPercent, window);
        }

        Load tokens(int each) {
            return new Load(keys, producers, each, nanos, rollupEvery, sharedPercent, window);
        }

        Load nanos(int each) {
            return new Load(keys, producers, tokens, each, rollupEvery, sharedPercent, window);
        }

        Load rollupEvery(int tasks) {
            return new Load(keys, producers, tokens, nanos, tasks, sharedPercent, window);
        }

        Load sharedPercent(int percent) {
            return new Load(keys, producers, tokens, nanos, rollupEvery, percent, window);
        }

        Load window(int tasks) {
            return new Load(keys, producers, tokens, nanos, rollupEvery, sharedPercent, tasks);
        }

        /** Nobody is held back: all of a sample may be queued at once. */
        Load unlimited() {
            return window(Integer.MAX_VALUE);
        }

        private Mix mix() {
            TaskFactory plain =
                    nanos == 0 ? Task::new : (lane, turn, number) -> new SpinningTask(lane, turn, number, nanos);
            return new Mix(rollupEvery, sharedPercent, plain);
        }
    }

    static Object[] keys(int count) {
        Object[] keys = new Object[count];
        Arrays.setAll(keys, i -> Integer.valueOf(i));
        return keys;
    }

    @Override
    public Sample measure() throws Exception {
        int share = settings.batch() / producers.size();
        long bytesBefore = meter.allocated();
        long processorNanosBefore = system.getProcessCpuTime();
        long start = System.nanoTime();
        List<Future<?>> done = new ArrayList<>();
        for (Producer producer : producers) {
            done.add(crew.submit(() -> producer.submit(share, mix, window)));
        }
        for (Future<?> producer : done) {
            producer.get();
        }
        audit.awaitAll();
        long nanos = System.nanoTime() - start;
        double tasks = (double) share * producers.size();
        double processorNanos = (system.getProcessCpuTime() - processorNanosBefore) / tasks;
        double bytes = (meter.allocated() - bytesBefore) / tasks;
        return Sample.of(Metric.TASKS_PER_SECOND, tasks * 1e9 / nanos)
                .and(Metric.BYTES_ALLOCATED, bytes - taskBytes)
                .and(Metric.PROCESSOR_NANOS, processorNanos);
    }

    @Override
    public Verdict verdict() {
        return audit.verdict();
    }

    @Override
    public void end() throws Exception {
        crew.shutdown();
        executor.end();
    }
}
