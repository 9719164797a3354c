package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.Reachability.Payload;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was cancelled is not kept by the queue that it waits in, and by what is left of it keeps no others: R7. */
class QueuesForgetTest {
    private static final int TASKS = 5_000;

    /** Each so many tasks are not cancelled. */
    private static final int LIVE_EACH = 100;

    private final List<WeakReference<Object>> gone = new ArrayList<>();
    private final Queue<Integer> ran = new ConcurrentLinkedQueue<>();

    /** Submits tasks of which most are cancelled at once; the others are numbered by their place among all. */
    private void submitAndCancelMost(IntFunction<CompletableFuture<?>> submission) {
        for (int i = 0; i < TASKS; i++) {
            CompletableFuture<?> future = submission.apply(i);
            if (i % LIVE_EACH != 0) {
                gone.add(new WeakReference<>(Objects.requireNonNull(((TaskFuture<?>) future).place())));
                assertThat(future.cancel(true)).isTrue();
            }
        }
    }

    private static List<Integer> live() {
        return IntStream.range(0, TASKS / LIVE_EACH)
                .mapToObj(i -> i * LIVE_EACH)
                .toList();
    }

    /** A queue is swept when most of it is over; so some are kept. */
    private void assertFewAreKept() {
        int most = 2 * (TASKS / LIVE_EACH + 64);
        for (int round = 0; round < 20 && kept() > most; round++) {
            System.gc();
        }
        assertThat(kept())
                .as("cancelled tasks of %d that are kept", gone.size())
                .isLessThanOrEqualTo(most);
    }

    private long kept() {
        return gone.stream().filter(place -> place.get() != null).count();
    }

    @Test
    @DisplayName("pieces that are cancelled while they wait for a slot are not kept until there is one")
    void piecesThatWaitForASlot() {
        SteppedExecutor steps = new SteppedExecutor();
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(steps).build();
        OrderedOutput<Integer> output =
                executor.outputTo(ran::add).window(100).concurrency(1).open();
        CompletableFuture<Integer> first = output.submit(() -> -1);
        submitAndCancelMost(i -> output.submit(() -> i));
        assertFewAreKept();
        steps.runAll();
        assertThat(first).isCompletedWithValue(-1);
        List<Integer> expected = new ArrayList<>(List.of(-1));
        expected.addAll(live());
        assertThat(ran).containsExactlyElementsOf(expected);
        Patience.terminate(executor);
    }

    @ParameterizedTest(name = "{0} threads")
    @ValueSource(ints = {1, 2})
    @DisplayName("tasks that are cancelled while all threads are busy are not kept beyond the capacity")
    void tasksThatWaitForAThread(int threads) {
        StripedExecutor executor =
                StripedExecutor.builder().threads(threads).capacity(100).build();
        CountDownLatch running = new CountDownLatch(threads);
        CountDownLatch release = new CountDownLatch(1);
        for (int i = 0; i < threads; i++) {
            executor.execute("busy-" + i, () -> {
                running.countDown();
                Patience.await(release);
            });
        }
        Patience.await(running);
        submitAndCancelMost(i -> executor.submit(i, () -> ran.add(i)));
        assertFewAreKept();
        release.countDown();
        Patience.terminate(executor);
        assertThat(ran).containsExactlyInAnyOrderElementsOf(live());
        if (threads == 1) {
            assertThat(ran).containsExactlyElementsOf(live());
        }
    }

    @Test
    @DisplayName("tasks that a pool refuses and that are cancelled are not kept by the helper")
    void tasksOfTheHelper() {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(task -> {
                    throw new RejectedExecutionException("refused by the test");
                })
                .build();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        submitPaused(executor, "busy", -1, () -> {
            running.countDown();
            Patience.await(release);
        });
        Patience.await(running);
        submitAndCancelMost(i -> submitPaused(executor, i, i, () -> ran.add(i)));
        assertFewAreKept();
        release.countDown();
        Patience.terminate(executor);
        assertThat(ran).containsExactlyInAnyOrderElementsOf(live());
    }

    /** The pool refuses it, and not its submission. */
    private static CompletableFuture<Integer> submitPaused(
            StripedExecutor executor, Object key, int result, Runnable task) {
        executor.control().pause(key);
        CompletableFuture<Integer> future = executor.submit(key, () -> {
            task.run();
            return result;
        });
        executor.control().resume(key);
        return future;
    }

    private Payload newPayload() {
        Payload payload = new Payload();
        gone.add(new WeakReference<>(payload));
        return payload;
    }

    private void executePayload(StripedSubmitter submitter) {
        Payload payload = newPayload();
        submitter.execute("key", () -> ran.add(payload.size()));
    }

    @Test
    @DisplayName("a pool that was handed in, and has not come for a task that was dropped, does not keep it")
    void droppedTasksOfAPoolThatWasHandedIn() {
        SteppedExecutor steps = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(steps)
                .keyCapacity(1)
                .overflow(Overflow.discardOldest())
                .build();
        for (int i = 0; i < 10; i++) {
            executePayload(executor);
        }
        // the newest
        gone.remove(gone.size() - 1);
        assertThat(steps.waiting()).isEqualTo(10);
        Reachability.assertCleared(gone);
        steps.runAll();
        assertThat(ran).hasSize(1);
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("a reservation that was used or given back, and is kept, keeps no other keys")
    void reservations() {
        SteppedExecutor steps = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder().executor(steps).build();
        List<Reservation> kept = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            int number = i;
            executor.execute(newPayload(), () -> ran.add(number));
            kept.add(executor.reserve(i));
        }
        for (int i = 0; i < kept.size(); i++) {
            if (i % 2 == 0) {
                kept.get(i).close();
            } else {
                int number = i;
                kept.get(i).execute(() -> ran.add(-number));
            }
        }
        steps.runAll();
        Reachability.assertCleared(gone);
        assertThat(kept).noneMatch(Reservation::isOpen);
        assertThat(ran).hasSize(3_000).doesNotHaveDuplicates();
        Patience.terminate(executor);
    }
}
