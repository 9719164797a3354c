package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R5: a submitter that has no stack left may get a {@link StackOverflowError}, and stops nothing. */
class StackDepthTest {
    private static final int DEPTHS = 300;

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
    @DisplayName("R5: a serial executor goes on if its executor overflows the stack, before or after it accepts")
    void serial() {
        for (boolean accepts : new boolean[] {false, true}) {
            ran.set(0);
            Overflowing underneath = new Overflowing(accepts);
            assertGoesOn(underneath, new SerialExecutor(underneath));
        }
    }

    @Test
    @DisplayName("R5: a stripe goes on if its executor overflows the stack, before or after it accepts")
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

    /** Submits a task at each of the last depths before the stack ends, and again as it unwinds. */
    private static final class Deep {
        final AtomicIntegerArray runs = new AtomicIntegerArray(DEPTHS);
        final boolean[] accepted = new boolean[DEPTHS];
        private final Runnable[] tasks = new Runnable[DEPTHS];
        private final Executor executor;
        private int submitted;

        Deep(Executor executor) {
            this.executor = executor;
            for (int i = 0; i < DEPTHS; i++) {
                int number = i;
                tasks[i] = () -> runs.incrementAndGet(number);
            }
        }

        @SuppressWarnings("InfiniteRecursion") // it is meant to end at the end of the stack
        private void descend() {
            try {
                descend();
            } catch (StackOverflowError end) {
                // from here on upwards
            }
            if (submitted < DEPTHS) {
                int number = submitted++;
                try {
                    executor.execute(tasks[number]);
                    accepted[number] = true;
                } catch (StackOverflowError noStack) {
                    // it may have been accepted all the same
                }
            }
        }

        void run() {
            Thread thread = new Thread(null, this::descend, "deep", 256 * 1024);
            thread.start();
            Patience.join(thread);
        }
    }

    private void assertAcceptedAtAnyDepth(Executor executor, Runnable untilAllRan) {
        // classes that cannot be loaded for want of stack would be lost for good
        executor.execute(ran::incrementAndGet);
        untilAllRan.run();
        Deep deep = new Deep(executor);
        deep.run();
        executor.execute(ran::incrementAndGet);
        untilAllRan.run();
        assertThat(ran).as("runs of the tasks before and after").hasValue(2);
        int accepted = 0;
        for (int number = 0; number < DEPTHS; number++) {
            if (deep.accepted[number]) {
                accepted++;
                assertThat(deep.runs.get(number)).as("runs of task %d", number).isEqualTo(1);
            } else {
                assertThat(deep.runs.get(number)).as("runs of task %d", number).isLessThan(2);
            }
        }
        assertThat(accepted).as("accepted").isBetween(1, DEPTHS - 1);
    }

    @Test
    @DisplayName("R5: a serial executor accepts tasks at any depth of the stack, or throws, and runs each once")
    void serialAtAnyDepth() {
        SteppedExecutor stepped = new SteppedExecutor();
        assertAcceptedAtAnyDepth(new SerialExecutor(stepped), stepped::runAll);
    }

    @Test
    @DisplayName("R5: a striped executor accepts tasks at any depth of the stack, or throws, and runs each once")
    void stripedAtAnyDepth() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        assertAcceptedAtAnyDepth(executor.executorFor("a"), stepped::runAll);
        executor.shutdown();
        stepped.runAll();
        Patience.terminate(executor);
    }
}
