package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R5: an executor that was handed in and has no stack left stops nothing. */
class StackDepthTest {
    /** An executor that has no stack left for its first task, before or after it has accepted that. */
    private static final class Overflowing implements Executor {
        final Deque<Runnable> accepted = new ArrayDeque<>();
        private final boolean accepts;
        private Runnable meanwhile;

        Overflowing(boolean accepts) {
            this.accepts = accepts;
        }

        @Override
        public void execute(Runnable task) {
            Runnable first = meanwhile;
            if (first == null || accepts) {
                accepted.add(task);
            }
            if (first != null) {
                meanwhile = null;
                first.run();
                throw new StackOverflowError("on purpose");
            }
        }

        void runAll() {
            for (Runnable task = accepted.poll(); task != null; task = accepted.poll()) {
                task.run();
            }
        }
    }

    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger ran = new AtomicInteger();

    private void assertGoesOn(Overflowing underneath, Executor executor) {
        // accepted behind the one that is refused
        underneath.meanwhile = () -> executor.execute(ran::incrementAndGet);
        assertThatThrownBy(() -> executor.execute(refused::incrementAndGet)).isInstanceOf(StackOverflowError.class);
        executor.execute(ran::incrementAndGet);
        underneath.runAll();
        assertThat(ran).hasValue(2);
        assertThat(refused).hasValue(0);
    }

    @Test
    @DisplayName("a serial executor goes on if its executor overflows the stack, before or after it accepts")
    void serial() {
        for (boolean accepts : new boolean[] {false, true}) {
            ran.set(0);
            Overflowing underneath = new Overflowing(accepts);
            assertGoesOn(underneath, new SerialExecutor(underneath));
        }
    }

    @Test
    @DisplayName("a stripe goes on if its executor overflows the stack, before or after it accepts")
    void striped() {
        for (boolean accepts : new boolean[] {false, true}) {
            ran.set(0);
            Overflowing underneath = new Overflowing(accepts);
            StripedExecutor executor =
                    StripedExecutor.builder().executor(underneath).build();
            assertGoesOn(underneath, executor.executorFor("a"));
            Patience.terminate(executor);
        }
    }
}
