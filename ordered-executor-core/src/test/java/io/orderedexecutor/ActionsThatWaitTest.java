package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * R1: a task leaves its place when its future is complete and the dependent actions have returned, or wait for what
 * comes after the task.
 */
class ActionsThatWaitTest {
    private static final String KEY = "key";

    /** Longer than the test waits, which shows the threads then. */
    private static final long LIMIT = 2 * Patience.SECONDS;

    /** Each has a future that is completed by a thread which is in no task. */
    enum Way {
        CANCELLED_IN_THE_QUEUE,
        CANCELLED_WITH_ITS_STAGE,
        COMPLETED_BY_ITS_STAGE,
        SKIPPED,
        DROPPED,
        SHUT_DOWN_WHILE_PARKED,
        SHUT_DOWN_NOW
    }

    enum Action {
        WAITS_FOR_THE_KEY,
        WAITS_FOR_THE_EXECUTOR,
        WAITS_FOR_THE_NEXT,
        CLOSES
    }

    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger ran = new AtomicInteger();
    private final CompletableFuture<Object> stage = new CompletableFuture<>();
    private final StripedExecutor executor = StripedExecutor.builder()
            .threads(2)
            .capacity(100)
            .keyCapacity(2)
            .failurePolicy(FailurePolicy.park())
            .build();
    private CompletableFuture<?> next;

    private static Stream<Arguments> all() {
        List<Arguments> all = new ArrayList<>();
        for (Way way : Way.values()) {
            for (Action action : Action.values()) {
                boolean isShutDown = way == Way.SHUT_DOWN_WHILE_PARKED || way == Way.SHUT_DOWN_NOW;
                if (!(isShutDown && action == Action.WAITS_FOR_THE_NEXT)) {
                    all.add(Arguments.of(way, action));
                }
            }
        }
        return all.stream();
    }

