package io.orderedexecutor.benchmarks;

import java.util.ArrayList;
import java.util.List;

/**
 * How long tasks of 1,000 keys wait from submission to start, while the threads are busy half of the time; also beside
 * other threads that never sleep, which a thread that wakes up has to push aside.
 */
final class LatencyExperiment implements Experiment {
    private static final int KEYS = 1_000;
    private static final int WORK_NANOS = 20_000;
    private static final double LOAD = 0.5;

    private final KeyedExecutor executor;
    private final Settings settings;
    private final Producer producer;
    private final Audit audit;
    private final Arrivals arrivals;
    private final long workNanos;
    private final int busyThreads;

    /** @param busy how many threads have enough to do for half of the time */
    private LatencyExperiment(Subject subject, Settings settings, int keys, int busy, long workNanos, int busyThreads) {
        this.executor = subject.factory().apply(settings.threads());
        this.settings = settings;
        this.workNanos = workNanos;
        this.busyThreads = busyThreads;
        Ledger ledger = new Ledger();
        this.producer = Producer.of(0, executor, subject.isOrdered(), ThroughputExperiment.keys(keys), ledger, 0);
        this.audit = new Audit(ledger, List.of(producer), settings);
        this.arrivals = new Arrivals(workNanos / (LOAD * busy), 1);
    }

    static LatencyExperiment alone(Subject subject, Settings settings) {
        return new LatencyExperiment(subject, settings, KEYS, settings.threads(), WORK_NANOS, 0);
    }

    /** Of one key, which is busy half of the time. */
    static LatencyExperiment ofOneKey(Subject subject, Settings settings) {
        return new LatencyExperiment(subject, settings, 1, 1, WORK_NANOS, 0);
    }

    static LatencyExperiment besideBusyThreads(Subject subject, Settings settings) {
        return new LatencyExperiment(subject, settings, KEYS, settings.threads(), 5_000, 2);
    }

    @Override
    public Sample measure() throws InterruptedException {
        Busy busy = Busy.start(busyThreads);
        try {
            return waits().sample();
        } finally {
            busy.end();
        }
    }

    private Waits waits() {
        Waits waits = new Waits(settings.window() * 16);
        arrivals.during(settings.sliceMillis(), () -> {
            producer.submit(
                    producer.anyKey(), (lane, turn, number) -> new TimedTask(lane, turn, number, waits, workNanos));
            return !waits.isFull();
        });
        audit.awaitAll();
        return waits;
    }

    /** Threads that work for nothing until they are stopped. */
    private record Busy(List<Thread> threads) {

        static Busy start(int count) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                Thread thread = new Thread(Busy::work, "busy-" + i);
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            }
            return new Busy(threads);
        }

        private static void work() {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
        }

        void end() throws InterruptedException {
            threads.forEach(Thread::interrupt);
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    @Override
    public Verdict verdict() {
        return audit.verdict();
    }

    @Override
    public void end() throws Exception {
        executor.end();
    }
}
