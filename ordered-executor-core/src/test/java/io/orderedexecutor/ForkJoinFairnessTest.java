package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** R6 on a {@link ForkJoinPool} that was handed in: endless stripes leave its threads to others. */
@Tag("known-defect")
class ForkJoinFairnessTest {
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicInteger steps = new AtomicInteger();

    /** A task that submits itself again until the test is over. */
    private void goOn(StripedExecutor executor, Object stripe) {
        steps.incrementAndGet();
        if (!stopped.get()) {
            executor.execute(stripe, () -> goOn(executor, stripe));
        }
    }

    private void coldStripesRun(boolean asyncMode) {
        ForkJoinPool pool = new ForkJoinPool(2, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, asyncMode);
        StripedExecutor executor = StripedExecutor.builder().executor(pool).build();
        try {
            for (int stripe = 0; stripe < 3; stripe++) {
                goOn(executor, stripe);
            }
            int cold = 100;
            CountDownLatch ran = new CountDownLatch(cold);
            for (int i = 0; i < cold; i++) {
                executor.execute("cold " + i, ran::countDown);
            }
            Patience.await(ran);
            CountDownLatch within = new CountDownLatch(1);
            executor.execute("parent", () -> executor.execute("child", within::countDown));
            Patience.await(within);
            assertThat(steps.get()).isPositive();
        } finally {
            stopped.set(true);
            Patience.terminate(executor);
            pool.shutdown();
        }
    }

    @Test
    @DisplayName("three endless stripes on the two threads of a ForkJoinPool let cold ones run")
    void coldStripesRun() {
        coldStripesRun(false);
    }

    @Test
    void coldStripesRunInAsyncModeToo() {
        coldStripesRun(true);
    }
}
