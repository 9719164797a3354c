package io.orderedexecutor.engine.admit;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Groups;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** R4: who happens to be at a key when a task ends there hands over a few of those that have waited, and not all. */
class BystanderTest {
    private static final int READERS = 1_000;

    /** So many hand-overs take microseconds. */
    private static final int FEW = 20;

    private final SteppedExecutor stepped = new SteppedExecutor();
    private final List<Thread> handsOver = new CopyOnWriteArrayList<>();
    private final AtomicReference<Executor> pool = new AtomicReference<>(stepped);
    /** The readers that have run, by number. */
    private final List<Integer> ran = new CopyOnWriteArrayList<>();

    private final CountDownLatch readers = new CountDownLatch(READERS);
    private final KeyedEngine engine = engine(FailurePolicy.proceed(), Platform.JDK);

    private KeyedEngine engine(FailurePolicy failurePolicy, Platform platform) {
        return Engines.groups(
                work -> {
                    handsOver.add(Thread.currentThread());
                    pool.get().execute(work);
                },
                failurePolicy,
                platform);
    }

    private void submitReaders() {
        for (int i = 0; i < READERS; i++) {
            int reader = i;
            engine.submit(
                    Groups.shared("key"),
                    () -> {
                        ran.add(reader);
                        readers.countDown();
                    },
                    null);
        }
    }

    private void assertThatFewWereHandedOver() {
        assertThat(handsOver).filteredOn(Thread.currentThread()::equals).hasSizeBetween(1, FEW);
        pool.set(work -> new Thread(work).start());
        stepped.runAll();
        Patience.await(readers);
        assertThatAllRanOnce();
    }

    private void assertThatAllRanOnce() {
        assertThat(ran).hasSize(READERS).doesNotHaveDuplicates();
    }

    @ParameterizedTest(name = "the pool refuses: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("a thread that has a key when an exclusive task leaves it")
    void whoHasTheBin(boolean refuses) {
        engine.submit("key", () -> {}, null);
        submitReaders();
        Order order = engine.orderOf("key");
        order.bin().take();
        stepped.runAll();
        handsOver.clear();
        if (refuses) {
            pool.set(work -> {
                throw new RejectedExecutionException("full");
            });
        }
        engine.orders.letGo(order.bin());
        assertThatFewWereHandedOver();
    }

    @Test
    @DisplayName("a thread that completes the stage of an exclusive task")
    void completer() {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        engine.submit("key", new TaskFuture.Stage<>(() -> stage), null);
        stepped.runAll();
        submitReaders();
        handsOver.clear();
        stage.complete(1);
        assertThatFewWereHandedOver();
    }

    @Test
    @DisplayName(
            "a thread that has a key while many readers end: they leave that to it, and it grants as few as for one")
    void manyReadersEnd() throws InterruptedException {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        engine.submit("key", new TaskFuture.Stage<>(() -> stage), null);
        stepped.runAll();
        submitReaders();
        stage.complete(1);
        // the last one comes to grant the others
        int granted = stepped.waiting() - 1;
        Order order = engine.orderOf("key");
        order.bin().take();
        Thread poolThread = new Thread(() -> {
            for (int i = 0; i < granted; i++) {
                stepped.runNext();
            }
        });
        poolThread.start();
        Patience.join(poolThread);
        assertThat(ran).hasSize(granted).hasSizeGreaterThan(1);
        handsOver.clear();
        engine.orders.letGo(order.bin());
        assertThatFewWereHandedOver();
    }

    @Test
    @DisplayName("readers of a paused key that are left to be granted do not go on by themselves")
    void heldUpByPause() {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        engine.submit("key", new TaskFuture.Stage<>(() -> stage), null);
        stepped.runAll();
        submitReaders();
        engine.pause("key");
        stage.complete(1);
        assertThat(stepped.waiting()).isPositive();
        assertThat(engine.isHeldUp()).isTrue();
        assertThat(engine.resume("key")).isTrue();
        assertThat(engine.isHeldUp()).isFalse();
        stepped.runAll();
        assertThatAllRanOnce();
    }

    @Test
    @DisplayName("those that are left to be granted go on by themselves, though all others are parked")
    void heldUp() {
        KeyedEngine parking = engine(FailurePolicy.park(), Platform.JDK);
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        parking.submit("key", new TaskFuture.Stage<>(() -> stage), null);
        stepped.runAll();
        for (int i = 0; i < READERS; i++) {
            int reader = i;
            parking.submit(
                    Groups.shared("key"),
                    () -> {
                        ran.add(reader);
                        throw new IllegalStateException("parks");
                    },
                    null);
        }
        stage.complete(1);
        int handedOver = stepped.waiting();
        for (int i = 1; i < handedOver; i++) {
            stepped.runNext();
        }
        assertThat(ran).hasSize(handedOver - 1);
        assertThat(parking.isHeldUp()).isFalse();
        stepped.runAll();
        assertThatAllRanOnce();
        assertThat(parking.isHeldUp()).isTrue();
    }

    @Test
    @DisplayName("if nobody else can, the thread at hand runs the readers after its turn, and not within")
    void noThreadStarts() {
        KeyedEngine alone = engine(FailurePolicy.proceed(), new Platform() {
            @Override
            public void start(Thread thread) {
                throw new IllegalStateException("no threads");
            }
        });
        alone.submit("key", () -> {}, null);
        List<Long> turns = new CopyOnWriteArrayList<>();
        for (int i = 0; i < READERS; i++) {
            int reader = i;
            alone.submit(
                    Groups.shared("key"),
                    () -> {
                        ran.add(reader);
                        turns.add(StackWalker.getInstance().walk(BystanderTest::turns));
                        readers.countDown();
                    },
                    null);
        }
        pool.set(work -> {
            throw new RejectedExecutionException("full");
        });
        stepped.runAll();
        // where this takes long, the timer offers the rest again, and its thread is at hand, too
        Patience.await(readers);
        assertThatAllRanOnce();
        assertThat(turns).containsOnly(1L);
    }

    private static long turns(Stream<StackWalker.StackFrame> frames) {
        return frames.filter(frame -> frame.getMethodName().equals("serveTurn")).count();
    }
}
