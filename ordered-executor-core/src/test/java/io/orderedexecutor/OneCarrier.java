package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A program for a JVM in which all virtual threads share one carrier: whoever kept it would be seen, since nobody else
 * could go on.
 */
final class OneCarrier {
    private static final int EACH = 50;
    private static final Duration LONG = Duration.ofDays(1);

    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicInteger returned = new AtomicInteger();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final List<Thread> waiting = new ArrayList<>();
    private final CountDownLatch release = new CountDownLatch(1);

    private interface Wait {
        boolean perform() throws Exception;
    }

    public static void main(String[] args) {
        assertOneCarrier();
        new OneCarrier().whatWaits();
        AllFeatures.run();
        assertOneCarrier();
        System.out.println("all went on");
        // a thread that waits for ever must not keep this JVM
        System.exit(0);
    }

    private static void assertOneCarrier() {
        Set<String> carriers = ConcurrentHashMap.newKeySet();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            threads.add(VirtualThreads.start(
                    () -> carriers.add(Thread.currentThread().toString().replaceAll(".*@", ""))));
        }
        threads.forEach(Patience::join);
        assertThat(carriers)
                .as("carriers, which the settings of this JVM limit")
                .hasSize(1);
    }

    private void start(Wait wait) {
        for (int i = 0; i < EACH; i++) {
            waiting.add(VirtualThreads.start(() -> {
                try {
                    if (wait.perform()) {
                        returned.incrementAndGet();
                    }
                } catch (Throwable failure) {
                    failures.add(failure);
                }
            }));
        }
        waiting.forEach(Patience::awaitParked);
        assertOthersGoOn();
    }

    private static void assertOthersGoOn() {
        assertThat(Patience.get(VirtualThreads.executor().submit(() -> "gone on")))
                .isEqualTo("gone on");
    }

    private StripedExecutorBuilder builder() {
        return StripedExecutor.builder().executor(VirtualThreads.executor());
    }

    private void whatWaits() {
        StripedExecutor executor = builder().build();
        StripedExecutor full =
                builder().capacity(1).overflow(Overflow.block(LONG)).build();
        StripedExecutor retrying = builder()
                .failurePolicy(FailurePolicy.retry(2, LONG).thenProceed())
                .build();
        StripedExecutor parking = builder().failurePolicy(FailurePolicy.park()).build();
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        List<CompletableFuture<Integer>> behind = new ArrayList<>();
        for (int stripe = 0; stripe < EACH; stripe++) {
            executor.execute(stripe, () -> {
                Patience.await(release);
                ran.incrementAndGet();
            });
            behind.add(executor.submit(stripe, ran::incrementAndGet));
            executor.pause("paused " + stripe);
            executor.execute("paused " + stripe, ran::incrementAndGet);
            executor.submitAsync("held " + stripe, () -> stage);
            executor.execute("held " + stripe, ran::incrementAndGet);
            AtomicInteger attempts = new AtomicInteger();
            for (StripedExecutor failing : List.of(retrying, parking)) {
                failing.submit(stripe, () -> {
                    if (attempts.incrementAndGet() <= 2) {
                        throw new ThrownOnPurpose();
                    }
                    return ran.incrementAndGet();
                });
            }
        }
        assertOthersGoOn();
        full.execute("full", () -> {
            Patience.await(release);
            ran.incrementAndGet();
        });
        // not taken before the first one has ended
        full.execute("full", ran::incrementAndGet);
        start(() -> {
            full.execute(Thread.currentThread(), ran::incrementAndGet);
            return true;
        });
        start(() -> behind.get(0).get() > 0);
        start(() -> behind.get(EACH - 1).get(Patience.SECONDS, TimeUnit.SECONDS) > 0);
        start(() -> executor.submit(Thread.currentThread(), () -> behind.get(1).join())
                        .get()
                > 0);
        start(() -> executor.drain(LONG));
        start(() -> executor.awaitIdle(2, LONG));
        start(() -> executor.awaitTermination(1, TimeUnit.DAYS));
        release.countDown();
        stage.complete(1);
        assertOthersGoOn();
        for (int stripe = 0; stripe < EACH; stripe++) {
            assertThat(executor.resume("paused " + stripe)).isTrue();
            Patience.get(executor.submit(stripe, () -> 1));
            // until then it may not have come to fail
            awaitParked(parking, stripe);
            assertThat(parking.resume(stripe)).isTrue();
        }
        Patience.terminate(parking);
        Patience.terminate(full);
        Patience.terminate(executor);
        waiting.forEach(Patience::join);
        assertThat(retrying.shutdownNow()).hasSize(EACH);
        Patience.awaitTermination(retrying);
        assertThat(failures).isEmpty();
        assertThat(returned).hasValue(waiting.size());
        // five kinds of tasks on each stripe, the blocked submitters, and two in the executor that was full
        assertThat(ran).hasValue(6 * EACH + 2);
    }

    private static void awaitParked(StripedExecutor executor, Object stripe) {
        try {
            for (long left = TimeUnit.SECONDS.toMillis(Patience.SECONDS); left > 0; left--) {
                if (executor.parkedStripes().stream()
                        .anyMatch(parked -> parked.stripe().equals(stripe))) {
                    return;
                }
                executor.awaitIdle(stripe, Duration.ofMillis(1));
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        throw Patience.hang(stripe + " is not parked");
    }
}