    private boolean act(Action action) {
        // what stands before the task that was dropped or cancelled, if anything does
        go.countDown();
        try {
            switch (action) {
                case WAITS_FOR_THE_KEY -> {
                    return executor.control().awaitIdle(KEY, Duration.ofSeconds(LIMIT));
                }
                case WAITS_FOR_THE_EXECUTOR -> {
                    return executor.awaitIdle(Duration.ofSeconds(LIMIT));
                }
                case WAITS_FOR_THE_NEXT -> {
                    next.get(LIMIT, TimeUnit.SECONDS);
                    return true;
                }
                default -> {
                    executor.shutdown();
                    return executor.awaitTermination(LIMIT, TimeUnit.SECONDS);
                }
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** The future of a task that is about to end in a way; and what ends it. */
    private record Prepared(CompletableFuture<?> future, Runnable end) {}

    private Prepared prepare(Way way) {
        return switch (way) {
            case CANCELLED_IN_THE_QUEUE -> {
                hold();
                CompletableFuture<?> future = executor.submit(KEY, ran::incrementAndGet);
                yield new Prepared(future, () -> future.cancel(false));
            }
            case CANCELLED_WITH_ITS_STAGE -> {
                CompletableFuture<?> future = submitStage();
                yield new Prepared(future, () -> future.cancel(false));
            }
            case COMPLETED_BY_ITS_STAGE -> new Prepared(submitStage(), () -> stage.complete(1));
            case SKIPPED -> new Prepared(park(), () -> executor.control().skip(KEY));
            case DROPPED -> {
                hold();
                CompletableFuture<?> future = executor.submit(KEY, ran::incrementAndGet);
                yield new Prepared(future, this::drop);
            }
            case SHUT_DOWN_WHILE_PARKED -> new Prepared(park(), executor::shutdown);
            case SHUT_DOWN_NOW -> {
                hold();
                executor.execute("other", ran::incrementAndGet);
                yield new Prepared(executor.submit(KEY, ran::incrementAndGet), executor::shutdownNow);
            }
        };
    }

    private void drop() {
        try {
            executor.with(Overflow.discardOldest()).execute(KEY, ran::incrementAndGet);
        } catch (RejectedExecutionException closed) {
            assertThat(executor.isShutdown()).as("shut down by the action").isTrue();
        }
    }

    /** A task of the key runs until the action begins, or it is interrupted. */
    private void hold() {
        CountDownLatch runs = new CountDownLatch(1);
        executor.execute(KEY, () -> {
            runs.countDown();
            try {
                go.await();
            } catch (InterruptedException stopped) {
                // by shutdownNow
            }
        });
        Patience.await(runs);
    }

    private CompletableFuture<?> submitStage() {
        CountDownLatch runs = new CountDownLatch(1);
        CompletableFuture<?> future = executor.submitAsync(KEY, () -> {
            runs.countDown();
            return stage;
        });
        Patience.await(runs);
        Patience.awaitWaiter(stage);
        return future;
    }

    private CompletableFuture<?> park() {
        CompletableFuture<?> future = executor.submit(KEY, () -> {
            throw new ThrownOnPurpose();
        });
        Patience.letWorkersFinish(executor, 2);
        return future;
    }

    @ParameterizedTest(name = "{0}, an action {1}")
    @MethodSource("all")
    @DisplayName("an action waits for what follows its task")
    void anActionWaits(Way way, Action action) {
        Prepared prepared = prepare(way);
        if (way != Way.SHUT_DOWN_WHILE_PARKED && way != Way.SHUT_DOWN_NOW) {
            next = executor.submit(KEY, ran::incrementAndGet);
        }
        CompletableFuture<Boolean> acted = prepared.future().handle((result, failure) -> act(action));
        FutureTask<?> ends = new FutureTask<>(prepared.end(), null);
        Thread thread = new Thread(ends);
        thread.setDaemon(true);
        thread.start();
        // inside a shutdown it looks once, and comes back
        boolean was = Patience.get(acted);
        if (way == Way.DROPPED && action == Action.CLOSES) {
            assertThat(was)
                    .as("the end waits for this submission, so it does not wait")
                    .isFalse();
        } else if (way != Way.SHUT_DOWN_WHILE_PARKED && way != Way.SHUT_DOWN_NOW) {
            assertThat(was).as("the wait was successful").isTrue();
        }
        Patience.get(ends);
        Patience.terminate(executor);
        if (next != null) {
            assertThat(ran.get()).isEqualTo(way == Way.DROPPED && action != Action.CLOSES ? 2 : 1);
        }
    }

    @ParameterizedTest(name = "now: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("a shutdown that cancels many ends although the action of each waits for the end")
    void manyThatWait(boolean now) throws Exception {
        int many = 2_000;
        AtomicInteger acted = new AtomicInteger();
        List<CompletableFuture<?>> futures = new ArrayList<>();
        StripedExecutor large = StripedExecutor.builder()
                .threads(1)
                .failurePolicy(FailurePolicy.park())
                .build();
        CountDownLatch runs = new CountDownLatch(1);
        large.execute(KEY, () -> {
            runs.countDown();
            Patience.await(go);
            if (!now) {
                throw new ThrownOnPurpose();
            }
        });
        Patience.await(runs);
        for (int i = 0; i < many; i++) {
            futures.add(large.submit(now ? i : KEY, ran::incrementAndGet).whenComplete((result, failure) -> {
                try {
                    large.awaitIdle(Duration.ofSeconds(Patience.SECONDS));
                    large.control().awaitIdle(KEY, Duration.ofSeconds(Patience.SECONDS));
                    large.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS);
                    large.close();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                acted.incrementAndGet();
            }));
        }
        if (!now) {
            go.countDown();
            Patience.letWorkersFinish(large, 1);
        }
        FutureTask<List<Runnable>> ends = new FutureTask<>(() -> {
            if (now) {
                return large.shutdownNow();
            }
            large.shutdown();
            return List.of();
        });
        Thread thread = new Thread(ends);
        thread.setDaemon(true);
        thread.start();
        assertThat(Patience.get(ends)).hasSize(now ? many : 0);
        go.countDown();
        Patience.terminate(large);
        assertThat(acted).hasValue(many);
        assertThat(ran).hasValue(0);
        assertThat(futures).allMatch(CompletableFuture::isCompletedExceptionally);
        Patience.terminate(executor);
    }

    @ParameterizedTest(name = "cancelled: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("an action waits for room that its own task leaves")
    void room(boolean cancelled) {
        StripedExecutor small = StripedExecutor.builder()
                .threads(1)
                .keyCapacity(1)
                .overflow(Overflow.block(Duration.ofSeconds(Patience.SECONDS)))
                .build();
        CompletableFuture<Integer> done = new CompletableFuture<>();
        CompletableFuture<Integer> held = small.submitAsync(KEY, () -> done);
        Patience.awaitWaiter(done);
        CompletableFuture<Integer> queued = small.submit(KEY, ran::incrementAndGet);
        CompletableFuture<Integer> acted = (cancelled ? queued : held).handle((result, failure) -> {
            CompletableFuture<Integer> submitted = small.submit(KEY, ran::incrementAndGet);
            done.complete(1);
            return Patience.get(submitted);
        });
        if (cancelled) {
            queued.cancel(false);
        } else {
            done.complete(1);
        }
        assertThat(acted).isCompletedWithValue(cancelled ? 1 : 2);
        assertThat(held).isCompletedWithValue(1);
        Patience.terminate(small);
        Patience.terminate(executor);
    }

    @ParameterizedTest(name = "cancelled: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("a thread that runs the next ticket itself runs the actions first, for which that may wait")
    void tickets(boolean cancelled) throws InterruptedException {
        TicketSequencer sequencer = TicketSequencer.builder().build();
        Reservation first = sequencer.next();
        Reservation second = sequencer.next();
        CompletableFuture<Object> future = first.submitAsync(() -> stage);
        var unused = future.whenComplete((result, failure) -> {
            // a wait, for something else
            Patience.get(executor.submit(KEY, () -> 1));
            go.countDown();
        });
        CompletableFuture<Integer> after = second.submit(() -> {
            Patience.await(go);
            return ran.incrementAndGet();
        });
        FutureTask<Boolean> ends = new FutureTask<>(() -> cancelled ? future.cancel(false) : stage.complete(1));
        Thread thread = new Thread(ends);
        thread.setDaemon(true);
        thread.start();
        assertThat(Patience.get(after)).isEqualTo(1);
        assertThat(Patience.get(ends)).isTrue();
        Patience.terminate(executor);
    }

    @ParameterizedTest(name = "which ask others: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("an executor is not idle before the actions have returned, nor is what they submit rejected")
    void idleAfterTheActions(boolean asks) throws InterruptedException {
        int rounds = 2_000;
        AtomicInteger acted = new AtomicInteger();
        ExecutorService completing = Executors.newSingleThreadExecutor();
        for (int i = 0; i < rounds; i++) {
            StripedExecutor follows = StripedExecutor.builder().threads(1).build();
            CompletableFuture<Integer> done = new CompletableFuture<>();
            CompletableFuture<?> action = follows.submitAsync(KEY, () -> done).thenAccept(result -> {
                if (asks) {
                    askOthers(follows);
                }
                follows.execute(KEY, ran::incrementAndGet);
                acted.incrementAndGet();
            });
            Future<?> completes = completing.submit(() -> done.complete(1));
            assertThat(follows.awaitIdle(Duration.ofSeconds(Patience.SECONDS))).isTrue();
            assertThat(acted).hasValue(i + 1);
            assertThat(ran).hasValue(i + 1);
            Patience.terminate(follows);
            Patience.get(completes);
            Patience.get(action);
        }
        completing.shutdown();
        Patience.terminate(executor);
    }

    /** Waits for another executor, and looks at its own without waiting for it. */
    private void askOthers(StripedExecutor own) {
        try {
            assertThat(Patience.get(executor.submit(KEY, () -> "other"))).isEqualTo("other");
            assertThat(own.control().awaitIdle("elsewhere", Duration.ofSeconds(LIMIT)))
                    .isTrue();
            assertThat(own.awaitIdle(Duration.ZERO)).isFalse();
            assertThat(own.awaitTermination(0, TimeUnit.SECONDS)).isFalse();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("no task starts before the future of one before it is complete that was dropped")
    void nothingStartsBefore() {
        // as long as the window is open for some instructions only, one drop in 30,000 meets it
        int rounds = 500_000;
        AtomicInteger early = new AtomicInteger();
        StripedExecutor drops = StripedExecutor.builder()
                .threads(2)
                .keyCapacity(2)
                .overflow(Overflow.discardOldest())
                .build();
        CompletableFuture<?> last = CompletableFuture.completedFuture(0);
        for (int i = 0; i < rounds; i++) {
            CompletableFuture<?> before = last;
            last = drops.submit(KEY, () -> {
                if (!before.isDone()) {
                    early.incrementAndGet();
                }
                return ran.incrementAndGet();
            });
        }
        Patience.terminate(drops);
        assertThat(last).isCompleted();
        assertThat(ran.get() + drops.inspect().stats().cancelled()).isEqualTo(rounds);
        assertThat(early).hasValue(0);
        Patience.terminate(executor);
    }
}
