package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.ParkedTask;
import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be changed and seen of an executor while it runs. */
class StripedControlTest {
    private static final Duration LONG = Duration.ofSeconds(Patience.SECONDS);

    private final AtomicInteger ran = new AtomicInteger();
    private final SteppedExecutor stepped = new SteppedExecutor();

    // waiting for the end of tasks

    @Test
    void drainWaitsForAllTasksAndRefusesNone() throws InterruptedException {
        try (StripedExecutor executor = SameKind.atLeast(2).build()) {
            assertThat(executor.awaitIdle(Duration.ZERO)).isTrue();
            CompletableFuture<Object> stage = new CompletableFuture<>();
            CountDownLatch release = new CountDownLatch(1);
            executor.submitAsync("held", () -> stage);
            executor.execute("a", () -> {
                Patience.await(release);
                executor.execute("late", ran::incrementAndGet);
                ran.incrementAndGet();
            });
            assertThat(executor.awaitIdle(Duration.ofMillis(1))).isFalse();
            AtomicBoolean drained = new AtomicBoolean();
            Thread waiting = SameKind.thread(() -> drained.set(drain(executor)));
            waiting.start();
            Patience.awaitParked(waiting);
            release.countDown();
            stage.complete("done");
            Patience.join(waiting);
            assertThat(drained).isTrue();
            assertThat(ran).hasValue(2);
            executor.execute("a", ran::incrementAndGet);
        }
        assertThat(ran).hasValue(3);
    }

