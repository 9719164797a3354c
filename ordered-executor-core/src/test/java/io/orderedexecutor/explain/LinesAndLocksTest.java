package io.orderedexecutor.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.VirtualThreads;
import io.orderedexecutor.stats.Explanation;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** What the stacks of threads add to an explanation; in a package that is none of the library's. */
class LinesAndLocksTest {

    private static Thread startTaskThatTakes(ReentrantLock lock, StripedExecutor executor) {
        AtomicReference<Thread> thread = new AtomicReference<>();
        CountDownLatch started = new CountDownLatch(1);
        executor.execute("a", () -> {
            thread.set(Thread.currentThread());
            started.countDown();
            lock.lock();
            try {
                thread.set(null);
            } finally {
                lock.unlock();
            }
        });
        Patience.await(started);
        Thread waiting = thread.get();
        Patience.awaitParked(waiting);
        return waiting;
    }

    @Test
    void theLineAndTheLockOfAPlatformThread() {
        StripedExecutor executor =
                StripedExecutor.builder().name("orders").threads(1).build();
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        try {
            Thread thread = startTaskThatTakes(lock, executor);
            Explanation explanation = executor.inspect().withStacks().explain("a");
            assertThat(explanation.causes()).hasSize(2);
            assertThat(explanation.causes().get(0)).isInstanceOfSatisfying(Explanation.Running.class, running -> {
                assertThat(running.thread()).isSameAs(thread);
                assertThat(running.at()).isNotNull();
                assertThat(running.at().getFileName()).isEqualTo("LinesAndLocksTest.java");
            });
            assertThat(explanation.root()).isInstanceOfSatisfying(Explanation.AwaitingLock.class, waits -> {
                assertThat(waits.lock()).startsWith("java.util.concurrent.locks.ReentrantLock$NonfairSync@");
                assertThat(waits.owner()).isEqualTo(Thread.currentThread().getName());
            });
            assertThat(explanation.toString())
                    .matches(".* is running on thread " + thread.getName()
                            + " at LinesAndLocksTest\\.java:[0-9]+; that thread waits for java\\.util\\.\\S+,"
                            + " which thread "
                            + Thread.currentThread().getName() + " has");
            assertThat(executor.inspect().explain("a").causes()).hasSize(1);
        } finally {
            lock.unlock();
        }
        Patience.terminate(executor);
        assertThat(executor.inspect().stats().completed()).isEqualTo(1);
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void nothingIsAskedOfAVirtualThread() {
        StripedExecutor executor = StripedExecutor.builder()
                .name("orders")
                .executor(VirtualThreads.executor())
                .build();
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        try {
            startTaskThatTakes(lock, executor);
            assertThat(executor.inspect().withStacks().explain("a").causes())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            Explanation.Running.class,
                            running -> assertThat(running.at()).isNull());
        } finally {
            lock.unlock();
        }
        Patience.terminate(executor);
        assertThat(executor.inspect().stats().completed()).isEqualTo(1);
    }
}
