package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.Producer.TaskFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * How many calls of {@code execute} take long, while several threads submit without a pause: more threads than there
 * are processors, so that those who are in the middle of something are now and then put aside.
 */
final class ExecuteExperiment implements Experiment {
    private static final int KEYS = 1_000;
    private static final int WORKERS = 8;
    private static final int NANOS = 1_000;
    private static final TaskFactory SHORT = (lane, turn, number) -> new SpinningTask(lane, turn, number, NANOS);

    private static final long LONG_NANOS = 1_000_000;
    private static final long VERY_LONG_NANOS = 20_000_000;

    private final KeyedExecutor executor;
    private final int batch;
    private final List<Producer> producers = new ArrayList<>();
    private final Audit audit;
    private final ExecutorService crew;

    ExecuteExperiment(Subject subject, Settings settings, int submitters) {
        this.executor = subject.factory().apply(WORKERS);
        this.batch = settings.batch();
        Ledger ledger = new Ledger();
        Object[] keys = ThroughputExperiment.keys(KEYS);
        for (int i = 0; i < submitters; i++) {
            producers.add(Producer.of(i, executor, subject.isOrdered(), keys, ledger, 0));
        }
        this.audit = new Audit(ledger, producers, settings);
        this.crew = Executors.newFixedThreadPool(submitters);
    }

    private record Calls(int over1Ms, int over20Ms) {

        static Calls of(Producer producer, int count) {
            int over1Ms = 0;
            int over20Ms = 0;
            for (int i = 0; i < count; i++) {
                int key = producer.anyKey();
                long start = System.nanoTime();
                producer.submit(key, SHORT);
                long nanos = System.nanoTime() - start;
                over1Ms += nanos > LONG_NANOS ? 1 : 0;
                over20Ms += nanos > VERY_LONG_NANOS ? 1 : 0;
            }
            return new Calls(over1Ms, over20Ms);
        }

        Calls plus(Calls other) {
            return new Calls(over1Ms + other.over1Ms, over20Ms + other.over20Ms);
        }
    }

    @Override
    public Sample measure() throws Exception {
        int share = batch / producers.size();
        List<Future<Calls>> done = new ArrayList<>();
        for (Producer producer : producers) {
            done.add(crew.submit(() -> Calls.of(producer, share)));
        }
        Calls all = new Calls(0, 0);
        for (Future<Calls> calls : done) {
            all = all.plus(calls.get());
        }
        audit.awaitAll();
        double millions = share * producers.size() / 1e6;
        return Sample.of(Metric.CALLS_OVER_1_MS, all.over1Ms / millions)
                .and(Metric.CALLS_OVER_20_MS, all.over20Ms / millions);
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
