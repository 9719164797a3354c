package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.admit.KeyedEngine;
import io.orderedexecutor.engine.admit.KeyedEngine.KeyType;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.WorkerPool;
import io.orderedexecutor.engine.run.Settings;
import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** The threads of an executor's own: how many, from when, until when, and what if they cannot be had. */
class StripedThreadsTest {

    private static final class RecordingFactory implements ThreadFactory {
        final Queue<Thread> made = new ConcurrentLinkedQueue<>();

        @Override
        public Thread newThread(Runnable worker) {
            Thread thread = new Thread(worker, "recorded-" + made.size());
            made.add(thread);
            return thread;
        }
    }

    @Test
    void noThreadIsStartedBeforeTheFirstTaskAndNoneForAnExecutorThatIsClosedUnused() {
        RecordingFactory factory = new RecordingFactory();
        StripedExecutor executor =
                StripedExecutor.builder().threads(4).threadFactory(factory).build();
        executor.asExecutorService();
        executor.executorFor("a");
        executor.inspect().stats();
        executor.close();
        assertThat(factory.made).isEmpty();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void anyNumberOfThreadsIsAllowedAndCostsNothingUntilTheyAreNeeded() {
        StripedExecutor executor =
                StripedExecutor.builder().threads(Integer.MAX_VALUE).build();
        AtomicInteger ran = new AtomicInteger();
        executor.execute("a", ran::incrementAndGet);
        executor.control().setThreads(2);
        executor.control().setThreads(Integer.MAX_VALUE);
        executor.execute("a", ran::incrementAndGet);
        executor.close();
        assertThat(ran).hasValue(2);
    }

    @Test
    void threadsMeansAtMostSoManyEvenWhenTasksBlock() {
        RecordingFactory factory = new RecordingFactory();
        StripedExecutor executor =
                StripedExecutor.builder().threads(3).threadFactory(factory).build();
        CyclicBarrier allThree = new CyclicBarrier(4);
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            executor.execute("blocker" + i, () -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                Patience.meet(allThree);
                Patience.await(release);
                inside.decrementAndGet();
                ran.incrementAndGet();
            });
        }
        Patience.meet(allThree); // three stripes do run at once
        for (int i = 0; i < 50; i++) {
            executor.execute("other" + i, () -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                inside.decrementAndGet();
                ran.incrementAndGet();
            });
        }
        release.countDown();
        Patience.terminate(executor);
        assertThat(ran).hasValue(53);
        assertThat(most).hasValue(3);
        assertThat(factory.made).hasSize(3);
    }

    @Test
    void threadsEndAfterTermination() {
        RecordingFactory factory = new RecordingFactory();
        StripedExecutor executor =
                StripedExecutor.builder().threads(3).threadFactory(factory).build();
        Patience.letWorkersFinish(executor, 3);
        assertThat(factory.made).hasSize(3);
        executor.close();
        factory.made.forEach(Patience::join);
    }

    @Test
    void threadsBearTheNameAreNoDaemonsAndHaveTheClassLoaderOfTheBuilder() {
        ClassLoader loader = new ClassLoader(getClass().getClassLoader()) {};
        Thread current = Thread.currentThread();
        ClassLoader before = current.getContextClassLoader();
        StripedExecutor executor;
        current.setContextClassLoader(loader);
        try {
            executor = StripedExecutor.builder().name("orders").threads(1).build();
        } finally {
            current.setContextClassLoader(before);
        }
        try (executor) {
            Thread worker = Patience.get(executor.submit("a", Thread::currentThread));
            assertThat(worker.getName()).startsWith("orders");
            assertThat(worker.isDaemon()).isFalse();
            assertThat(worker.getContextClassLoader()).isSameAs(loader);
        }
    }

    @Test
    @DisplayName("one thread serves 1,000 throwing tasks and lives on")
    void throwingTasksDoNotCostThreads() {
        RecordingFactory factory = new RecordingFactory();
        AtomicInteger uncaught = new AtomicInteger();
        StripedExecutor executor = StripedExecutor.builder()
                .threads(1)
                .threadFactory(worker -> {
                    Thread thread = factory.newThread(worker);
                    thread.setUncaughtExceptionHandler((t, e) -> uncaught.incrementAndGet());
                    return thread;
                })
                .build();
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < 1000; i++) {
            int number = i;
            executor.execute(i % 7, () -> {
                ran.incrementAndGet();
                if (number % 2 == 0) {
                    throw new IllegalStateException("thrown by the test");
                }
                throw new StackOverflowError("thrown by the test");
            });
        }
        Patience.terminate(executor);
        assertThat(ran).hasValue(1000);
        assertThat(uncaught).hasValue(1000);
        assertThat(factory.made).hasSize(1);
        assertThat(executor.inspect().stats().failed()).isEqualTo(1000);
    }

    // Factories that fail

    @Test
    void aFactoryThatFailsIsARejectionAndLeavesNothingBehind() {
        AtomicReference<Error> failure = new AtomicReference<>(new OutOfMemoryError("no thread, says the test"));
        RecordingFactory factory = new RecordingFactory();
        StripedExecutor executor = StripedExecutor.builder()
                .threads(2)
                .threadFactory(worker -> {
                    if (failure.get() != null) {
                        throw failure.get();
                    }
                    return factory.newThread(worker);
                })
                .build();
        AtomicInteger ran = new AtomicInteger();
        assertThatThrownBy(() -> executor.execute("a", ran::incrementAndGet)).isSameAs(failure.get());
        assertThatThrownBy(() -> executor.submit("a", ran::incrementAndGet)).isSameAs(failure.get());
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 0, 2));
        failure.set(null);
        assertThat(Patience.get(executor.submit("a", ran::incrementAndGet))).isEqualTo(1);
        Patience.terminate(executor);
        assertThat(ran).hasValue(1);
    }

    @Test
    void aFactoryThatReturnsNullIsARejectionThatSaysSo() {
        AtomicBoolean broken = new AtomicBoolean(true);
        StripedExecutor executor = StripedExecutor.builder()
                .threads(2)
                .threadFactory(worker -> broken.get() ? null : new Thread(worker))
                .build();
        AtomicInteger ran = new AtomicInteger();
        assertThatThrownBy(() -> executor.execute("a", ran::incrementAndGet))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("thread factory");
        assertThat(executor.inspect().stats().rejected()).isEqualTo(1);
        assertThat(executor.inspect().stats().keys()).isZero();
        broken.set(false);
        executor.execute("a", ran::incrementAndGet);
        Patience.terminate(executor);
        assertThat(ran).hasValue(1);
    }

    @Test
    void aFactoryThatFailsWhileAnotherThreadLivesRejectsNothing() {
        RecordingFactory factory = new RecordingFactory();
        StripedExecutor executor = StripedExecutor.builder()
                .threads(4)
                .threadFactory(worker -> {
                    if (!factory.made.isEmpty()) {
                        throw new IllegalStateException("only one, says the test");
                    }
                    return factory.newThread(worker);
                })
                .build();
        OrderRecorder recorder = new OrderRecorder();
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(1);
        executor.execute("blocker", () -> {
            running.countDown();
            Patience.await(release);
        });
        Patience.await(running);
        List<OrderRecorder.Source> sources = List.of(
                recorder.lane("a").source(),
                recorder.lane("b").source(),
                recorder.lane("c").source());
        for (int i = 0; i < 300; i++) {
            executor.execute("abc".charAt(i % 3), sources.get(i % 3).next());
        }
        release.countDown();
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats().completed()).isEqualTo(301);
    }

    @Test
    @DisplayName("a task that was accepted while a thread was being made, is not lost when that fails")
    void acceptedWorkIsNotLostWhenAThreadThatWasOnItsWayCannotBeMade() {
        CountDownLatch inFactory = new CountDownLatch(1);
        CountDownLatch failNow = new CountDownLatch(1);
        RecordingFactory factory = new RecordingFactory();
        StripedExecutor executor = StripedExecutor.builder()
                .threads(2)
                .threadFactory(worker -> {
                    if (!factory.made.isEmpty()) {
                        inFactory.countDown();
                        Patience.await(failNow);
                        throw new IllegalStateException("no second thread, says the test");
                    }
                    return factory.newThread(worker);
                })
                .build();
        CountDownLatch releaseFirst = new CountDownLatch(1);
        CountDownLatch firstRuns = new CountDownLatch(1);
        CountDownLatch secondRan = new CountDownLatch(1);
        CountDownLatch thirdRan = new CountDownLatch(1);
        executor.execute("first", () -> {
            firstRuns.countDown();
            Patience.await(releaseFirst);
        });
        Patience.await(firstRuns);
        Thread submitter = new Thread(() -> executor.execute("second", secondRan::countDown));
        submitter.start();
        Patience.await(inFactory);
        releaseFirst.countDown();
        Patience.await(secondRan); // by the first thread, which has nothing to do now
        Patience.awaitParked(factory.made.element());
        executor.execute("third", thirdRan::countDown);
        failNow.countDown();
        Patience.join(submitter);
        Patience.await(thirdRan);
        Patience.terminate(executor);
        assertThat(executor.inspect().stats().completed()).isEqualTo(3);
    }

    @Test
    @DisplayName("if the only thread cannot be made, its submitter is told, and the helper runs what others have left "
            + "to that thread")
    void whatOthersLeftToAThreadThatCannotBeMadeRunsAllTheSame() {
        CountDownLatch inFactory = new CountDownLatch(1);
        CountDownLatch failNow = new CountDownLatch(1);
        StripedExecutor executor = StripedExecutor.builder()
                .threads(2)
                .threadFactory(worker -> {
                    inFactory.countDown();
                    Patience.await(failNow);
                    throw new IllegalStateException("no thread, says the test");
                })
                .build();
        AtomicInteger refusedRan = new AtomicInteger();
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        CountDownLatch otherRan = new CountDownLatch(2);
        Thread submitter = new Thread(() -> {
            try {
                executor.execute("refused", refusedRan::incrementAndGet);
            } catch (IllegalStateException e) {
                refusal.set(e);
            }
        });
        submitter.start();
        Patience.await(inFactory);
        executor.execute("other", otherRan::countDown); // accepted, since a thread is on its way
        executor.execute("refused", otherRan::countDown); // behind the one that will be refused
        failNow.countDown();
        Patience.join(submitter);
        Patience.await(otherRan);
        assertThat(refusal.get()).hasMessage("no thread, says the test");
        Patience.terminate(executor);
        assertThat(refusedRan).hasValue(0);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 0, 1));
    }

    @Test
    @DisplayName("work is not held up by a slow thread factory while another thread has nothing to do")
    void anIdleThreadTakesWorkWhileAnotherIsBeingMade() {
        CountDownLatch inFactory = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        RecordingFactory factory = new RecordingFactory();
        StripedExecutor executor = StripedExecutor.builder()
                .threads(2)
                .threadFactory(worker -> {
                    if (!factory.made.isEmpty()) {
                        inFactory.countDown();
                        Patience.await(goOn);
                    }
                    return factory.newThread(worker);
                })
                .build();
        CountDownLatch releaseFirst = new CountDownLatch(1);
        CountDownLatch firstRuns = new CountDownLatch(1);
        CountDownLatch secondRan = new CountDownLatch(1);
        CountDownLatch thirdRan = new CountDownLatch(1);
        executor.execute("first", () -> {
            firstRuns.countDown();
            Patience.await(releaseFirst);
        });
        Patience.await(firstRuns);
        Thread submitter = new Thread(() -> executor.execute("second", secondRan::countDown));
        submitter.start();
        Patience.await(inFactory);
        releaseFirst.countDown();
        Patience.await(secondRan);
        Patience.awaitParked(factory.made.element());
        executor.execute("third", thirdRan::countDown);
        try {
            Patience.await(thirdRan);
        } finally {
            goOn.countDown();
            Patience.join(submitter);
            Patience.terminate(executor);
        }
        assertThat(executor.inspect().stats().completed()).isEqualTo(3);
    }

    @Test
    @DisplayName("an interrupt that a thread brought along stays with no task")
    void anInterruptOutsideOfTasksReachesNone() {
        StripedExecutor executor = StripedExecutor.builder()
                .threads(1)
                .threadFactory(worker -> new Thread(() -> {
                    Thread.currentThread().interrupt();
                    worker.run();
                }))
                .build();
        Queue<Boolean> interrupted = new ConcurrentLinkedQueue<>();
        CountDownLatch allSubmitted = new CountDownLatch(1);
        executor.execute("first", () -> {
            interrupted.add(Thread.interrupted());
            Patience.await(allSubmitted);
        });
        for (int i = 0; i < 10; i++) {
            executor.execute(i, () -> interrupted.add(Thread.currentThread().isInterrupted()));
        }
        allSubmitted.countDown();
        Patience.terminate(executor);
        assertThat(interrupted).hasSize(11);
        assertThat(interrupted.stream().skip(1))
                .as("whether later tasks saw the interrupt")
                .containsOnly(false);
    }

    @Test
    @DisplayName(
            "what others have left to a thread that more threads should start, and that fails, is run all the same")
    void aThreadThatSetThreadsCannotStart() {
        RecordingFactory factory = new RecordingFactory();
        CountDownLatch release = new CountDownLatch(1);
        AtomicReference<StripedExecutor> executor = new AtomicReference<>();
        AtomicInteger ran = new AtomicInteger();
        WorkerPool pool = new WorkerPool(
                "pool",
                1,
                worker -> {
                    if (factory.made.isEmpty()) {
                        return factory.newThread(worker);
                    }
                    if (release.getCount() == 0) {
                        // the helper tries again
                        throw new ThrownOnPurpose();
                    }
                    // the only thread ends meanwhile, and a submitter counts on the one that is being made
                    release.countDown();
                    factory.made.forEach(Patience::join);
                    Thread submitter = new Thread(() -> executor.get().execute("c", ran::incrementAndGet));
                    submitter.start();
                    Patience.join(submitter);
                    throw new ThrownOnPurpose();
                },
                Turn.DEFAULT,
                Platform.JDK,
                1);
        executor.set(executor(pool));
        CountDownLatch busy = new CountDownLatch(1);
        executor.get().execute("a", () -> {
            busy.countDown();
            Patience.await(release);
            ran.incrementAndGet();
        });
        Patience.await(busy);
        executor.get().execute("b", ran::incrementAndGet);
        assertThatThrownBy(() -> executor.get().control().setThreads(2)).isInstanceOf(ThrownOnPurpose.class);
        Patience.terminate(executor.get());
        assertThat(ran).hasValue(3);
        assertThat(executor.get().inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 3, 0, 0, 0));
    }

    private static StripedExecutor executor(WorkerPool pool) {
        Settings settings = new Settings(
                "till",
                Settings.UNLIMITED,
                Settings.UNLIMITED,
                false,
                Overflow.reject(),
                FailurePolicy.proceed(),
                List.of(),
                Platform.JDK);
        return new StripedExecutor(new KeyedEngine(KeyType.STRIPE, settings, pool, pool::close));
    }

    @Test
    @DisplayName("a thread that has ended because it was idle for long leaves its place to another")
    void anIdleThreadThatEndsLeavesItsPlace() {
        RecordingFactory factory = new RecordingFactory();
        WorkerPool pool = new WorkerPool("pool", 1, factory, Turn.DEFAULT, Platform.JDK, 1);
        StripedExecutor executor = executor(pool);
        for (int i = 1; i <= 5; i++) {
            assertThat(Patience.get(executor.submit("a", () -> "ran"))).isEqualTo("ran");
            factory.made.forEach(Patience::join);
            assertThat(factory.made).hasSize(i);
        }
        Patience.terminate(executor);
        assertThat(executor.inspect().stats().completed()).isEqualTo(5);
    }

    private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();

    @Test
    @DisplayName("own threads inherit nothing from whoever submits")
    void noTaskSeesTheUserOfAnother() {
        assertNoTaskSeesAUser(StripedExecutor.builder().threads(4).build());
    }

    @Test
    @DisplayName("nor do virtual threads that are handed in, if they are made as the Javadoc says")
    @EnabledForJreRange(min = JRE.JAVA_21)
    void norOnVirtualThreadsThatInheritNothing() throws Exception {
        Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
        Object threads = Thread.class.getMethod("ofVirtual").invoke(null);
        type.getMethod("inheritInheritableThreadLocals", boolean.class).invoke(threads, false);
        ThreadFactory factory = (ThreadFactory) type.getMethod("factory").invoke(threads);
        assertNoTaskSeesAUser(StripedExecutor.builder()
                .executor(task -> factory.newThread(task).start())
                .build());
    }

    private static void assertNoTaskSeesAUser(StripedExecutor executor) {
        int callsOfEach = 2_000;
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        List<Thread> users = IntStream.range(0, 8)
                .mapToObj(user -> new Thread(() -> {
                    USER.set("user " + user);
                    for (int i = 0; i < callsOfEach; i++) {
                        String task = user + " " + i;
                        executor.execute("room " + i % 3, () -> {
                            ran.add(task);
                            if (USER.get() != null) {
                                seen.add(USER.get());
                            }
                        });
                    }
                }))
                .toList();
        users.forEach(Thread::start);
        users.forEach(Patience::join);
        Patience.terminate(executor);
        assertThat(ran).hasSize(users.size() * callsOfEach).doesNotHaveDuplicates();
        assertThat(seen).isEmpty();
    }
}
