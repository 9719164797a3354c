package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Threads that wait for the end of stripes. */
class IdleWatchTest {
    private static final long LONG = Patience.SECONDS * 1_000_000_000;

    private final IdleWatch watch = new IdleWatch();
    private final AtomicBoolean idle = new AtomicBoolean();
    private final AtomicInteger asked = new AtomicInteger();

    private boolean isIdle() {
        asked.incrementAndGet();
        return idle.get();
    }

    @Test
    @DisplayName("One who waits asks once at first and once after each ending, and sleeps in between")
    void asksAfterEachEnding() {
        AtomicReference<Object> outcome = new AtomicReference<>();
        Thread waiting = new Thread(() -> {
            try {
                outcome.set(watch.await(this::isIdle, LONG));
            } catch (InterruptedException e) {
                outcome.set(e);
            }
        });
        waiting.setDaemon(true);
        waiting.start();
        for (int endings = 0; endings < 5; endings++) {
            while (asked.get() == endings) {
                Patience.awaitParked(waiting);
            }
            Patience.awaitParked(waiting);
            idle.set(endings == 4);
            watch.onEnd();
        }
        Patience.join(waiting);
        assertThat(outcome).hasValue(true);
        assertThat(asked).hasValue(6);
    }

    @Test
    @DisplayName("An ending while it is asked whether all is idle is not overlooked")
    void anEndingDuringTheQuestion() throws InterruptedException {
        assertThat(watch.await(
                        () -> {
                            if (asked.incrementAndGet() > 1) {
                                return true;
                            }
                            watch.onEnd();
                            return false;
                        },
                        LONG))
                .isTrue();
        assertThat(asked).hasValue(2);
    }

    @Test
    void aLimitThatIsOver() throws InterruptedException {
        assertThat(watch.await(this::isIdle, 0)).isFalse();
        idle.set(true);
        assertThat(watch.await(this::isIdle, 0)).isTrue();
        assertThat(asked).hasValue(2);
        idle.set(false);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> watch.await(this::isIdle, LONG)).isInstanceOf(InterruptedException.class);
    }
}
