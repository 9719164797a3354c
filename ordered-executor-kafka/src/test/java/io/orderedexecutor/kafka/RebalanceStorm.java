package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.kafka.Instances.Instance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Three processes whose consumers stop, start, pause and resume at random under load, with records that fail and
 * records that are slow: nothing is lost, out of order or repeated, and no key runs in two processes. Not run with the
 * other tests, since its name does not end with Test or IT; {@code docs/maintainers/evidence.md} has the command. The
 * system property {@code seconds} says how long it lasts under each protocol, {@code seed} what happens.
 */
class RebalanceStorm {

    private static final Duration SESSION = Duration.ofSeconds(20);

    /**
     * A consumer that is closed in the moment in which it joins is waited for by the broker until its session is over.
     * The group does not get through its rebalance before that, and nobody can commit: a stop has to last longer.
     */
    private static final String[] SETTINGS = {
        "--failing=20",
        "--slow=5",
        "--ordered-executor.kafka.drain-timeout=" + SESSION.multipliedBy(2).toSeconds() + "s",
        "--spring.lifecycle.timeout-per-shutdown-phase="
                + SESSION.multipliedBy(3).toSeconds() + "s"
    };

    @ParameterizedTest
    @ValueSource(strings = {"eager", "cooperative", "consumer"})
    @Timeout(value = 9, unit = TimeUnit.MINUTES)
    void storm(String protocol) throws Exception {
        int seconds = Integer.getInteger("seconds", 20);
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        AtomicInteger changes = new AtomicInteger();
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Instances instances = new Instances("storm", protocol, SESSION, SETTINGS)) {
            List<Instance> all = List.of(instances.start(), instances.start(), instances.start());
            for (Instance each : all) {
                each.awaitReady();
            }
            CountDownLatch over = new CountDownLatch(1);
            List<Future<?>> running = new ArrayList<>();
            for (Instance each : all) {
                long own = random.nextLong();
                running.add(threads.submit(() -> {
                    changes.addAndGet(change(each, new Random(own), over));
                    return null;
                }));
            }
            assertThat(over.await(seconds, TimeUnit.SECONDS)).isFalse();
            over.countDown();
            for (Future<?> each : running) {
                each.get(2, TimeUnit.MINUTES);
            }
            History history = instances.finish();
            assertThat(history.repetitions())
                    .as(() -> "repetitions; the processes said" + instances.logs())
                    .isEmpty();
            assertThat(history.overlaps()).isEmpty();
            assertThat(changes.get()).isPositive();
            System.out.printf(
                    "%s: %d records, %d starts and stops in %d s; none lost, out of order or repeated%n",
                    protocol, history.processed(), changes.get(), seconds);
        } catch (Throwable e) {
            throw new AssertionError("seed " + seed, e);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Until it is over; then the consumer runs again. Returns how often it was started and stopped. */
    private static int change(Instance instance, Random random, CountDownLatch over) throws Exception {
        boolean runs = true;
        boolean paused = false;
        int changes = 0;
        while (!over.await(100 + random.nextInt(900), TimeUnit.MILLISECONDS)) {
            if (random.nextInt(3) == 0) {
                instance.command(paused ? "resume" : "pause");
                paused = !paused;
            } else {
                instance.command(runs ? "stop" : "start");
                runs = !runs;
                changes++;
            }
        }
        if (!runs) {
            instance.command("start");
        }
        if (paused) {
            instance.command("resume");
        }
        return changes;
    }
}
