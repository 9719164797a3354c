package io.orderedexecutor.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many of the idle workers are woken. One that is woken comes to the queue when the test lets it. */
@Timeout(30)
class WorkerPoolTest {
    private static final int THREADS = 4;

    /** Longer than it takes to wake a worker. */
    private static final long LONG = 6_000;

    /** After so many rests, workers know of a change. */
    private static final int RESTS = 20;

    private final SlowToWake platform = new SlowToWake();
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final AtomicInteger ran = new AtomicInteger();
    private final WorkerPool pool = new WorkerPool("pool", THREADS, this::newThread, Turn.DEFAULT, platform);
    private int submitted;

    private Thread newThread(Runnable worker) {
        Thread thread = new Thread(worker);
        threads.add(thread);
        return thread;
    }

    @BeforeEach
    void letAllWorkersFallAsleep() {
        CountDownLatch allRun = new CountDownLatch(THREADS);
        for (int i = 0; i < THREADS; i++) {
            pool.handOver(() -> {
                allRun.countDown();
                await(allRun);
            });
        }
        platform.awaitAsleep(THREADS);
        assertThat(platform.woken).hasValue(0);
    }

    @AfterEach
    void allIsRunOnce() throws Exception {
        pool.close();
        platform.letAllCome();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(ran).hasValue(submitted);
    }

    @Test
    void aBurstWakesOne() {
        handOver(20);
        assertThat(platform.woken).hasValue(1);
    }

    @Test
    void ifWorkIsLongWhatWaitsBehindOtherWorkWakesAnotherWorkerWhileOneIsIdle() {
        work(RESTS, LONG);
        for (int workers : new int[] {1, 2, 3, 4, 4}) {
            handOver(1);
            assertThat(platform.woken).hasValue(workers);
        }
    }

    @Test
    void ifWorkIsLongAndWaitsBehindNothingTheWorkerThatIsWokenWillDo() {
        work(RESTS, 2 * LONG);
        Blocker blocker = new Blocker(0);
        handOver(1);
        assertThat(platform.woken).hasValue(2);

        // takes what the worker that is woken was to take
        blocker.end();
        platform.awaitAsleep(1);
        handOver(1);
        assertThat(platform.woken).hasValue(2);
        handOver(1);
        assertThat(platform.woken).hasValue(3);
    }

    @Test
    void ifWorkIsLongAWorkerThatComesWakesNoneIfThoseOnTheirWayWillDo() {
        work(RESTS, LONG);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch runs = new CountDownLatch(1);
        submitted++;
        pool.handOver(() -> {
            runs.countDown();
            await(goOn);
            ran.incrementAndGet();
        });
        handOver(2);
        assertThat(platform.woken).hasValue(3);
        platform.letOneCome();
        await(runs);
        assertThat(platform.woken).hasValue(3);
        goOn.countDown();
    }

    @Test
    void ifWorkersComeInVainABurstWakesOneAgain() {
        work(RESTS, LONG);
        for (int i = 0; i < RESTS; i++) {
            Blocker blocker = new Blocker(LONG);
            handOver(1);
            blocker.end();
            platform.awaitAsleep(1);
            platform.letOneCome();
            platform.awaitAsleep(1);
        }
        platform.woken.set(0);
        handOver(20);
        assertThat(platform.woken).hasValue(1);
    }

    @Test
    void theTimeThatItTakesToWakeAWorkerIsNoWork() {
        platform.wakingTakes = 10 * LONG;
        for (int i = 0; i < RESTS; i++) {
            platform.woken.set(0);
            handOver(2);
            assertThat(platform.woken).hasValue(1);
            platform.letOneCome();
            platform.awaitAsleep(1);
            platform.letOneCome();
            platform.awaitAsleep(1);
        }
    }

    @Test
    void ifWorkIsShortAgainABurstWakesOneAgain() {
        work(RESTS, LONG);
        work(RESTS, 1_000);
        handOver(20);
        assertThat(platform.woken).hasValue(1);
    }

    @Test
    void aWorkerThatIsWokenWhileItIsAboutToRetireComes() {
        CountDownLatch hasRun = new CountDownLatch(1);
        synchronized (pool.roster) {
            pool.setThreads(THREADS - 1);
            threads.forEach(thread -> platform.letOneCome());
            threads.forEach(WorkerPoolTest::awaitBlocked);
            submitted++;
            pool.handOver(() -> {
                ran.incrementAndGet();
                hasRun.countDown();
            });
        }
        await(hasRun);
    }

    /** Only its state tells, so there is nothing to wait on but time. */
    private static void awaitBlocked(Thread thread) {
        try {
            for (int left = 10_000; thread.getState() != Thread.State.BLOCKED; left--) {
                assertThat(left).isPositive();
                thread.join(1);
            }
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** Lets one worker after the other run work that takes so long, and fall asleep again. */
    private void work(int rests, long nanos) {
        for (int i = 0; i < rests; i++) {
            submitted++;
            pool.handOver(() -> {
                platform.now.addAndGet(nanos);
                ran.incrementAndGet();
            });
            platform.letOneCome();
            platform.awaitAsleep(1);
        }
        platform.woken.set(0);
    }

    private void handOver(int times) {
        for (int i = 0; i < times; i++) {
            submitted++;
            pool.handOver(ran::incrementAndGet);
        }
    }

    /** Work that is being run, by a worker that was woken for it. */
    private final class Blocker {
        private final CountDownLatch goOn = new CountDownLatch(1);

        Blocker(long nanos) {
            CountDownLatch runs = new CountDownLatch(1);
            submitted++;
            pool.handOver(() -> {
                runs.countDown();
                WorkerPoolTest.await(goOn);
                platform.now.addAndGet(2 * nanos);
                ran.incrementAndGet();
            });
            platform.letOneCome();
            WorkerPoolTest.await(runs);
        }

        void end() {
            goOn.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** Its clock stands still, and its threads sleep until the test lets them go on, woken or not. */
    private static final class SlowToWake extends Platform {
        final AtomicLong now = new AtomicLong();
        final AtomicInteger woken = new AtomicInteger();
        final Semaphore asleep = new Semaphore(0);
        volatile long wakingTakes;
        private final Map<Thread, Semaphore> beds = new ConcurrentHashMap<>();
        private final BlockingQueue<Thread> onTheirWay = new LinkedBlockingQueue<>();
        private volatile boolean open;

        @Override
        public long nanoTime() {
            return now.get();
        }

        @Override
        public void restNanos(Object blocker, long nanos) {
            Semaphore bed = beds.computeIfAbsent(Thread.currentThread(), thread -> new Semaphore(0));
            asleep.release();
            if (!open) {
                bed.acquireUninterruptibly();
            }
        }

        @Override
        public void unpark(Thread thread) {
            woken.incrementAndGet();
            now.addAndGet(wakingTakes);
            onTheirWay.add(thread);
        }

        void awaitAsleep(int workers) {
            try {
                assertThat(asleep.tryAcquire(workers, 10, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        }

        void letOneCome() {
            beds.get(onTheirWay.remove()).release();
        }

        void letAllCome() {
            open = true;
            beds.values().forEach(Semaphore::release);
        }
    }
}
