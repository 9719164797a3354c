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
import java.util.function.IntConsumer;
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

    /** Does something at each of the last depths before the stack ends, and again as it unwinds. */
    private static final class Deep {
        private final int depths;
        private final IntConsumer step;
        private int steps;

        private Deep(int depths, IntConsumer step) {
            this.depths = depths;
            this.step = step;
        }

        @SuppressWarnings("InfiniteRecursion") // it is meant to end at the end of the stack
        private void descend() {
            try {
                descend();
            } catch (StackOverflowError end) {
                // from here on upwards
            }
            if (steps < depths) {
                int number = steps++;
                try {
                    step.accept(number);
                } catch (StackOverflowError noStack) {
                    // it may have been done all the same
                }
            }
        }

        static void run(int depths, IntConsumer step) {
            Thread thread = new Thread(null, new Deep(depths, step)::descend, "deep", 256 * 1024);
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler((any, noStack) -> {});
            thread.start();
            Patience.join(thread);
        }
    }

    private void assertAcceptedAtAnyDepth(Executor executor, Runnable untilAllRan) {
        // classes that cannot be loaded for want of stack would be lost for good
        executor.execute(ran::incrementAndGet);
        untilAllRan.run();
        AtomicIntegerArray runs = new AtomicIntegerArray(DEPTHS);
        boolean[] isAccepted = new boolean[DEPTHS];
        Runnable[] tasks = new Runnable[DEPTHS];
        for (int i = 0; i < DEPTHS; i++) {
            int number = i;
            tasks[i] = () -> runs.incrementAndGet(number);
        }
        Deep.run(DEPTHS, number -> {
            executor.execute(tasks[number]);
            isAccepted[number] = true;
        });
        executor.execute(ran::incrementAndGet);
        untilAllRan.run();
        assertThat(ran).as("runs of the tasks before and after").hasValue(2);
        int accepted = 0;
        for (int number = 0; number < DEPTHS; number++) {
            if (isAccepted[number]) {
                accepted++;
                assertThat(runs.get(number)).as("runs of task %d", number).isEqualTo(1);
            } else {
                assertThat(runs.get(number)).as("runs of task %d", number).isLessThan(2);
            }
        }
        assertThat(accepted).as("accepted").isBetween(1, DEPTHS - 1);
    }

    @Test
    @DisplayName("a serial executor accepts tasks at any depth of the stack, or throws, and runs each once")
    void serialAtAnyDepth() {
        SteppedExecutor stepped = new SteppedExecutor();
        assertAcceptedAtAnyDepth(new SerialExecutor(stepped), stepped::runAll);
    }

    @Test
    @DisplayName("a striped executor accepts tasks at any depth of the stack, or throws, and runs each once")
    void stripedAtAnyDepth() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        assertAcceptedAtAnyDepth(executor.executorFor("a"), stepped::runAll);
        executor.shutdown();
        stepped.runAll();
        Patience.terminate(executor);
    }
}
