package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.fixtures.Written;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** R7 for ordered outputs: what is written or cancelled is unreachable at once, and an open output is a few objects. */
class OrderedOutputMemoryTest {
    private final List<WeakReference<?>> results = new ArrayList<>();

    private Object newResult() {
        Object result = new Reachability.Payload();
        results.add(new WeakReference<>(result));
        return result;
    }

    /** An output that remembers nothing. */
    private static OrderedOutput<Object> forgetful(SteppedExecutor steps) {
        return OrderedOutputExecutor.builder().executor(steps).build().open(result -> {});
    }

    @Test
    @DisplayName("an output that is never empty keeps nothing of what it has written")
    void whatIsWrittenIsUnreachable() {
        SteppedExecutor steps = new SteppedExecutor();
        OrderedOutput<Object> output = forgetful(steps);
        CompletableFuture<Object> head = new CompletableFuture<>();
        output.submitAsync(() -> head);
        for (int i = 0; i < 100; i++) {
            output.submit(this::newResult);
        }
        steps.runAll();
        assertThat(results).hasSize(100).noneMatch(result -> result.get() == null);
        CompletableFuture<Object> next = new CompletableFuture<>();
        CompletableFuture<Object> last = output.submitAsync(() -> next);
        steps.runAll();
        head.complete("head");
        steps.runAll();
        Reachability.assertCleared(results);
        assertThat(last).isNotDone();
        next.complete("last");
        steps.runAll();
        assertThat(last).isCompleted();
    }

    @Test
    void aResultThatIsCancelledIsUnreachableAlthoughItsFutureIsKept() {
        SteppedExecutor steps = new SteppedExecutor();
        OrderedOutput<Object> output = forgetful(steps);
        CompletableFuture<Object> head = new CompletableFuture<>();
        CompletableFuture<Object> first = output.submitAsync(() -> head);
        List<CompletableFuture<Object>> kept = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            kept.add(output.submit(this::newResult));
        }
        steps.runAll();
        assertThat(results).hasSize(10);
        kept.forEach(future -> future.cancel(true));
        Reachability.assertCleared(results);
        head.complete("head");
        steps.runAll();
        assertThat(first).isCompleted();
        assertThat(kept).allMatch(CompletableFuture::isCancelled);
    }

    @Test
    void aResultThatCannotBeWrittenIsUnreachableAlthoughItsFutureIsKept() {
        SteppedExecutor steps = new SteppedExecutor();
        OrderedOutput<Object> output = OrderedOutputExecutor.builder()
                .executor(steps)
                .build()
                .open(result -> {
                    throw new ThrownOnPurpose();
                });
        CompletableFuture<Object> kept = output.submit(this::newResult);
        steps.runAll();
        assertThat(results).hasSize(1);
        Reachability.assertCleared(results);
        assertThat(kept).isCompletedExceptionally();
    }

    @ParameterizedTest(name = "concurrency limited: {0}")
    @ValueSource(booleans = {false, true})
    void workThatIsCancelledIsUnreachableAlthoughThoseBeforeItAreNotWritten(boolean limited) {
        SteppedExecutor steps = new SteppedExecutor();
        OrderedOutputBuilder<Object> settings =
                OrderedOutputExecutor.builder().executor(steps).build().outputTo(result -> {});
        OrderedOutput<Object> output = (limited ? settings.concurrency(1) : settings).open();
        CompletableFuture<Object> head = new CompletableFuture<>();
        CompletableFuture<Object> first = output.submitAsync(() -> head);
        List<WeakReference<Object>> work = new ArrayList<>();
        List<CompletableFuture<Object>> kept = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            work.add(Reachability.submitHolding(task -> kept.add(output.submit(() -> {
                task.run();
                return "never";
            }))));
        }
        kept.forEach(future -> future.cancel(false));
        Reachability.assertCleared(work);
        steps.runAll();
        head.complete("head");
        steps.runAll();
        assertThat(first).isCompleted();
        assertThat(kept).allMatch(CompletableFuture::isCancelled);
    }

    @Test
    @DisplayName("10,000 open outputs have no thread, and need less than a kilobyte each")
    void anOpenOutputIsAFewObjects() {
        int count = 10_000;
        AtomicInteger written = new AtomicInteger();
        try (OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().name("ten-thousand").threads(2).build()) {
            long before = used();
            List<OrderedOutput<Integer>> outputs = IntStream.range(0, count)
                    .mapToObj(i -> executor.outputTo((Integer result) -> written.incrementAndGet())
                            .concurrency(2)
                            .open())
                    .toList();
            long each = (used() - before) / count;
            assertThat(each).as("bytes of an open output").isLessThan(1000);
            assertThat(threadsNamed("ten-thousand")).isZero();
            outputs.forEach(output -> output.submit(() -> 1));
            outputs.forEach(OrderedOutput::close);
            assertThat(threadsNamed("ten-thousand")).isLessThanOrEqualTo(2);
        }
        assertThat(written).hasValue(count);
    }

    private static long threadsNamed(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .count();
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    @Test
    @DisplayName("A submission that waits for room finds out that it is in no task without a look at each piece")
    void aBlockedSubmissionCopiesNoPieces() {
        int window = 65_536;
        int attempts = 10;
        OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                .threads(1)
                .window(window)
                .overflow(Overflow.block(Duration.ofNanos(1)))
                .build();
        CountDownLatch gate = new CountDownLatch(1);
        Written<Integer> written = new Written<>();
        try (OrderedOutput<Integer> output = executor.open(written)) {
            for (int i = 0; i < window; i++) {
                int number = i;
                var unused = output.submit(() -> {
                    Patience.await(gate);
                    return number;
                });
            }
            var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            for (int i = 0; i < attempts; i++) {
                assertThatThrownBy(() -> output.submit(() -> -1)).isInstanceOf(RejectedExecutionException.class);
            }
            long allocated =
                    threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
            gate.countDown();
            assertThat(allocated / attempts).as("bytes for each submission").isLessThan(2L * window);
        } finally {
            gate.countDown();
        }
        Written.assertCounted(written, window);
        Patience.terminate(executor);
    }
}
