package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.fixtures.EndlessPatience;
import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.RefusingExecutor;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SerialExecutorTest {
    private final OrderRecorder recorder = new OrderRecorder();
    private final OrderRecorder.Lane lane = recorder.lane("serial");
    private final OrderRecorder.Source source = lane.source();
    private final SteppedExecutor stepped = new SteppedExecutor();
    private ExecutorService pool;

    @AfterEach
    void stopPool() throws InterruptedException {
        if (pool != null) {
            pool.shutdown();
            assertThat(pool.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    /** Whether all of a pool's work, the last steps after the last task included, is done. */
    private void drain(ExecutorService pool) throws InterruptedException {
        pool.shutdown();
        assertThat(pool.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    private static void assertIdle(SerialExecutor serial) {
        assertThat(serial.toString()).contains("idle");
    }

    // Order and exclusion

    @Test
    @DisplayName("tasks run in the order of their submission, by one hand-over, on the executor's thread")
    void runsInOrder() {
        SerialExecutor serial = new SerialExecutor(stepped);
        for (int i = 0; i < 10; i++) {
            serial.execute(source.next());
        }
        assertThat(stepped.waiting()).as("hand-overs for ten waiting tasks").isEqualTo(1);
        // a turn also ends after a millisecond, which may be over at once on a busy machine
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertIdle(serial);
    }

    @Test
    @DisplayName("four producers, and no task overlaps with another or overtakes one of its producer")
    void manyProducers() throws InterruptedException {
        pool = SameKind.pool(3);
        SerialExecutor serial = new SerialExecutor(pool);
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> producers = new ArrayList<>();
        for (int p = 0; p < 4; p++) {
            OrderRecorder.Source own = lane.source();
            producers.add(SameKind.thread(() -> {
                Patience.await(start);
                for (int i = 0; i < 25_000; i++) {
                    serial.execute(own.next());
                }
            }));
        }
        producers.forEach(Thread::start);
        start.countDown();
        producers.forEach(Patience::join);
        CountDownLatch last = new CountDownLatch(1);
        serial.execute(last::countDown);
        Patience.await(last);
        drain(pool);
        recorder.assertAllRanOnceInOrder();
        assertThat(recorder.steps()).hasSize(100_000);
        assertIdle(serial);
    }

    @Test
    @DisplayName("what one task wrote, the next one reads, on whatever thread")
    void tasksSeeEachOthersWrites() {
        pool = SameKind.pool(4);
        SerialExecutor serial = new SerialExecutor(pool);
        int[] plain = new int[1];
        CountDownLatch last = new CountDownLatch(1);
        for (int i = 0; i < 100_000; i++) {
            serial.execute(() -> plain[0]++);
        }
        serial.execute(last::countDown);
        Patience.await(last);
        assertThat(plain[0]).isEqualTo(100_000);
    }

    @Test
    void aTaskMaySubmitToItsOwnSequence() {
        SerialExecutor serial = new SerialExecutor(stepped);
        OrderRecorder.Step nested = source.next(); // numbered first, and therefore of a source of its own
        OrderRecorder.Source outer = lane.source();
        serial.execute(outer.next(() -> {
            serial.execute(nested);
            assertThat(nested.runs()).as("not run inside its submitter").isZero();
        }));
        serial.execute(outer.next(() -> assertThat(nested.runs()).isZero()));
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertIdle(serial);
    }

    @Test
    void isIdleAgainAfterAllAndStartsAgain() {
        SerialExecutor serial = new SerialExecutor(stepped);
        for (int round = 0; round < 5; round++) {
            serial.execute(source.next());
            assertThat(serial.toString()).contains("busy");
            assertThat(stepped.runAll()).isEqualTo(1);
            assertIdle(serial);
        }
        recorder.assertAllRanOnceInOrder();
    }

    // Turns

    @Test
    @DisplayName("the thread is given back after 64 tasks, so a long sequence holds nobody up")
    void givesTheThreadBackAfterATurn() {
        SerialExecutor busy = new SerialExecutor(stepped);
        for (int i = 0; i < 200; i++) {
            busy.execute(source.next());
        }
        OrderRecorder.Step other = recorder.lane("other").source().next();
        new SerialExecutor(stepped).execute(other);
        assertThat(stepped.runNext()).isTrue();
        assertThat(recorder.steps().stream().filter(step -> step.runs() == 1).count())
                .as("tasks of the first turn")
                .isBetween(1L, 64L);
        assertThat(other.runs()).isZero();
        assertThat(stepped.runNext()).isTrue();
        assertThat(other.runs())
                .as("its turn came after one turn of the busy one")
                .isEqualTo(1);
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertIdle(busy);
    }

    @Test
    @DisplayName("200,000 tasks on an executor that runs them on the caller do not run out of stack")
    void longSequenceOnCallerRuns() {
        SerialExecutor serial = new SerialExecutor(Runnable::run);
        int tasks = SameKind.some(200_000);
        serial.execute(source.next(() -> {
            for (int i = 1; i < tasks; i++) {
                serial.execute(source.next());
            }
        }));
        recorder.assertAllRanOnceInOrder();
        assertThat(recorder.steps()).hasSize(tasks);
        assertIdle(serial);
    }

    @Test
    @DisplayName("200,000 tasks of which each submits the next do not run out of stack")
    void endlessSuccessionOnCallerRuns() {
        SerialExecutor serial = new SerialExecutor(Runnable::run);
        AtomicInteger ran = new AtomicInteger();
        serial.execute(new Runnable() {
            @Override
            public void run() {
                if (ran.incrementAndGet() < 200_000) {
                    serial.execute(this);
                }
            }
        });
        assertThat(ran).hasValue(200_000);
        assertIdle(serial);
    }

    // Failures

    @Test
    @DisplayName("a task that throws, an Error too, does not break the sequence, and the thread's handler is told")
    void goesOnAfterFailures() {
        SerialExecutor serial = new SerialExecutor(stepped);
        List<Throwable> thrown = List.of(
                new IllegalStateException("thrown by the test"),
                new AssertionError("thrown by the test"),
                new StackOverflowError("thrown by the test"),
                new OutOfMemoryError("thrown by the test"));
        for (Throwable failure : thrown) {
            serial.execute(source.next(() -> SerialExecutorTest.sneakyThrow(failure)));
            serial.execute(source.next());
        }
        List<Throwable> told = runAllWithHandler();
        assertThat(told).isEqualTo(thrown);
        recorder.assertAllRanOnceInOrder();
        assertIdle(serial);
    }

    @Test
    void aHandlerThatThrowsItselfDoesNoHarm() {
        SerialExecutor serial = new SerialExecutor(stepped);
        serial.execute(source.next(() -> {
            throw new IllegalStateException("thrown by the test");
        }));
        serial.execute(source.next());
        Thread runner = SameKind.thread(stepped::runAll);
        AtomicInteger told = new AtomicInteger();
        runner.setUncaughtExceptionHandler((thread, failure) -> {
            told.incrementAndGet();
            throw new IllegalStateException("the handler fails, too");
        });
        runner.start();
        Patience.join(runner);
        assertThat(told).hasValue(1);
        recorder.assertAllRanOnceInOrder();
        assertIdle(serial);
    }

    private List<Throwable> runAllWithHandler() {
        List<Throwable> told = new ArrayList<>();
        Thread runner = SameKind.thread(stepped::runAll);
        runner.setUncaughtExceptionHandler((thread, failure) -> told.add(failure));
        runner.start();
        Patience.join(runner);
        return told;
    }

    @SuppressWarnings("unchecked")
    static <E extends Throwable> void sneakyThrow(Throwable failure) throws E {
        throw (E) failure;
    }

    @Test
    @DisplayName("an interrupt of one task does not reach the next")
    void anInterruptStaysWithItsTask() {
        SerialExecutor serial = new SerialExecutor(stepped);
        List<Boolean> interrupted = new ArrayList<>();
        serial.execute(source.next(() -> Thread.currentThread().interrupt()));
        serial.execute(source.next(() -> interrupted.add(Thread.currentThread().isInterrupted())));
        stepped.runAll();
        assertThat(interrupted).containsExactly(false);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("a caller's own interrupt is there again after its tasks have run on it")
    void aCallersInterruptIsGivenBack() {
        SerialExecutor serial = new SerialExecutor(Runnable::run);
        Thread.currentThread().interrupt();
        try {
            serial.execute(source.next(() -> Thread.interrupted()));
            serial.execute(source.next());
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        recorder.assertAllRanOnceInOrder();
    }

    // Refusals

    @Test
    @DisplayName("a refused first submission reaches its submitter, and later tasks run")
    void aRefusedFirstSubmissionLeavesNothing() {
        SerialExecutor serial = new SerialExecutor(stepped);
        stepped.refuse(true);
        OrderRecorder.Step refused = source.next();
        refused.exclude();
        assertThatThrownBy(() -> serial.execute(refused))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("refused by the test");
        assertIdle(serial);
        stepped.refuse(false);
        serial.execute(source.next());
        serial.execute(source.next());
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertIdle(serial);
    }

    @Test
    @DisplayName("an executor that refuses every third hand-over: each task ran once or its submitter was told")
    void everyThirdHandOverRefused() throws InterruptedException {
        pool = SameKind.pool(2);
        SerialExecutor serial = new SerialExecutor(new RefusingExecutor(pool, 3));
        List<Thread> producers = new ArrayList<>();
        AtomicInteger refused = new AtomicInteger();
        for (int p = 0; p < 3; p++) {
            OrderRecorder.Source own = lane.source();
            producers.add(SameKind.thread(() -> {
                for (int i = 0; i < 20_000; i++) {
                    OrderRecorder.Step step = own.next();
                    if (!RefusingExecutor.accepts(() -> serial.execute(step))) {
                        step.exclude();
                        refused.incrementAndGet();
                    }
                }
            }));
        }
        producers.forEach(Thread::start);
        producers.forEach(Patience::join);
        CountDownLatch last = new CountDownLatch(1);
        while (!RefusingExecutor.accepts(() -> serial.execute(last::countDown))) {
            refused.incrementAndGet();
        }
        Patience.await(last);
        drain(pool);
        recorder.assertAllRanOnceInOrder();
        assertIdle(serial);
    }

    @Test
    @DisplayName("tasks behind a turn that cannot be handed on are not lost: the thread at hand runs them")
    void aRefusalAtTheEndOfATurn() {
        SerialExecutor serial = new SerialExecutor(stepped);
        for (int i = 0; i < 200; i++) {
            serial.execute(source.next());
        }
        OrderRecorder.Step lastOne = source.next();
        serial.execute(lastOne);
        stepped.refuse(true);
        assertThat(stepped.runNext()).isTrue();
        assertThat(lastOne.runs()).isEqualTo(1);
        recorder.assertAllRanOnceInOrder();
        assertIdle(serial);
    }

    @Test
    @DisplayName("what was accepted behind a task that is then refused, runs")
    void tasksBehindARefusedOneRun() {
        OrderRecorder.Step refused = source.next();
        OrderRecorder.Step behind = source.next();
        refused.exclude();
        AtomicInteger handOvers = new AtomicInteger();
        SerialExecutor[] serial = new SerialExecutor[1];
        serial[0] = new SerialExecutor(step -> {
            if (handOvers.incrementAndGet() == 1) {
                serial[0].execute(behind); // by another submitter, in the middle of the first one's submission
                throw new RejectedExecutionException("refused by the test");
            }
            stepped.execute(step);
        });
        assertThatThrownBy(() -> serial[0].execute(refused)).isInstanceOf(RejectedExecutionException.class);
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertIdle(serial[0]);
    }

    @Test
    void anExecutorThatRunsEveryHandOverTwice() throws InterruptedException {
        pool = SameKind.pool(4);
        ExecutorService threads = pool;
        SerialExecutor serial = new SerialExecutor(step -> {
            threads.execute(step);
            threads.execute(step);
        });
        CountDownLatch last = new CountDownLatch(1);
        for (int i = 0; i < 50_000; i++) {
            serial.execute(source.next());
        }
        serial.execute(last::countDown);
        Patience.await(last);
        // a last repetition may be refused, which nobody needs
        drain(pool);
        recorder.assertAllRanOnceInOrder();
        assertIdle(serial);
    }

    @Test
    @DisplayName("an executor that throws although it has run the task does not make the submitter believe otherwise")
    void anExecutorThatRunsAndThrows() {
        List<Throwable> told = new ArrayList<>();
        Thread submitter = SameKind.thread(() -> {
            SerialExecutor serial = new SerialExecutor(step -> {
                step.run();
                throw new IllegalStateException("thrown after running");
            });
            serial.execute(source.next());
            serial.execute(source.next());
            assertIdle(serial);
        });
        submitter.setUncaughtExceptionHandler((thread, failure) -> told.add(failure));
        submitter.start();
        Patience.join(submitter);
        assertThat(told).hasSize(2).allSatisfy(failure -> assertThat(failure).hasMessage("thrown after running"));
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    void anExecutorThatRunsAndThrowsAtTheEndOfATurn() {
        AtomicInteger handOvers = new AtomicInteger();
        SerialExecutor serial = new SerialExecutor(step -> {
            stepped.execute(step);
            if (handOvers.incrementAndGet() % 2 == 0) {
                throw new IllegalStateException("thrown although accepted");
            }
        });
        for (int i = 0; i < 500; i++) {
            serial.execute(source.next());
        }
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertIdle(serial);
    }

    // Who runs

    @Test
    @DisplayName("on caller-runs a thread runs its own task and what that submits, and no task of others")
    void aCallerRunsOnlyItsOwn() {
        SerialExecutor serial = new SerialExecutor(Runnable::run);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch submitted = new CountDownLatch(1);
        CountDownLatch last = new CountDownLatch(1);
        List<Thread> own = new CopyOnWriteArrayList<>();
        List<Thread> foreign = new CopyOnWriteArrayList<>();
        Thread caller = SameKind.thread(() -> serial.execute(source.next(() -> {
            own.add(Thread.currentThread());
            serial.execute(source.next(() -> own.add(Thread.currentThread())));
            running.countDown();
            Patience.await(submitted);
        })));
        caller.start();
        Patience.await(running);
        for (int i = 0; i < 100; i++) {
            serial.execute(source.next(() -> foreign.add(Thread.currentThread())));
        }
        serial.execute(last::countDown);
        submitted.countDown();
        Patience.await(last);
        Patience.join(caller);
        recorder.assertAllRanOnceInOrder();
        assertThat(own).hasSize(2).containsOnly(caller);
        assertThat(foreign).hasSize(100).doesNotContain(caller, Thread.currentThread());
    }

    @Test
    @DisplayName("a task that is refused leaves those behind it to a thread of their own, not to its submitter")
    void aSubmitterThatIsRefusedRunsNothing() {
        CountDownLatch last = new CountDownLatch(1);
        AtomicInteger handOvers = new AtomicInteger();
        List<Thread> runners = new CopyOnWriteArrayList<>();
        SerialExecutor[] serial = new SerialExecutor[1];
        serial[0] = new SerialExecutor(step -> {
            if (handOvers.incrementAndGet() == 1) {
                // by another submitter, in the middle of the first one's submission
                serial[0].execute(() -> runners.add(Thread.currentThread()));
                serial[0].execute(last::countDown);
            }
            throw new RejectedExecutionException("refused by the test");
        });
        OrderRecorder.Step refused = source.next();
        refused.exclude();
        assertThatThrownBy(() -> serial[0].execute(refused)).isInstanceOf(RejectedExecutionException.class);
        Patience.await(last);
        recorder.assertAllRanOnceInOrder();
        assertThat(runners).hasSize(1).doesNotContain(Thread.currentThread());
    }

    @Test
    @DisplayName("if no thread starts, the thread at hand runs the tasks behind a refused one, and its handler is told")
    void noThreadStarts() {
        List<Throwable> told = new CopyOnWriteArrayList<>();
        AtomicInteger starts = new AtomicInteger();
        List<Thread> runners = new CopyOnWriteArrayList<>();
        Thread submitter = SameKind.thread(() -> {
            SerialExecutor[] serial = new SerialExecutor[1];
            AtomicInteger handOvers = new AtomicInteger();
            serial[0] = new SerialExecutor(step -> {
                if (handOvers.incrementAndGet() == 1) {
                    serial[0].execute(source.next(() -> runners.add(Thread.currentThread())));
                }
                throw new RejectedExecutionException("refused by the test");
            });
            assertThatThrownBy(() -> serial[0].execute(() -> runners.add(null)))
                    .isInstanceOf(RejectedExecutionException.class);
            assertIdle(serial[0]);
        });
        submitter.setUncaughtExceptionHandler((thread, failure) -> told.add(failure));
        Platform.takeOver(new Platform() {
            @Override
            public void start(Thread thread) {
                starts.incrementAndGet();
                throw new ThrownOnPurpose();
            }
        });
        try {
            submitter.start();
            Patience.join(submitter);
        } finally {
            EndlessPatience.begin();
        }
        assertThat(starts).hasValue(1);
        assertThat(runners).containsExactly(submitter);
        recorder.assertAllRanOnceInOrder();
        assertThat(told)
                .singleElement()
                .satisfies(failure -> assertThat(failure)
                        .hasMessageContaining("no thread could be started for a SerialExecutor")
                        .hasCauseInstanceOf(ThrownOnPurpose.class));
    }

    // Memory

    @Test
    @DisplayName("a finished task is unreachable although its sequence never drains")
    void finishedTasksAreUnreachableInASequenceThatNeverEnds() {
        SerialExecutor serial = new SerialExecutor(stepped);
        List<WeakReference<Object>> finished = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            finished.add(Reachability.submitHolding(serial::execute));
            serial.execute(source.next()); // always one more than is run
            assertThat(stepped.waiting()).isEqualTo(1);
        }
        OrderRecorder.Source own = lane.source();
        for (int i = 0; i < 64; i++) {
            serial.execute(own.next());
        }
        while (recorder.steps().stream().filter(step -> step.runs() == 1).count() < 1000) {
            assertThat(stepped.runNext()).isTrue();
        }
        assertThat(serial.toString()).as("it has not drained").contains("busy");
        Reachability.assertCleared(finished);
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("what links tasks is unreachable after them, although a thread keeps the first link until it ends")
    void linksAreUnreachableInALongTurn() throws ReflectiveOperationException {
        Field last = SerialExecutor.class.getDeclaredField("last");
        last.setAccessible(true);
        List<Thread> threads = new ArrayList<>();
        SerialExecutor serial = SerialExecutor.untilEmpty(step -> threads.add(SameKind.thread(step)));
        List<WeakReference<Object>> links = new ArrayList<>();
        serial.execute(source.next());
        for (int i = 0; i < 3; i++) {
            serial.execute(source.next());
            links.add(new WeakReference<>(last.get(serial)));
        }
        AtomicInteger checks = new AtomicInteger();
        serial.execute(source.next(() -> {
            Reachability.assertCleared(links);
            checks.incrementAndGet();
        }));
        threads.forEach(Thread::start);
        threads.forEach(Patience::join);
        assertThat(checks).hasValue(1);
        recorder.assertAllRanOnceInOrder();
        assertIdle(serial);
    }

    @Test
    @DisplayName("an idle sequence holds nothing")
    void anIdleSequenceHoldsNoTask() {
        SerialExecutor serial = new SerialExecutor(stepped);
        WeakReference<Object> task = Reachability.submitHolding(serial::execute);
        stepped.runAll();
        Reachability.assertCleared(List.of(task));
        assertIdle(serial);
    }

    @Test
    void nullsAreNamed() {
        assertThatThrownBy(() -> new SerialExecutor(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("executor");
        SerialExecutor serial = new SerialExecutor(stepped);
        assertThatThrownBy(() -> serial.execute(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("task");
        assertThat(stepped.waiting()).isZero();
        assertIdle(serial);
    }
}
