package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.Striped;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code asExecutorService()}: what code that was written for a classic striped executor service relies on. */
class StripedExecutorServiceTest {
    private final OrderRecorder recorder = new OrderRecorder();
    private final OrderRecorder.Source source = recorder.lane("a").source();
    private final StripedExecutor striped =
            StripedExecutor.builder().name("orders").threads(3).build();
    private final ExecutorService service = striped.asExecutorService();

    @AfterEach
    void close() {
        striped.shutdownNow();
        Patience.awaitTermination(striped);
    }

    @Test
    @DisplayName("striped runnables and callables, through every method, are in one order")
    void everyMethodKeepsTheOrder() throws Exception {
        List<Future<?>> futures = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            OrderRecorder.Step step = source.next();
            switch (i % 4) {
                case 0 -> service.execute(Striped.task("a", step));
                case 1 -> futures.add(service.submit(Striped.task("a", step)));
                case 2 -> futures.add(service.submit(Striped.task("a", step), "result"));
                default -> futures.add(service.submit(Striped.call("a", Executors.callable(step))));
            }
        }
        List<StripedCallable<Object>> more = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            more.add(Striped.call("a", Executors.callable(source.next(), i)));
        }
        List<Future<Object>> all = service.invokeAll(more);
        for (int i = 0; i < 100; i++) {
            assertThat(all.get(i).isDone()).isTrue();
            assertThat(all.get(i).get()).isEqualTo(i);
        }
        assertThat(futures).allMatch(Future::isDone);
        assertThat(futures.get(1).get()).isEqualTo("result");
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("Plain tasks, and striped ones with a null stripe, run beside each other")
    void tasksWithoutAStripeAreUnordered() throws Exception {
        CyclicBarrier together = new CyclicBarrier(3);
        Callable<Integer> plain = () -> together.await(Patience.SECONDS, TimeUnit.SECONDS);
        Future<Integer> one = service.submit(plain);
        Future<Integer> two = service.submit(Striped.call(null, plain));
        service.execute(Striped.task(null, () -> Patience.meet(together)));
        assertThat(List.of(Patience.get(one), Patience.get(two))).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("after a refused submission of a striped task, plain tasks of the same thread are still unordered")
    void aRefusalDoesNotStripeTheNextPlainTask() {
        StripedExecutor shutDown = StripedExecutor.builder().threads(1).build();
        shutDown.shutdown();
        assertThatThrownBy(() -> shutDown.asExecutorService().submit(Striped.task("a", () -> {})))
                .isInstanceOf(RejectedExecutionException.class);
        SteppedExecutor refusing = new SteppedExecutor();
        refusing.refuse(true);
        StripedExecutor refused = StripedExecutor.builder().executor(refusing).build();
        assertThatThrownBy(() -> refused.asExecutorService().submit(Striped.task("a", () -> {})))
                .isInstanceOf(RejectedExecutionException.class);
        CountDownLatch release = new CountDownLatch(1);
        service.execute(Striped.task("a", source.next(() -> Patience.await(release))));
        CyclicBarrier together = new CyclicBarrier(2);
        Future<?> one = service.submit(() -> Patience.meet(together));
        Future<?> two = service.submit(() -> Patience.meet(together));
        Patience.get(one);
        Patience.get(two);
        release.countDown();
        Patience.terminate(striped);
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("getStripe is called once, on the submitting thread; what it throws reaches the submitter, "
            + "nothing stays")
    void getStripeThrows() {
        AtomicInteger calls = new AtomicInteger();
        List<Thread> callers = new ArrayList<>();
        StripedRunnable hostile = new StripedRunnable() {
            @Override
            public Object getStripe() {
                calls.incrementAndGet();
                callers.add(Thread.currentThread());
                throw new IllegalStateException("getStripe");
            }

            @Override
            public void run() {
                throw new AssertionError("must not run");
            }
        };
        assertThatThrownBy(() -> service.execute(hostile)).hasMessage("getStripe");
        assertThatThrownBy(() -> service.submit(hostile)).hasMessage("getStripe");
        assertThat(calls).hasValue(2);
        assertThat(callers).containsOnly(Thread.currentThread());
        assertThat(striped.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void getStripeIsCalledOncePerSubmission() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        class Counting implements StripedCallable<Integer>, StripedRunnable {
            @Override
            public Object getStripe() {
                calls.incrementAndGet();
                return "a";
            }

            @Override
            public Integer call() {
                return 1;
            }

            @Override
            public void run() {}
        }
        service.execute(new Counting());
        service.submit((Runnable) new Counting());
        service.submit((Callable<Integer>) new Counting());
        service.invokeAll(List.of(new Counting(), new Counting()));
        service.invokeAny(List.of(new Counting()));
        assertThat(calls).hasValue(6);
        Patience.terminate(striped);
        assertThat(striped.inspect().stats().completed()).isEqualTo(6);
    }

    @Test
    void nullsAreRefused() {
        assertThatThrownBy(() -> service.execute(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> service.submit((Runnable) null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> service.submit((Callable<?>) null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> service.invokeAll(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> service.invokeAny(null)).isInstanceOf(NullPointerException.class);
        assertThat(striped.inspect().stats().keys()).isZero();
    }

    // invokeAll

    @Test
    void invokeAllReportsFailuresInTheirFutures() throws Exception {
        List<Future<Integer>> futures = service.invokeAll(List.<Callable<Integer>>of(
                Striped.call("a", () -> 1),
                Striped.call("a", () -> {
                    throw new IllegalStateException("thrown by the test");
                }),
                () -> 3));
        assertThat(futures.get(0).get()).isEqualTo(1);
        assertThatThrownBy(futures.get(1)::get).isInstanceOf(ExecutionException.class);
        assertThat(futures.get(2).get()).isEqualTo(3);
        assertThat(service.invokeAll(List.<Callable<Integer>>of())).isEmpty();
    }

    @Test
    void invokeAllWithATimeoutCancelsWhatIsNotDone() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        service.execute(Striped.task("a", () -> {
            running.countDown();
            Patience.await(release); // nothing of the rest can start before all of it is cancelled
        }));
        Patience.await(running);
        // one by one: once the time is over, the JDK submits nothing more, and the second might not come here
        List<Future<Integer>> futures = new ArrayList<>();
        for (StripedCallable<Integer> task : List.of(
                Striped.call("a", ran::incrementAndGet),
                // until it is interrupted
                Striped.call("b", () -> new CountDownLatch(1).await(1, TimeUnit.DAYS) ? 1 : 0))) {
            futures.addAll(service.invokeAll(List.of(task), 20, TimeUnit.MILLISECONDS));
        }
        assertThat(futures).allMatch(Future::isCancelled);
        release.countDown();
        Patience.terminate(striped);
        assertThat(ran).hasValue(0);
        assertThat(striped.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 2, 0));
    }

    // invokeAny

    @Test
    void invokeAnyReturnsASuccessAndCancelsTheOthers() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        Callable<String> fails = () -> {
            throw new IllegalStateException("thrown by the test");
        };
        String result = service.invokeAny(List.of(
                Striped.call("a", fails),
                Striped.call("b", () -> {
                    Patience.await(waiting);
                    // the one that fails has ended when this one runs
                    return Patience.get(striped.submit("a", () -> "success"));
                }),
                Striped.call("c", () -> {
                    waiting.countDown();
                    try {
                        return "never " + new CountDownLatch(1).await(1, TimeUnit.DAYS);
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                        throw e;
                    }
                })));
        assertThat(result).isEqualTo("success");
        Patience.await(interrupted);
        Patience.terminate(striped);
        assertThat(striped.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 1, 1, 0));
    }

    @Test
    @DisplayName("invokeAny keeps the stripes of its tasks")
    void invokeAnyKeepsStripes() throws Exception {
        OrderRecorder.Step first = source.next();
        OrderRecorder.Step second = source.next();
        Callable<String> firstFails = () -> {
            first.run();
            throw new IllegalStateException("thrown by the test");
        };
        assertThat(service.invokeAny(
                        List.of(Striped.call("a", firstFails), Striped.call("a", Executors.callable(second, "second"))),
                        Patience.SECONDS,
                        TimeUnit.SECONDS))
                .isEqualTo("second");
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("invokeAny with a negative time does not wait, however negative it is")
    void invokeAnyWithoutTime() {
        CountDownLatch release = new CountDownLatch(1);
        List<StripedCallable<String>> waiting = List.of(Striped.call("a", () -> {
            Patience.await(release);
            return "ran";
        }));
        assertThatThrownBy(() -> service.invokeAny(waiting, Long.MIN_VALUE, TimeUnit.SECONDS))
                .isInstanceOf(TimeoutException.class);
        release.countDown();
    }

    @Test
    void invokeAnyFailsIfAllFail() {
        Callable<String> fails = () -> {
            throw new IllegalStateException("thrown by the test");
        };
        assertThatThrownBy(() -> service.invokeAny(List.of(fails, fails)))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("thrown by the test");
        assertThatThrownBy(() -> service.invokeAny(List.<Callable<String>>of()))
                .isInstanceOf(IllegalArgumentException.class);
        Collection<Callable<String>> withNull = Arrays.asList(fails, null);
        assertThatThrownBy(() -> service.invokeAny(withNull)).isInstanceOf(NullPointerException.class);
    }

    @Test
    @DisplayName("invokeAny inside a task throws if each of its tasks would wait for that task, also after a failure")
    void invokeAnyInsideItsStripe() {
        Callable<String> fails = () -> {
            throw new IllegalStateException("thrown by the test");
        };
        StripedCallable<String> ofOwn = Striped.call("a", () -> "never");
        AtomicInteger caught = new AtomicInteger();
        striped.submit("a", () -> {
                    for (List<StripedCallable<String>> tasks :
                            List.of(List.of(ofOwn), List.of(ofOwn, Striped.call("b", fails), ofOwn))) {
                        assertThatThrownBy(() -> service.invokeAny(tasks))
                                .isInstanceOf(SelfWaitException.class)
                                .hasMessageContaining("this thread would wait for itself");
                        assertThatThrownBy(() -> service.invokeAny(tasks, 1, TimeUnit.DAYS))
                                .isInstanceOf(SelfWaitException.class);
                        caught.incrementAndGet();
                    }
                    assertThat(service.invokeAny(List.of(ofOwn, Striped.call("b", () -> "of another"))))
                            .isEqualTo("of another");
                    return caught.incrementAndGet();
                })
                .orTimeout(Patience.SECONDS, TimeUnit.SECONDS)
                .join();
        assertThat(caught).hasValue(3);
        Patience.terminate(striped);
        // each that would have waited for its own stripe, and did not run
        assertThat(striped.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 2, 7, 0));
    }

    @Test
    void invokeAnyTimesOutAndInterrupts() {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        assertThatThrownBy(() -> service.invokeAny(
                        List.of(() -> {
                            try {
                                return never.getCount() + (never.await(1, TimeUnit.DAYS) ? 1 : 0);
                            } catch (InterruptedException e) {
                                interrupted.countDown();
                                throw e;
                            }
                        }),
                        20,
                        TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
        Patience.terminate(striped);
        // it may also have been cancelled before it started
        assertThat(striped.inspect().stats().cancelled()).isEqualTo(1);
    }

    @Test
    void invokeAnyAndInvokeAllEndWhenTheExecutorIsStopped() throws Exception {
        CountDownLatch running = new CountDownLatch(2);
        Callable<String> waiting = () -> {
            running.countDown();
            new CountDownLatch(1).await();
            return "never";
        };
        try (StripedExecutor callers = StripedExecutor.builder().threads(2).build()) {
            var any = callers.submit(
                    "any",
                    () -> service.invokeAny(List.of(Striped.call("a", waiting), Striped.call("a", () -> "queued"))));
            var all = callers.submit(
                    "all",
                    () -> service.invokeAll(List.of(Striped.call("b", waiting), Striped.call("b", () -> "queued"))));
            Patience.await(running);
            // the tasks behind those that run may come too late and be refused, which ends the call as well
            assertThat(service.shutdownNow()).hasSizeLessThanOrEqualTo(2);
            assertThatThrownBy(() -> any.get(Patience.SECONDS, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class);
            assertThat(all.handle((futures, failure) -> failure == null
                                    ? futures.stream().allMatch(Future::isDone)
                                    : failure instanceof RejectedExecutionException)
                            .get(Patience.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    // Lifecycle

    @Test
    @DisplayName("shutdownNow returns the striped tasks themselves, and their futures are cancelled")
    void shutdownNowReturnsWhatWasSubmitted() {
        CountDownLatch running = new CountDownLatch(1);
        service.execute(Striped.task("a", () -> {
            running.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // as shutdownNow wants it
            }
        }));
        Patience.await(running);
        StripedRunnable executed = Striped.task("a", () -> {});
        StripedRunnable submitted = Striped.task("a", () -> {});
        service.execute(executed);
        Future<?> future = service.submit(submitted);
        Future<Integer> callable = service.submit(Striped.call("a", () -> 1));
        assertThat(service.shutdownNow()).containsExactly(executed, submitted, (Runnable) callable);
        assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
        assertThatThrownBy(callable::get).isInstanceOf(CancellationException.class);
        Patience.awaitTermination(striped);
        assertThat(service.isTerminated()).isTrue();
    }

    @Test
    void viewAndExecutorShareTheirLifecycle() throws Exception {
        assertThat(striped.asExecutorService()).isSameAs(service);
        assertThat(service.isShutdown()).isFalse();
        service.shutdown();
        assertThat(striped.isShutdown()).isTrue();
        assertThat(striped.isTerminated()).isTrue();
        assertThat(service.isTerminated()).isTrue();
        assertThat(service.awaitTermination(0, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> service.submit(() -> 1))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("'orders'");
        assertThatThrownBy(() -> striped.execute("a", () -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    @DisplayName("close of the view, which JDK 17 does not know, from inside a task too")
    void closeOfTheView() throws Exception {
        var close = service.getClass().getMethod("close");
        close.setAccessible(true);
        service.submit(Striped.call("a", () -> close.invoke(service)));
        Patience.awaitTermination(striped);
        close.invoke(service);
        assertThat(striped.isTerminated()).isTrue();
    }
}
