package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What would pin virtual threads before JDK 24: to wait with a monitor held, or to run code under one that may wait.
 * Seen on platform threads, whose monitors can be asked for.
 */
class StripedVirtualMonitorTest {
    private static final Duration LONG = Duration.ofDays(1);

    private final AtomicInteger ran = new AtomicInteger();
    private final HeldLocks locks = new HeldLocks();
    private final Set<String> foreign = ConcurrentHashMap.newKeySet();
    private final Queue<String> underAMonitor = new ConcurrentLinkedQueue<>();

    /** Called by all that is not ours: nothing of ours may be locked then, whether by a monitor or a lock. */
    private void called(String by) {
        foreign.add(by);
        locks.heldHere().forEach(lock -> underAMonitor.add(by + " under " + lock));
    }

    private final class Key {
        private final int number;

        Key(int number) {
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            called("equals");
            return other instanceof Key key && key.number == number;
        }

        @Override
        public int hashCode() {
            called("hashCode");
            return number;
        }

        @Override
        public String toString() {
            called("toString");
            return "key " + number;
        }
    }

    @Test
    @DisplayName("no code of others is called with a monitor or a lock of ours held")
    void foreignCode() {
        SteppedExecutor stepped = new SteppedExecutor();
        HandTimer timer = new HandTimer();
        HeardTasks listener = new HeardTasks() {
            @Override
            public void onEvent(Event event) {
                called("listener " + event.kind());
            }
        };
        Executor borrowed = task -> {
            called("executor");
            stepped.execute(task);
        };
        List<StripedExecutorBuilder> builders = List.of(
                StripedExecutor.builder().executor(borrowed),
                StripedExecutor.builder().threads(1).threadFactory(worker -> {
                    called("thread factory");
                    return new Thread(worker);
                }));
        for (StripedExecutorBuilder builder : builders) {
            StripedExecutor executor = locks.watch(builder.listener(listener)
                    .platform(HandTimer.of((nanos, action) -> {
                        called("timer");
                        timer.scheduleAsync(nanos, action);
                    }))
                    .capacity(8)
                    .overflow(Overflow.discardOldest())
                    .failurePolicy(FailurePolicy.retry()
                            .maxRetries(1)
                            .delay(LONG)
                            .multiplier(2)
                            .thenPark())
                    .build());
            useAll(executor, stepped, timer);
            executor.control().pause(new Key(1));
            executor.execute(new Key(1), () -> called("never"));
            executor.shutdownNow();
            stepped.runAll();
            Patience.awaitTermination(executor);
        }
        assertThat(underAMonitor).isEmpty();
        assertThat(foreign)
                .contains("equals", "hashCode", "toString", "executor", "thread factory", "timer", "uncaught")
                .contains("task", "callable", "supplier", "dependent action")
                .contains("listener QUEUED", "listener STARTED", "listener FINISHED", "listener FAILED")
                .contains("listener DROPPED", "listener CANCELLED", "listener PARKED", "listener RETRIED")
                .doesNotContain("never");
        assertThat(ran).as("attempts, two of each that fails").hasValue(2 * (4 + 2 * 2));
    }

