package io.orderedexecutor.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The timers of the JDK's platform. */
class PlatformTest {
    private final List<Throwable> told = new CopyOnWriteArrayList<>();

    @RegisterExtension
    final DefaultHandler handler = new DefaultHandler((any, failure) -> told.add(failure));

    @Test
    @DisplayName("an action for which no thread can be started runs later, once, and the failure is reported")
    void noThreadForATimer() {
        AtomicBoolean refused = new AtomicBoolean();
        ThrownOnPurpose failure = new ThrownOnPurpose();
        Platform once = new Platform() {
            @Override
            Executor timerThreads() {
                return action -> {
                    if (refused.compareAndSet(false, true)) {
                        throw failure;
                    }
                    super.timerThreads().execute(action);
                };
            }
        };
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch ran = new CountDownLatch(1);
        once.scheduleAsync(1, () -> {
            runs.incrementAndGet();
            ran.countDown();
        });
        Patience.await(ran);
        assertThat(runs).hasValue(1);
        assertThat(refused).isTrue();
        assertThat(told).containsExactly(failure);
    }

    @Test
    @DisplayName("a timer that is cancelled keeps nothing in memory, even if that which cancels it is kept")
    void cancelledTimer() {
        List<Runnable> cancels = new ArrayList<>();
        WeakReference<Object> payload = Reachability.submitHolding(
                action -> cancels.add(Platform.JDK.scheduleAsync(TimeUnit.DAYS.toNanos(1), action)));
        cancels.get(0).run();
        Reachability.assertCleared(List.of(payload));
        cancels.get(0).run();
    }
}
