package io.orderedexecutor.engine.grouped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Groups;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.engine.executor.Limits;
import io.orderedexecutor.engine.executor.Settings;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.fixtures.OverflowingThread;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R5: tasks that are ready and have no thread, since memory or stack have run out, are found. */
class GroupRescueTest {
    private final SteppedExecutor steps = new SteppedExecutor();
    private final List<String> ran = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();

    /** How often memory runs out from now on when a thread passes on what it has made ready. */
    private int failing;

    /** Whether no thread learns of a task that is submitted, as if its submitter had had no stack for a call. */
    private boolean forgets;

    /** Called when a thread is asked for. */
    private Runnable onPassOn = () -> {};

    private final Workers workers = new Workers() {
        @Override
        public void handOver(Runnable work) {
            if (!forgets) {
                steps.execute(work);
            }
        }

        @Override
        public boolean passOn(Runnable work) {
            onPassOn.run();
            if (failing > 0) {
                failing--;
                throw new OutOfMemoryError("on purpose");
            }
            steps.execute(work);
            return true;
        }

        @Override
        public void runElsewhere(Runnable work) {
            steps.execute(work);
        }

        @Override
        public boolean isWantedElsewhere() {
            return false;
        }

        @Override
        public Platform platform() {
            return Platform.JDK;
        }

        @Override
        public Turn turn() {
            return Turn.DEFAULT;
        }

        @Override
        public void setTurn(Turn turn) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int threads() {
            return UNKNOWN;
        }

        @Override
        public void setThreads(int threads) {
            throw new UnsupportedOperationException();
        }
    };

    private GroupedEngine engine = engine(Limits.UNLIMITED);

    private GroupedEngine engine(int capacity) {
        return new GroupedEngine(
                new Settings(
                        "rescue",
                        capacity,
                        Limits.UNLIMITED,
                        false,
                        Overflow.reject(),
                        FailurePolicy.proceed(),
                        List.of(),
                        Platform.JDK),
                workers,
                () -> {});
    }

    private void place(String name, Groups groups) {
        engine.place(groups, () -> ran.add(name));
    }

    /** Places a task that is ready and has no thread. */
    private void placeUnattended() {
        forgets = true;
        place("first", Groups.exclusive("a"));
        forgets = false;
        engine.find("a").tasks().iterator().next().unattended = true;
        engine.hasUnattended = true;
    }

    @AfterEach
    void everythingEnds() {
        steps.runAll();
        assertThat(engine.stats().queued()).isZero();
        engine.lifecycle().shutdown();
        assertThat(engine.lifecycle().isTerminated()).isTrue();
    }

    @Test
    @DisplayName("tasks that a thread has made ready are run although it has no memory to pass them on")
    void madeReady() {
        for (failing = 1; failing <= 4; failing++) {
            int times = failing;
            ran.clear();
            place("all", Groups.exclusive("a", "b", "c", "d"));
            for (String group : List.of("a", "b", "c", "d")) {
                place(group, Groups.exclusive(group, "other of " + group));
            }
            steps.runAll();
            assertThat(ran).as("memory runs out %d times", times).hasSize(5).contains("all", "a", "b", "c", "d");
            failing = times;
        }
        failing = 0;
    }

    @Test
    @DisplayName("A submitter that finds a group unattended asks for a thread with no lock held, after its own task")
    void joinsAnUnattendedTask() {
        placeUnattended();
        List<Boolean> locked = new ArrayList<>();
        onPassOn = () -> locked.add(engine.find("a").lock.isHeldByCurrentThread());
        place("second", Groups.exclusive("a"));
        assertThat(locked).containsExactly(false);
        steps.runAll();
        assertThat(ran).containsExactly("first", "second");
    }

    @Test
    @DisplayName("A submitter of any other group finds it, too")
    void anyTaskFindsAnUnattendedOne() {
        placeUnattended();
        place("other", Groups.exclusive("b"));
        steps.runAll();
        assertThat(ran).containsExactlyInAnyOrder("first", "other");
    }

    @Test
    @DisplayName("a submitter without stack for a task that it finds unattended gives no permit back for its own")
    void onePermitForOneTask() {
        engine = engine(3);
        placeUnattended();
        OverflowingThread.run(
                () -> {
                    OverflowingThread.overflow(1);
                    place("second", Groups.exclusive("a"));
                },
                (thread, thrown) -> failures.add(thrown));
        // told as a failure of nobody's: the task was accepted
        assertThat(failures).hasSize(1).first().isInstanceOf(StackOverflowError.class);
        place("third", Groups.exclusive("b"));
        steps.runAll();
        assertThat(ran).containsExactlyInAnyOrder("first", "second", "third");
        for (int i = 0; i < 3; i++) {
            place("again", Groups.exclusive("c", "d"));
        }
        assertThatThrownBy(() -> place("too many", Groups.exclusive("c")))
                .isInstanceOf(RejectedExecutionException.class);
    }
}