    @Test
    @DisplayName("nor while a submitter waits for room, who tries again and again")
    void foreignCodeOfThoseWhoWaitForRoom() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = locks.watch(StripedExecutor.builder()
                .executor(stepped)
                .keyCapacity(1)
                .overflow(Overflow.block(LONG))
                .build());
        executor.execute(new Key(1), ran::incrementAndGet);
        foreign.clear();
        Thread submitter = new Thread(() -> executor.execute(new Key(1), ran::incrementAndGet));
        submitter.start();
        Patience.awaitParked(submitter);
        stepped.runAll();
        Patience.join(submitter);
        stepped.runAll();
        assertThat(underAMonitor).isEmpty();
        assertThat(foreign).contains("equals");
        assertThat(ran).hasValue(2);
    }

    private void useAll(StripedExecutor executor, SteppedExecutor stepped, HandTimer timer) {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        executor.execute(new Key(1), () -> {
            ran.incrementAndGet();
            called("task");
            CompletableFuture<Integer> behind = executor.submit(new Key(1), ran::incrementAndGet);
            assertThatThrownBy(behind::join).isInstanceOf(SelfWaitException.class);
        });
        runAll(executor, stepped);
        executor.submit(new Key(1), () -> {
                    called("callable");
                    return ran.incrementAndGet();
                })
                .thenRun(() -> called("dependent action"));
        executor.submitAsync(new Key(1), () -> {
            called("supplier");
            ran.incrementAndGet();
            return stage;
        });
        executor.submit(new Key(1), () -> 1)
                .whenComplete((result, failure) -> called("dependent action"))
                .cancel(true);
        runAll(executor, stepped);
        stage.whenComplete((result, failure) -> called("dependent action")).complete(1);
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> called("uncaught"));
        try {
            fail(executor, stepped, timer);
            executor.control().pause();
            for (int i = 0; i < 10; i++) {
                executor.submit(new Key(3), () -> {
                    called("never");
                    return 1;
                });
            }
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    private void fail(StripedExecutor executor, SteppedExecutor stepped, HandTimer timer) {
        Object stripe = new Key(2);
        executor.execute(stripe, () -> {
            ran.incrementAndGet();
            throw new ThrownOnPurpose();
        });
        executor.submit(new Key(4), () -> {
            ran.incrementAndGet();
            throw new ThrownOnPurpose();
        });
        for (int i = 0; i < 2; i++) {
            runAll(executor, stepped);
            timer.fire();
        }
        runAll(executor, stepped);
        assertThat(executor.control().skip(new Key(2))).isTrue();
        assertThat(executor.control().skip(new Key(4))).isTrue();
        runAll(executor, stepped);
    }

    private static void runAll(StripedExecutor executor, SteppedExecutor stepped) {
        stepped.runAll();
        // the only thread of its own comes to this after all that it had to do before; not so on a stripe that it may
        // still serve
        CompletableFuture<Integer> last = executor.submit(new Object(), () -> 1);
        stepped.runAll();
        Patience.get(last);
    }

    @Test
    @DisplayName("No thread waits with a monitor or lock of ours held: blocked submitters, waiters, and the worker "
            + "that blocks them")
    void waiting() {
        CountDownLatch release = new CountDownLatch(1);
        StripedExecutor executor = StripedExecutor.builder()
                .threads(3)
                .capacity(1)
                .overflow(Overflow.block(LONG))
                .build();
        CompletableFuture<Thread> blocked = new CompletableFuture<>();
        executor.execute("a", () -> {
            ran.incrementAndGet();
            blocked.complete(Thread.currentThread());
            Patience.await(release);
        });
        Thread worker = Patience.get(blocked);
        CompletableFuture<Integer> queued = executor.submit("a", ran::incrementAndGet);
        List<Callable<?>> waits = List.of(
                () -> executor.submit("a", ran::incrementAndGet),
                () -> executor.submit("b", ran::incrementAndGet),
                () -> queued.get(1, TimeUnit.DAYS),
                queued::join,
                () -> executor.awaitIdle(LONG),
                () -> executor.control().awaitIdle("a", LONG),
                () -> executor.awaitTermination(1, TimeUnit.DAYS));
        Queue<Object> returned = new ConcurrentLinkedQueue<>();
        List<Thread> waiting = new ArrayList<>();
        waits.forEach(wait -> waiting.add(new Thread(() -> returned.add(call(wait)))));
        waiting.forEach(Thread::start);
        waiting.forEach(Patience::awaitParked);
        Set<Long> ids = new HashSet<>(Set.of(worker.getId()));
        waiting.forEach(thread -> ids.add(thread.getId()));
        List<String> holding = new ArrayList<>();
        int seen = 0;
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
            if (ids.contains(thread.getThreadId())) {
                seen++;
                HeldLocks.of(thread).forEach(lock -> holding.add(thread + " holds " + lock));
            }
        }
        release.countDown();
        // all but the one that waits for the end
        waiting.subList(0, waits.size() - 1).forEach(Patience::join);
        Patience.terminate(executor);
        waiting.forEach(Patience::join);
        assertThat(seen).isEqualTo(waits.size() + 1);
        assertThat(holding).isEmpty();
        assertThat(returned).hasSize(waits.size()).doesNotContain(false);
        assertThat(ran).hasValue(4);
    }

    private static Object call(Callable<?> wait) {
        try {
            return wait.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
