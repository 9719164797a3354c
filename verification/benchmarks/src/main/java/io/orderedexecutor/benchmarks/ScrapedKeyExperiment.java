package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.Core.StripedSubject;
import java.util.Arrays;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * How many calls of {@code execute} take long while all that meters show is read now and then, and how many before. One
 * key has a long backlog behind a task that holds one of the two threads; the tasks of the submitter have other keys.
 */
final class ScrapedKeyExperiment implements Experiment {
    private static final int KEYS = 1_000;
    private static final int THREADS = 2;
    private static final int SCRAPES = 10;
    private static final long LONG_NANOS = 5_000_000;

    private final StripedSubject executor;
    private final Settings settings;
    private final Producer backlog;
    private final Producer submitter;
    private final Audit audit;

    ScrapedKeyExperiment(Subject subject, Settings settings) {
        this.executor = (StripedSubject) subject.factory().apply(THREADS);
        this.settings = settings;
        Ledger ledger = new Ledger();
        Object[] keys = new Object[KEYS];
        Arrays.setAll(keys, Customer::new);
        this.backlog = Producer.of(0, executor, subject.isOrdered(), new Object[] {new Customer(-1)}, ledger, 0);
        this.submitter = Producer.of(1, executor, subject.isOrdered(), keys, ledger, 0);
        this.audit = new Audit(ledger, List.of(backlog, submitter), settings);
    }

    /** A key of the application's own class: a submission may have to wait for a look at others. */
    private record Customer(int number) {}

    @Override
    public Sample measure() throws Exception {
        CountDownLatch opened = new CountDownLatch(1);
        backlog.submit(0, (lane, turn, number) -> new HoldingTask(lane, turn, number, opened));
        for (int i = 0; i < settings.queued(); i++) {
            backlog.submit(0, Task::new);
        }
        double quiet = longCalls();
        double scraped = longCallsBesideScrapes();
        opened.countDown();
        audit.awaitAll();
        return Sample.of(Metric.CALLS_OVER_5_MS_QUIET, quiet).and(Metric.CALLS_OVER_5_MS, scraped);
    }

    private double longCallsBesideScrapes() throws Exception {
        ScheduledExecutorService scraper = Executors.newSingleThreadScheduledExecutor();
        long period = Math.max(1, settings.sliceMillis() / SCRAPES);
        ScheduledFuture<?> scrapes = scraper.scheduleAtFixedRate(executor::scrape, 0, period, TimeUnit.MILLISECONDS);
        double longCalls = longCalls();
        if (scrapes.isDone()) {
            // it has failed, and says why
            scrapes.get();
        }
        Pools.end(scraper);
        return longCalls;
    }

    /** Of a million. */
    private double longCalls() {
        long end = System.nanoTime() + settings.sliceMillis() * 1_000_000L;
        LongSummaryStatistics calls = new LongSummaryStatistics();
        LongSummaryStatistics longCalls = new LongSummaryStatistics();
        submitter.submitPaced(() -> System.nanoTime() < end, nanos -> {
            calls.accept(nanos);
            if (nanos > LONG_NANOS) {
                longCalls.accept(nanos);
            }
        });
        return longCalls.getCount() * 1e6 / calls.getCount();
    }

    /** Holds its key, and a thread. */
    private static final class HoldingTask extends Task {
        private final CountDownLatch opened;

        HoldingTask(Lane lane, int turn, int number, CountDownLatch opened) {
            super(lane, turn, number);
            this.opened = opened;
        }

        @Override
        void work() {
            try {
                opened.await();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
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
