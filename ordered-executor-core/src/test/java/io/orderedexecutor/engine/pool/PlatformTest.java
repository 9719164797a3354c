package io.orderedexecutor.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the library asks the JDK for when there is no memory. */
class PlatformTest {

    /** A lock that another thread has, when there is no memory to wait for it. */
    private static final class NoMemory extends ReentrantLock {
        private static final long serialVersionUID = 1;
        private int failing = 3;

        @Override
        public void lock() {
            if (failing > 0) {
                failing--;
                throw new OutOfMemoryError("on purpose");
            }
            super.lock();
        }
    }

    @Test
    @DisplayName("A thread that must take a lock takes it when there is memory to wait for it")
    void lockWithoutMemory() {
        NoMemory lock = new NoMemory();
        assertThatCode(() -> Platform.JDK.lock(lock)).doesNotThrowAnyException();
        assertThat(lock.failing).isZero();
        assertThat(lock.getHoldCount()).isEqualTo(1);
    }
}
