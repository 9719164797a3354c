package io.orderedexecutor.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.SerialExecutor;
import io.orderedexecutor.StripedExecutor;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SteppedExecutorTest {
    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final StripedExecutor striped =
            stepped.configure(StripedExecutor.builder()).build();

    @Test
    void nothingRunsBeforeTheTestSaysSo() {
        striped.execute("alice", () -> ran.add("first"));
        assertThat(ran).isEmpty();
        assertThat(stepped.pending()).isEqualTo(1);
        assertThat(stepped.runNext()).isTrue();
        assertThat(ran).containsExactly("first");
        assertThat(stepped.runNext()).isFalse();
        assertThat(stepped.pending()).isZero();
    }

    @Test
    void eachStepRunsOneTaskOfAStripe() {
        for (int i = 0; i < 100; i++) {
            int number = i;
            striped.execute("alice", () -> ran.add("alice " + number));
        }
        for (int i = 0; i < 100; i++) {
            assertThat(stepped.pending()).isEqualTo(1);
            assertThat(stepped.runNext()).isTrue();
            assertThat(ran).hasSize(i + 1).endsWith("alice " + i);
        }
        assertThat(stepped.runNext()).isFalse();
    }

    @Test
    void stripesTakeTurnsInTheOrderInWhichTheyBecomeReady() {
        striped.execute("alice", () -> ran.add("alice 1"));
        striped.execute("alice", () -> ran.add("alice 2"));
        striped.execute("bob", () -> ran.add("bob 1"));
        assertThat(stepped.pending()).isEqualTo(2);
        assertThat(stepped.runAll()).isEqualTo(3);
        assertThat(ran).containsExactly("alice 1", "bob 1", "alice 2");
    }

    @Test
    void manyThatShareAGroupAreFoundByThatGroup() {
        GroupedExecutor grouped = stepped.configure(GroupedExecutor.builder()).build();
        grouped.execute(Groups.exclusive("a"), () -> ran.add("writer"));
        List<CompletableFuture<Integer>> open = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            int number = i;
            CompletableFuture<Integer> stage = new CompletableFuture<>();
            open.add(stage);
            grouped.submitAsync(Groups.shared("a"), () -> {
                ran.add("reader " + number);
                return stage;
            });
        }
        int steps = 0;
        while (stepped.runNextOf("a")) {
            steps++;
        }
        assertThat(ran).hasSize(41).doesNotHaveDuplicates().startsWith("writer");
        assertThat(steps).isEqualTo(42);
        open.forEach(stage -> stage.complete(1));
        assertThat(stepped.pending()).isZero();
    }

    @Test
    void eachStepRunsOneTaskOfAGroup() {
        GroupedExecutor grouped = stepped.configure(GroupedExecutor.builder()).build();
        grouped.execute(Groups.exclusive("a", "b"), () -> ran.add("a and b"));
        grouped.execute(Groups.exclusive("a"), () -> ran.add("a"));
        grouped.execute(Groups.exclusive("b"), () -> ran.add("b"));
        grouped.execute(Groups.exclusive("a", "b"), () -> ran.add("a and b again"));
        for (int i = 1; i <= 4; i++) {
            assertThat(stepped.runNext()).isTrue();
            assertThat(ran).hasSize(i);
        }
        assertThat(ran).containsExactly("a and b", "a", "b", "a and b again");
        assertThat(stepped.runNext()).isFalse();
    }

    @Test
    void eachStepRunsOnePieceOfAnOutput() {
        OrderedOutputExecutor outputs =
                stepped.configure(OrderedOutputExecutor.builder()).build();
        List<Integer> written = Collections.synchronizedList(new ArrayList<>());
        OrderedOutput<Integer> output = outputs.open(written::add);
        for (int i = 0; i < 5; i++) {
            int number = i;
            output.submit(() -> {
                ran.add("work " + number);
                return number;
            });
        }
        for (int i = 1; i <= 5; i++) {
            assertThat(stepped.runNext()).isTrue();
            assertThat(ran).hasSize(i);
        }
        stepped.runAll();
        assertThat(written).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void aSerialExecutorRunsOnIt() {
        SerialExecutor serial = new SerialExecutor(stepped);
        serial.execute(() -> ran.add("first"));
        serial.execute(() -> ran.add("second"));
        stepped.runAll();
        assertThat(ran).containsExactly("first", "second");
    }

    @Test
    void aStepWhoseTaskWasCancelledRunsNone() {
        CompletableFuture<Boolean> cancelled = striped.submit("alice", () -> ran.add("never"));
        cancelled.cancel(false);
        stepped.runAll();
        assertThat(ran).isEmpty();
    }

    @Test
    void everyStepHasANewThreadThatKnowsNothingOfTheTest() {
        InheritableThreadLocal<String> transaction = new InheritableThreadLocal<>();
        transaction.set("of the test");
        List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 3; i++) {
            striped.execute("alice", () -> {
                threads.add(Thread.currentThread());
                ran.add(transaction.get());
                transaction.set("of a task");
            });
        }
        stepped.runAll();
        assertThat(ran).hasSize(3).containsOnlyNulls();
        assertThat(threads).doesNotHaveDuplicates().doesNotContain(Thread.currentThread());
        assertThat(threads).allMatch(thread -> !thread.isAlive());
    }

    /** That of an application's classes, which in a test may not be the one that started the process. */
    @Test
    void everyStepHasTheClassLoaderOfTheTest() throws Exception {
        Thread test = Thread.currentThread();
        ClassLoader before = test.getContextClassLoader();
        List<ClassLoader> seen = Collections.synchronizedList(new ArrayList<>());
        striped.execute("alice", () -> seen.add(Thread.currentThread().getContextClassLoader()));
        try (URLClassLoader ofTest = new URLClassLoader(new URL[0], before)) {
            test.setContextClassLoader(ofTest);
            stepped.runAll();
            assertThat(seen).containsExactly(ofTest);
        } finally {
            test.setContextClassLoader(before);
        }
    }

    @Test
    void onTheCallingThreadATaskSeesWhatTheTestHasBoundToIt() {
        SteppedExecutor onCallingThread = SteppedExecutor.onCallingThread();
        ThreadLocal<String> transaction = new ThreadLocal<>();
        transaction.set("of the test");
        StripedExecutor executor =
                onCallingThread.configure(StripedExecutor.builder()).build();
        executor.execute("alice", () -> ran.add(transaction.get()));
        executor.execute("alice", () -> ran.add(transaction.get()));
        assertThat(onCallingThread.runNext()).isTrue();
        assertThat(ran).containsExactly("of the test");
        assertThat(onCallingThread.runAll()).isEqualTo(1);
        assertThat(ran).containsExactly("of the test", "of the test");
    }

    @Test
    void whatATaskSubmitsIsALaterStep() {
        striped.execute("alice", () -> {
            striped.execute("bob", () -> ran.add("inner"));
            ran.add("outer");
        });
        assertThat(stepped.runNext()).isTrue();
        assertThat(ran).containsExactly("outer");
        stepped.runAll();
        assertThat(ran).containsExactly("outer", "inner");
    }

    @Test
    void releasedItRunsEachTaskWhenItIsSubmitted() {
        striped.execute("alice", () -> ran.add("held"));
        stepped.release();
        assertThat(ran).containsExactly("held");
        CompletableFuture<String> future =
                striped.submit("alice", () -> Thread.currentThread().getName());
        assertThat(future).isCompletedWithValueMatching(name -> name.startsWith("step-"));
        stepped.hold();
        striped.execute("alice", () -> ran.add("held again"));
        assertThat(ran).containsExactly("held");
        stepped.runAll();
        assertThat(ran).containsExactly("held", "held again");
    }

    /** One of them may run what another one has submitted: then that one must not go on before its task has run. */
    @Test
    void releasedItRunsTheTaskOfEachOfManyThreadsBeforeTheyGoOn() throws Exception {
        SteppedExecutor here = SteppedExecutor.onCallingThread();
        StripedExecutor executor = here.configure(StripedExecutor.builder()).build();
        here.release();
        List<FutureTask<Long>> callers = IntStream.range(0, 4)
                .mapToObj(caller -> new FutureTask<>(() -> IntStream.range(0, 5000)
                        .mapToObj(i -> executor.submit("key " + caller, () -> i))
                        .filter(CompletableFuture::isDone)
                        .count()))
                .toList();
        callers.forEach(caller -> new Thread(caller).start());
        for (FutureTask<Long> caller : callers) {
            assertThat(caller.get(30, TimeUnit.SECONDS)).isEqualTo(5000);
        }
    }

    @Test
    void aTaskThatAlwaysSubmitsItselfAgainFails() {
        SteppedExecutor here = SteppedExecutor.onCallingThread();
        StripedExecutor executor = here.configure(StripedExecutor.builder()).build();
        executor.execute("alice", new Runnable() {
            @Override
            public void run() {
                executor.execute("alice", this);
            }
        });
        assertThatThrownBy(here::runAll)
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("100,000 steps", "submits itself again", "runNext()");
    }

    /** Each step would wait for the next one otherwise, on a thread of its own. */
    @Test
    void releasedStepsDoNotNest() {
        stepped.release();
        submitWithSuccessors(0, Collections.synchronizedList(new ArrayList<>()));
        assertThat(ran)
                .isEqualTo(IntStream.range(0, 100)
                        .mapToObj(number -> number + " with 0 others")
                        .toList());
    }

    private void submitWithSuccessors(int number, List<Thread> threads) {
        striped.execute(number % 2 == 0 ? "alice" : "bob", () -> {
            long others = threads.stream().filter(Thread::isAlive).count();
            threads.add(Thread.currentThread());
            if (number < 99) {
                submitWithSuccessors(number + 1, threads);
            }
            ran.add(number + " with " + others + " others");
        });
    }

    @Test
    void aTaskThatWaitsForALaterStepFailsTheTestWithItsStack() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        stepped.setStepLimit(Duration.ofMinutes(1));
        stepped.setStepLimit(Duration.ofSeconds(2));
        CompletableFuture<String> later = new CompletableFuture<>();
        striped.execute("alice", () -> waitFor(later, interrupted));
        long start = System.nanoTime();
        Throwable failure = catchThrowable(stepped::runNext);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .as("well below the limit that was given before")
                .isLessThan(Duration.ofSeconds(30));
        assertThat(failure).isInstanceOf(AssertionError.class).hasMessageContaining("A step has not ended after PT2S");
        assertThat(failure.getCause().getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("waitFor"));
        assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private static void waitFor(CompletableFuture<String> later, CountDownLatch interrupted) {
        try {
            later.get();
        } catch (InterruptedException e) {
            interrupted.countDown();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anInterruptOfTheTestEndsTheWaitForAStep() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        Thread test = Thread.currentThread();
        striped.execute("alice", () -> {
            test.interrupt();
            waitFor(new CompletableFuture<>(), interrupted);
        });
        assertThatThrownBy(stepped::runNext).isInstanceOf(AssertionError.class).hasMessageContaining("Interrupted");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void whatAStepThrowsIsThrownToTheTest() {
        IllegalStateException failure = new IllegalStateException("of the step");
        stepped.execute(() -> {
            throw failure;
        });
        stepped.execute(() -> ran.add("next"));
        assertThatThrownBy(stepped::runNext).isSameAs(failure);
        AssertionError error = new AssertionError("of the step");
        stepped.execute(() -> {
            throw error;
        });
        assertThat(stepped.runNext()).isTrue();
        assertThat(ran).containsExactly("next");
        assertThatThrownBy(stepped::runNext).isSameAs(error);
    }

    @Test
    void theLimitOfAStepHasToBePositive() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> stepped.setStepLimit(Duration.ZERO))
                .withMessage("limit is PT0S, but must be more than zero");
    }

    @Test
    void itSaysWhatItHolds() {
        striped.execute("alice", () -> {});
        assertThat(stepped).hasToString("SteppedExecutor[1 pending, holding]");
        stepped.release();
        assertThat(stepped).hasToString("SteppedExecutor[0 pending, released]");
    }
}
