package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.grouped.GroupTable;
import io.orderedexecutor.engine.striped.StripeTable;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A drain waits for all that comes meanwhile, wherever it comes. */
class DrainTest {
    private static final int HOPS = 20_000;

    private final AtomicInteger hops = new AtomicInteger();
    private final CountDownLatch done = new CountDownLatch(1);

    /** A task that goes from key to key: there is one at each moment. */
    private void hop(BiConsumer<Integer, Runnable> execute) {
        if (hops.incrementAndGet() < HOPS) {
            execute.accept(ThreadLocalRandom.current().nextInt(), () -> hop(execute));
        } else {
            done.countDown();
        }
    }

    private void assertDrainWaits(OrderedExecutor executor, BiConsumer<Integer, Runnable> execute)
            throws InterruptedException {
        execute.accept(0, () -> hop(execute));
        assertThat(executor.drain(Duration.ofSeconds(Patience.SECONDS))).isTrue();
        assertThat(hops).as("hops when it was drained").hasValue(HOPS);
        Patience.await(done);
        executor.close();
    }

    @Test
    @DisplayName("a task that hops from group to group is not overlooked by a drain that looks at one after the other")
    void groups() throws InterruptedException {
        GroupedExecutor executor = GroupedExecutor.builder().threads(2).build();
        assertDrainWaits(executor, (key, task) -> executor.execute(Groups.exclusive(key), task));
    }

    @Test
    @DisplayName(
            "a task that hops from stripe to stripe is not overlooked by a drain that looks at one after the other")
    void stripes() throws InterruptedException {
        StripedExecutor executor = StripedExecutor.builder().threads(2).build();
        assertDrainWaits(executor, executor::execute);
    }

    @Test
    @DisplayName(
            "what comes right after a look that has found no task does not make the drain give up before its limit")
    void idleAtTheFirstLook() throws InterruptedException {
        StripedExecutor executor = StripedExecutor.builder().threads(1).build();
        AtomicInteger looks = new AtomicInteger();
        Duration limit = Duration.ofSeconds(Patience.SECONDS);
        assertThat(executor.engine().awaitIdle(() -> looks.incrementAndGet() == 1, limit))
                .isTrue();
        executor.close();
    }

    private static int keyInSegment(int segment) {
        int key = 0;
        while (GroupTable.segmentOf(StripeTable.spread(key)) != segment) {
            key++;
        }
        return key;
    }

    @Test
    @DisplayName(
            "a task that goes from a group that is looked at last to one that was looked at first is not overlooked")
    @SuppressWarnings("LockNotBeforeTry") // the two locks are held across each other's steps
    void betweenTwoLooks() {
        SteppedExecutor steps = new SteppedExecutor();
        GroupedExecutor executor = GroupedExecutor.builder().executor(steps).build();
        int first = keyInSegment(1);
        int last = keyInSegment(62);
        ReentrantLock middle = lockOf(executor, keyInSegment(31));
        steps.runAll();
        ReentrantLock end = lockOf(executor, last);
        steps.runAll();
        executor.execute(Groups.exclusive(last), () -> {
            hops.incrementAndGet();
            executor.execute(Groups.exclusive(first), hops::incrementAndGet);
        });
        CompletableFuture<Boolean> drained = new CompletableFuture<>();
        Thread drainer = new Thread(() -> {
            try {
                drained.complete(executor.drain(Duration.ofMillis(50)));
            } catch (InterruptedException e) {
                drained.completeExceptionally(e);
            }
        });
        end.lock();
        drainer.start();
        // it looks first whether it is called from inside a task
        Object atTheEnd = awaitBlocked(drainer, null);
        middle.lock();
        end.unlock();
        awaitBlocked(drainer, atTheEnd);
        // between the first group, which had no task, and the last
        steps.runNext();
        middle.unlock();
        assertThat(Patience.get(drained)).isFalse();
        steps.runAll();
        assertThat(hops).hasValue(2);
    }

    private static ReentrantLock lockOf(GroupedExecutor executor, int key) {
        executor.execute(Groups.exclusive(key), () -> {});
        return executor.engine().find(key).lock;
    }

    /** Waits until a thread is blocked by another lock than before, and returns it. */
    private static Object awaitBlocked(Thread thread, Object before) {
        for (long left = Patience.SECONDS * 1000; left > 0; left--) {
            Object blocker = LockSupport.getBlocker(thread);
            if (blocker != null && blocker != before) {
                return blocker;
            }
            try {
                thread.join(1);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        throw Patience.hang(thread + " is not blocked");
    }
}
