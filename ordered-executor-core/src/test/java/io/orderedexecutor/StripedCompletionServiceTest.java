package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.Striped;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** An {@link ExecutorCompletionService} over {@code asExecutorService()} keeps the order of what is submitted to it. */
class StripedCompletionServiceTest {
    private final OrderRecorder recorder = new OrderRecorder();
    private final OrderRecorder.Source source = recorder.lane("a").source();
    private final StripedExecutor striped = StripedExecutor.builder().threads(3).build();
    private final CompletionService<Integer> service = new ExecutorCompletionService<>(striped.asExecutorService());

    @AfterEach
    void close() {
        striped.shutdownNow();
        Patience.awaitTermination(striped);
    }

    /** Lets a task of the stripe hold it until the latch is open. */
    private CountDownLatch block(String stripe) {
        CountDownLatch release = new CountDownLatch(1);
        striped.execute(stripe, () -> Patience.await(release));
        return release;
    }

    @Test
    @DisplayName("striped callables and runnables of a completion service run in order, and come out in order")
    void order() throws Exception {
        CountDownLatch release = block("a");
        List<Future<Integer>> futures = new ArrayList<>();
        int tasks = 1000;
        for (int i = 0; i < tasks; i++) {
            OrderRecorder.Step step = source.next();
            if (i % 2 == 0) {
                futures.add(service.submit(Striped.call("a", Executors.callable(step, i))));
            } else {
                futures.add(service.submit(Striped.task("a", step), i));
            }
        }
        release.countDown();
        for (int i = 0; i < tasks; i++) {
            Future<Integer> done = service.poll(Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(done).isSameAs(futures.get(i));
            assertThat(done.get()).isEqualTo(i);
        }
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("the order of a completion service is the same before and after a pause of two seconds")
    void orderAcrossAPause() throws Exception {
        int tasks = 10;
        for (int i = 0; i < 2 * tasks; i++) {
            if (i == tasks) {
                // the workers have long been idle then
                assertThat(new CountDownLatch(1).await(2, TimeUnit.SECONDS)).isFalse();
            }
            service.submit(Striped.call("a", Executors.callable(source.next(), i)));
        }
        for (int i = 0; i < 2 * tasks; i++) {
            assertThat(service.poll(Patience.SECONDS, TimeUnit.SECONDS).get()).isEqualTo(i);
        }
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    void plainTasksOfACompletionServiceRunBesideEachOther() throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        Callable<Integer> plain = () -> together.await(Patience.SECONDS, TimeUnit.SECONDS);
        service.submit(plain);
        service.submit(plain);
        service.submit(Striped.call(null, () -> 7));
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += Patience.get(service.poll(Patience.SECONDS, TimeUnit.SECONDS));
        }
        assertThat(sum).isEqualTo(7 + 1);
    }

    @Test
    @DisplayName("after a refused task of a completion service, other tasks of the same thread are still unordered")
    void aRefusalDoesNotStripeWhatComesNext() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor refused = StripedExecutor.builder().executor(stepped).build();
        CompletionService<Integer> service = new ExecutorCompletionService<>(refused.asExecutorService());
        stepped.refuse(true);
        assertThatThrownBy(() -> service.submit(Striped.call("a", () -> 1)))
                .isInstanceOf(RejectedExecutionException.class);
        stepped.refuse(false);
        refused.control().pause("a");
        service.submit(() -> 2);
        refused.asExecutorService().execute(() -> {});
        refused.asExecutorService().submit(() -> 3);
        stepped.runAll();
        assertThat(refused.inspect().stats().completed()).isEqualTo(3);
        refused.control().resume("a");
        Patience.terminate(refused);
    }

    @Test
    @DisplayName("a future that was made and never executed does not stripe what its thread executes next")
    void aFutureThatIsNeverExecuted() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor other = StripedExecutor.builder().executor(stepped).build();
        other.control().pause("a");
        RunnableFuture<Integer> lost = newTaskFor(other, Striped.call("a", () -> 1));
        new ExecutorCompletionService<Integer>(other.asExecutorService()).submit(() -> 2);
        stepped.runAll();
        assertThat(other.inspect().stats().completed()).isEqualTo(1);
        newTaskFor(other, Striped.call("a", () -> 1));
        other.asExecutorService().execute(() -> {});
        stepped.runAll();
        assertThat(other.inspect().stats().completed()).isEqualTo(2);
        // a wrapper of the application's own says nothing of a stripe, whatever its thread has made before
        newTaskFor(other, Striped.call("a", () -> 1));
        other.asExecutorService().execute(new FutureTask<>(() -> 3));
        stepped.runAll();
        assertThat(other.inspect().stats().completed()).isEqualTo(3);
        assertThat(lost.isDone()).isFalse();
        other.control().resume("a");
        Patience.terminate(other);
    }

    @Test
    @DisplayName("Ordered tasks of a completion service over a grouped executor keep their order, too")
    void grouped() {
        SteppedGroups groups = new SteppedGroups();
        CompletionService<String> service = new ExecutorCompletionService<>(groups.executor.asExecutorService());
        List<String> whileTheFirstRuns = new ArrayList<>();
        SteppedGroups.Named first = groups.new Named("first", () -> {
            Thread other = SameKind.thread(groups.steps::runAll);
            other.start();
            Patience.join(other);
            whileTheFirstRuns.addAll(groups.took());
            return "first";
        });
        service.submit(first, "one");
        service.submit(groups.named("second"), "two");
        service.submit(new Both("both", groups));
        assertThat(groups.run()).containsExactly("second", "both");
        assertThat(whileTheFirstRuns).containsExactly("first");
        groups.assertAllEnded(3, 0, 0);
    }

    /** An ordered task that is a callable, and runs as such. */
    private record Both(String name, SteppedGroups groups) implements OrderedTask, Callable<String> {
        @Override
        public boolean isCompatible(OrderedTask that) {
            return false;
        }

        @Override
        public void run() {
            throw new AssertionError("it was submitted as a callable");
        }

        @Override
        public String call() throws Exception {
            return groups.named(name).call();
        }
    }

    /** What a completion service calls before it executes. */
    private static RunnableFuture<Integer> newTaskFor(StripedExecutor executor, Callable<Integer> task) {
        return ((ExecutorServiceView) executor.asExecutorService()).newTaskFor(task);
    }
}
