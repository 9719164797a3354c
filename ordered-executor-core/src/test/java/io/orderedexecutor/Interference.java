package io.orderedexecutor;

import io.orderedexecutor.stats.ParkedStripe;
import io.orderedexecutor.stats.RunningTask;
import io.orderedexecutor.stats.StripeSnapshot;
import io.orderedexecutor.stats.StripedExecutorStats;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** A thread that controls and observes an executor at random, until it is told to stop. */
final class Interference {
    private final EverythingRound round;
    private final StripedExecutor executor;
    private final List<Thread> producers;
    private final SplittableRandom random;
    private final boolean ownThreads;
    private final Thread thread = new Thread(this::interfere, "interference");
    private volatile boolean over;

    Interference(EverythingRound round, List<Thread> producers, SplittableRandom random, boolean ownThreads) {
        this.round = round;
        this.executor = round.executor();
        this.producers = producers;
        this.random = random;
        this.ownThreads = ownThreads;
    }

    void start() {
        thread.start();
    }

    void stop() {
        over = true;
        Patience.join(thread);
    }

    private void interfere() {
        try {
            while (!over) {
                Object stripe = round.anyStripe(random).key();
                control(stripe);
                observe(stripe);
                // so that it leaves the processors to those whom it disturbs
                LockSupport.parkNanos(random.nextInt(50_000));
            }
        } catch (Throwable failure) {
            round.report("control and observation failed with " + failure);
        }
    }

    private void control(Object stripe) {
        EverythingSettings settings = round.settings();
        switch (random.nextInt(20)) {
            case 0 -> executor.pause();
            case 1, 2 -> executor.pause(stripe);
            case 3 -> round.skip(stripe);
            case 4 -> {
                if (ownThreads) {
                    executor.setThreads(1 + random.nextInt(4));
                }
            }
            case 5 -> executor.setTurn(1 + random.nextInt(20), Duration.ofNanos(1 + random.nextInt(100_000)));
            case 6 -> {
                if (settings.capacity() != null) {
                    executor.setCapacity(1 + random.nextInt(2 * settings.capacity()));
                }
            }
            case 7 -> {
                if (settings.isBounded()) {
                    executor.setStripeCapacity(1 + random.nextInt(50));
                }
            }
            case 8 -> producers.get(random.nextInt(producers.size())).interrupt();
            case 9, 10, 11, 12, 13 -> executor.resume();
            default -> executor.resume(stripe);
        }
    }

    private void observe(Object stripe) throws InterruptedException {
        switch (random.nextInt(8)) {
            case 0 -> check(executor.stats());
            case 1 -> executor.snapshot(stripe).ifPresent(this::check);
            case 2 -> executor.deepestStripes(3).forEach(this::check);
            case 3 -> executor.runningTasks().forEach(this::check);
            case 4 -> executor.parkedStripes().forEach(this::check);
            case 5 -> executor.awaitIdle(stripe, Duration.ofNanos(random.nextInt(50_000)));
            case 6 -> executor.drain(Duration.ofNanos(random.nextInt(50_000)));
            default -> check(executor.toString().startsWith(executor.name()), executor);
        }
    }

    private void check(StripedExecutorStats stats) {
        boolean plausible = stats.stripes() >= 0 && stats.queued() >= 0 && stats.active() >= 0;
        check(plausible && stats.completed() + stats.failed() + stats.cancelled() <= round.submissions(), stats);
    }

    private void check(StripeSnapshot snapshot) {
        check(snapshot.stripe() != null && snapshot.queued() >= 0, snapshot);
    }

    private void check(RunningTask running) {
        check(
                running.task() == null
                        || (running.task() instanceof SubmissionWay.Guise
                                && !running.age().isNegative()),
                running);
    }

    private void check(ParkedStripe parked) {
        check(parked.stripe() != null && parked.queued() >= 0, parked);
    }

    private void check(boolean plausible, Object seen) {
        if (!plausible) {
            round.report("was seen as " + seen);
        }
    }
}