    private static boolean drain(StripedExecutor executor) {
        try {
            return executor.awaitIdle(LONG);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void awaitIdleWaitsForOneStripeOnly() throws InterruptedException {
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        executor.execute("a", ran::incrementAndGet);
        assertThat(executor.control().awaitIdle("b", Duration.ZERO)).isTrue();
        assertThat(executor.control().awaitIdle("a", Duration.ofMillis(1))).isFalse();
        stepped.runAll();
        executor.execute("b", ran::incrementAndGet);
        assertThat(executor.control().awaitIdle("a", Duration.ZERO)).isTrue();
        stepped.runAll();
        assertThat(ran).hasValue(2);
    }

    @Test
    void aTaskDoesNotWaitForItself() {
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        CompletableFuture<Boolean> task = executor.submit("a", () -> {
            ran.incrementAndGet();
            return executor.awaitIdle(Duration.ofDays(1)) || executor.control().awaitIdle("a", Duration.ofDays(1));
        });
        stepped.runAll();
        assertThat(Patience.get(task)).isFalse();
        assertThat(ran).hasValue(1);
    }

    @Test
    void waitsAreInterruptible() {
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        executor.execute("a", ran::incrementAndGet);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> executor.awaitIdle(LONG)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        stepped.runAll();
        assertThat(ran).hasValue(1);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> executor.awaitIdle(LONG))
                .as("with nothing to wait for")
                .isInstanceOf(InterruptedException.class);
    }

    // threads

    @Test
    void threadsCanBeAdded() {
        try (StripedExecutor executor = SameKind.exactly(1).build()) {
            CyclicBarrier three = new CyclicBarrier(4);
            CountDownLatch running = new CountDownLatch(1);
            for (int i = 0; i < 3; i++) {
                executor.execute(i, () -> {
                    running.countDown();
                    Patience.meet(three);
                    ran.incrementAndGet();
                });
            }
            Patience.await(running);
            executor.control().setThreads(3);
            Patience.meet(three);
        }
        assertThat(ran).hasValue(3);
    }

    @Test
    void threadsThatAreTooManyEndWithTheirTurn() {
        List<Thread> threads = new ArrayList<>();
        Semaphore ended = new Semaphore(0);
        StripedExecutor executor = StripedExecutor.builder()
                .threads(4)
                .threadFactory(worker -> {
                    Thread thread = new Thread(() -> {
                        worker.run();
                        ended.release();
                    });
                    threads.add(thread);
                    return thread;
                })
                .build();
        CyclicBarrier all = new CyclicBarrier(5);
        for (int i = 0; i < 4; i++) {
            executor.execute(i, () -> {
                Patience.meet(all);
                Patience.meet(all);
                ran.incrementAndGet();
            });
        }
        Patience.meet(all);
        executor.control().setThreads(1);
        Patience.meet(all);
        Patience.acquire(ended, 3);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            executor.execute("more " + i, () -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                ran.incrementAndGet();
                inside.decrementAndGet();
            });
        }
        Patience.terminate(executor);
        threads.forEach(Patience::join);
        assertThat(ran).hasValue(104);
        assertThat(threads).hasSize(4);
        assertThat(most).hasValue(1);
    }

    @ParameterizedTest(name = "with turns until a stripe is empty: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("threads that are too many leave stripes on which tasks follow without an end")
    void threadsThatAreTooManyLeaveHotStripes(boolean untilEmpty) {
        Semaphore ended = new Semaphore(0);
        StripedExecutorBuilder builder = StripedExecutor.builder()
                .threads(3)
                .threadFactory(worker -> new Thread(() -> {
                    worker.run();
                    ended.release();
                }));
        StripedExecutor executor = untilEmpty ? builder.turnUntilEmpty().build() : builder.build();
        AtomicInteger submitted = new AtomicInteger();
        AtomicBoolean goesOn = new AtomicBoolean(true);
        CountDownLatch stopped = new CountDownLatch(3);
        CyclicBarrier all = new CyclicBarrier(4);
        for (int i = 0; i < 3; i++) {
            String stripe = "stripe " + i;
            Runnable again = new Runnable() {
                @Override
                public void run() {
                    ran.incrementAndGet();
                    if (goesOn.get()) {
                        submitted.incrementAndGet();
                        executor.execute(stripe, this);
                    } else {
                        stopped.countDown();
                    }
                }
            };
            submitted.incrementAndGet();
            executor.execute(stripe, () -> {
                Patience.meet(all);
                again.run();
            });
        }
        Patience.meet(all);
        executor.control().setThreads(1);
        Patience.acquire(ended, 2);
        goesOn.set(false);
        Patience.await(stopped);
        Patience.terminate(executor);
        assertThat(ran).hasValue(submitted.get());
    }

    @Test
    void idleThreadsThatAreTooManyEnd() {
        List<Thread> threads = new ArrayList<>();
        Semaphore ended = new Semaphore(0);
        StripedExecutor executor = StripedExecutor.builder()
                .threads(3)
                .threadFactory(worker -> {
                    Thread thread = new Thread(() -> {
                        worker.run();
                        ended.release();
                    });
                    threads.add(thread);
                    return thread;
                })
                .build();
        Patience.letWorkersFinish(executor, 3);
        threads.forEach(Patience::awaitParked);
        executor.control().setThreads(1);
        Patience.acquire(ended, 2);
        executor.execute("a", ran::incrementAndGet);
        Patience.terminate(executor);
        threads.forEach(Patience::join);
        assertThat(ran).hasValue(1);
        assertThat(threads).hasSize(3);
    }

    @Test
    void threadsOfOthersAreNotOursToChange() {
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        assertThatThrownBy(() -> executor.control().setThreads(2))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("threads");
        assertThatThrownBy(() -> executor.control().setThreads(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("threads is 0");
    }

    // turn and bounds

    @Test
    void boundsCanBeChanged() {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .capacity(2)
                .keyCapacity(2)
                .build();
        executor.execute("a", ran::incrementAndGet);
        executor.execute("a", ran::incrementAndGet);
        assertRefused(executor, "b");
        executor.control().setCapacity(3);
        executor.execute("b", ran::incrementAndGet);
        assertRefused(executor, "c");
        executor.control().setCapacity(10);
        assertRefused(executor, "a");
        executor.control().setKeyCapacity(3);
        executor.execute("a", ran::incrementAndGet);
        executor.control().setCapacity(1);
        assertRefused(executor, "d");
        stepped.runAll();
        assertThat(ran).hasValue(4);
        executor.execute("d", ran::incrementAndGet);
        assertRefused(executor, "e");
        stepped.runAll();
        assertThat(ran).hasValue(5);
        assertThat(executor.inspect().stats().rejected()).isEqualTo(5);
    }

    private void assertRefused(StripedExecutor executor, Object stripe) {
        assertThatThrownBy(() -> executor.execute(stripe, ran::incrementAndGet))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("capacity");
    }

    @Test
    void roomThatIsMadeByAChangeWakesWhoWaits() {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .capacity(1)
                .keyCapacity(1)
                .overflow(Overflow.block(LONG))
                .build();
        executor.execute("a", ran::incrementAndGet);
        Thread ofAnother = waiting(executor, "b");
        executor.control().setCapacity(10);
        Patience.join(ofAnother);
        Thread ofTheSame = waiting(executor, "a");
        executor.control().setKeyCapacity(2);
        Patience.join(ofTheSame);
        stepped.runAll();
        assertThat(ran).hasValue(3);
    }

    private Thread waiting(StripedExecutor executor, Object stripe) {
        Thread waiting = new Thread(() -> executor.execute(stripe, ran::incrementAndGet));
        waiting.setDaemon(true);
        waiting.start();
        Patience.awaitParked(waiting);
        return waiting;
    }

    @Test
    void boundsThatWereNotBuiltInCannotBeChanged() {
        StripedExecutor unbounded = StripedExecutor.builder().executor(stepped).build();
        assertThatThrownBy(() -> unbounded.control().setCapacity(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("capacity in the builder");
        assertThatThrownBy(() -> unbounded.control().setKeyCapacity(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("keyCapacity in the builder");
        StripedExecutor byStripe =
                StripedExecutor.builder().executor(stepped).keyCapacity(1).build();
        assertThatThrownBy(() -> byStripe.control().setCapacity(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("capacity in the builder");
        assertThatThrownBy(() -> byStripe.control().setKeyCapacity(0)).hasMessageContaining("keyCapacity is 0");
    }

    // snapshots

    @Test
    @DisplayName("running tasks are seen with their thread, and with task and age if there is a listener")
    void runningTasks() {
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        StripedExecutor listened = StripedExecutor.builder()
                .executor(stepped)
                .listener(new TaskListener() {})
                .build();
        Runnable plain = () -> {
            ran.incrementAndGet();
            assertThat(executor.inspect().runningTasks())
                    .containsExactly(new RunningTask("a", Thread.currentThread(), null, null));
        };
        AtomicInteger seen = new AtomicInteger();
        Runnable[] self = new Runnable[1];
        self[0] = () -> {
            ran.incrementAndGet();
            RunningTask running = listened.inspect().runningTasks().get(0);
            seen.addAndGet(running.task() == self[0] && !running.age().isNegative() ? 1 : 0);
        };
        CompletableFuture<Object> stage = new CompletableFuture<>();
        executor.submit("a", () -> {
                    plain.run();
                    return null;
                })
                .whenComplete((result, failure) -> seen.addAndGet(failure == null ? 1 : 0));
        listened.execute("b", self[0]);
        stepped.runAll();
        executor.submitAsync("held", () -> stage);
        stepped.runAll();
        assertThat(executor.inspect().runningTasks()).containsExactly(new RunningTask("held", null, null, null));
        stage.complete("done");
        assertThat(executor.inspect().runningTasks()).isEmpty();
        assertThat(seen).hasValue(2);
        assertThat(ran).hasValue(2);
    }

    @Test
    void parkedStripesAreSeenWithTheirFailure() {
        AtomicLong now = new AtomicLong();
        HandTimer timer = new HandTimer(now::get);
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .platform(timer)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(1))
                        .thenPark())
                .build();
        IllegalStateException failure = new IllegalStateException("on purpose");
        Runnable failing = () -> {
            ran.incrementAndGet();
            throw failure;
        };
        executor.execute("a", failing);
        executor.execute("a", ran::incrementAndGet);
        for (int times = 1; times <= 2; times++) {
            stepped.runAll();
            timer.fire();
            stepped.runAll();
            Duration age = Duration.ofSeconds(7);
            now.addAndGet(age.toNanos());
            assertThat(executor.inspect().parkedTasks())
                    .as("parked for the %s. time", times)
                    .containsExactly(new ParkedTask("a", failing, failure, 2, age));
            assertThat(executor.control().resume("a")).isTrue();
        }
        stepped.runAll();
        timer.fire();
        stepped.runAll();
        Thread.UncaughtExceptionHandler before = Thread.currentThread().getUncaughtExceptionHandler();
        List<Throwable> reported = new ArrayList<>();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> reported.add(thrown));
        try {
            assertThat(executor.control().skip("a")).isTrue();
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(before);
        }
        stepped.runAll();
        assertThat(executor.inspect().parkedTasks()).isEmpty();
        assertThat(reported).containsExactly(failure);
        assertThat(ran).as("two attempts, three times, and the next task").hasValue(7);
    }

    @Test
    @DisplayName("a task that is queued, paused or backing off neither runs nor is parked")
    void whatWaitsIsNeitherRunningNorParked() {
        HandTimer timer = new HandTimer();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenPark())
                .platform(timer)
                .listener(new TaskListener() {})
                .build();
        executor.control().pause("paused");
        executor.execute("paused", ran::incrementAndGet);
        CompletableFuture<Integer> failing = executor.submit("backing off", () -> {
            ran.incrementAndGet();
            throw new ThrownOnPurpose();
        });
        stepped.runAll();
        executor.execute("queued", ran::incrementAndGet);
        assertThat(timer.waiting()).isEqualTo(1);
        assertThat(executor.inspect().runningTasks()).isEmpty();
        assertThat(executor.inspect().parkedTasks()).isEmpty();
        timer.fire();
        stepped.runAll();
        assertThat(executor.inspect().parkedTasks()).extracting(ParkedTask::key).containsExactly("backing off");
        assertThat(executor.inspect().runningTasks()).isEmpty();
        executor.shutdown();
        stepped.runAll();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(failing).isCompletedExceptionally();
        assertThat(ran).hasValue(4);
    }

    @Test
    void aRunningTaskWithoutAStripeIsSeenWithoutOne() {
        long start = System.nanoTime();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .listener(new TaskListener() {})
                .build();
        List<RunningTask> seen = new ArrayList<>();
        Runnable task = () -> seen.addAll(executor.inspect().runningTasks());
        executor.asExecutorService().execute(task);
        stepped.runAll();
        assertThat(seen).hasSize(1);
        assertThat(seen.get(0).key()).isNull();
        assertThat(seen.get(0).task()).isSameAs(task);
        assertThat(seen.get(0).age()).isBetween(Duration.ZERO, Duration.ofNanos(System.nanoTime() - start));
    }
}
