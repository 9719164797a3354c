package io.orderedexecutor.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Threads that wait until something is the case. */
class SignalTest {
    private static final long LONG = Patience.SECONDS * 1_000_000_000;

    private final Signal signal = new Signal(Platform.JDK);
    private final AtomicBoolean idle = new AtomicBoolean();
    private final AtomicInteger asked = new AtomicInteger();

    private boolean isIdle() {
        asked.incrementAndGet();
        return idle.get();
    }

    @Test
    @DisplayName("One who waits checks once at first and once after each signal, and sleeps in between")
    void checksAfterEachSignal() {
        AtomicReference<Object> outcome = new AtomicReference<>();
        Thread waiting = new Thread(() -> {
            try {
                outcome.set(signal.await(this::isIdle, LONG));
            } catch (InterruptedException e) {
                outcome.set(e);
            }
        });
        waiting.setDaemon(true);
        waiting.start();
        for (int signals = 0; signals < 5; signals++) {
            while (asked.get() == signals) {
                Patience.awaitParked(waiting);
            }
            Patience.awaitParked(waiting);
            idle.set(signals == 4);
            signal.signal();
        }
        Patience.join(waiting);
        assertThat(outcome).hasValue(true);
        assertThat(asked).hasValue(6);
    }

    @Test
    @DisplayName("A signal during the check is not overlooked")
    void aSignalDuringTheCheck() throws InterruptedException {
        assertThat(signal.await(
                        () -> {
                            if (asked.incrementAndGet() > 1) {
                                return true;
                            }
                            signal.signal();
                            return false;
                        },
                        LONG))
                .isTrue();
        assertThat(asked).hasValue(2);
    }

    @Test
    @DisplayName("When the time is over it checks once more")
    void oneLastLook() throws InterruptedException {
        Signal late = new Signal(new Platform() {
            @Override
            public long awaitNanos(Lock lock, Condition condition, long nanos) {
                idle.set(true);
                return 0;
            }
        });
        assertThat(late.await(this::isIdle, LONG)).isTrue();
        assertThat(asked).hasValue(2);
    }

    @Test
    void aLimitThatIsOver() throws InterruptedException {
        assertThat(signal.await(this::isIdle, 0)).isFalse();
        idle.set(true);
        assertThat(signal.await(this::isIdle, 0)).isTrue();
        assertThat(asked).hasValue(2);
        idle.set(false);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> signal.await(this::isIdle, LONG)).isInstanceOf(InterruptedException.class);
    }
}
