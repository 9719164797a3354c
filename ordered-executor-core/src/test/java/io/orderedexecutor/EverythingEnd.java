package io.orderedexecutor;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Brings a round to its end while its load is still under way. */
final class EverythingEnd {
    private final EverythingRound round;
    private final StripedExecutor executor;
    private final Collection<Thread> producers;
    private final Interference interference;
    private final SplittableRandom random;

    EverythingEnd(
            EverythingRound round, Collection<Thread> producers, Interference interference, SplittableRandom random) {
        this.round = round;
        this.executor = round.executor();
        this.producers = producers;
        this.interference = interference;
        this.random = random;
    }

    /** Returns when nobody does anything to the executor any more. */
    void run() {
        Patience.await(round.halfWay());
        switch (round.settings().end()) {
            case DRAIN -> drain();
            case SHUTDOWN -> shutdown();
            case SHUTDOWN_NOW -> shutdownNow();
        }
    }

    private void drain() {
        // all that may hide what is not called in time has to be over while there is load
        interference.stop();
        for (int i = 0; i < 5; i++) {
            executor.pause();
            executor.resume();
        }
        round.stripes().forEach(stripe -> executor.pause(stripe.key()));
        round.stripes().forEach(stripe -> executor.resume(stripe.key()));
        settle(() -> producers.stream().noneMatch(Thread::isAlive));
        awaitHelpers();
        new RefillCheck(round, this::settle).run();
        Patience.terminate(executor);
    }

    private void settle() {
        settle(() -> true);
    }

    /** Decides on parked stripes, and does nothing else, until there are no tasks left and the load is over. */
    private void settle(BooleanSupplier isOver) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Patience.SECONDS);
        try {
            // in this order: what comes after the load was seen to be over is a child of what was there
            while (!(isOver.getAsBoolean() && executor.drain(Duration.ofMillis(2)))) {
                if (System.nanoTime() - deadline > 0) {
                    throw Patience.hang(executor + " has tasks or submitters, " + executor.deepestStripes(3)
                            + ", running " + executor.runningTasks() + ", parked " + executor.parkedStripes());
                }
                executor.parkedStripes().forEach(parked -> {
                    if (random.nextBoolean()) {
                        executor.resume(parked.stripe());
                    } else {
                        round.skip(parked.stripe());
                    }
                });
                for (Thread producer : producers) {
                    producer.join(1);
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    private void shutdown() {
        interference.stop();
        // a shutdown ends these, and nobody else does
        executor.pause();
        round.stripes().forEach(stripe -> executor.pause(stripe.key()));
        Patience.terminate(executor);
        producers.forEach(Patience::join);
        awaitHelpers();
    }

    private void shutdownNow() {
        executor.resume();
        round.submitHolding();
        round.setStopping();
        Thread another = new Thread(this::takeBack);
        another.start();
        takeBack();
        Patience.join(another);
        Patience.awaitTermination(executor);
        producers.forEach(Patience::join);
        interference.stop();
        awaitHelpers();
    }

    private void takeBack() {
        round.takenBack().addAll(executor.shutdownNow());
    }

    /** Returns when nobody completes futures any more. */
    private void awaitHelpers() {
        for (ExecutorService helper : List.of(round.intruders(), round.completers())) {
            helper.shutdown();
            try {
                if (!helper.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS)) {
                    throw Patience.hang(helper + " has not terminated");
                }
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted", e);
            }
        }
    }
}
