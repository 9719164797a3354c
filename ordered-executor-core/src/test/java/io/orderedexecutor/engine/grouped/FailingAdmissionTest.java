package io.orderedexecutor.engine.grouped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedTask;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.engine.executor.Limits;
import io.orderedexecutor.engine.executor.Settings;
import io.orderedexecutor.engine.pool.BorrowedWorkers;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.Peer;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is thrown in the midst of a submission, or of the end of a task, leaves no request behind. */
class FailingAdmissionTest {
    private static final int GROUP_CAPACITY = 10;

    enum Place {
        BEFORE_CANDIDATES,
        AFTER_CANDIDATES,
        BEFORE_COMPARISON,
        AFTER_COMPARISON
    }

    private final HandTimer timer = new HandTimer();
    private final SteppedExecutor steps = new SteppedExecutor();
    private final List<String> ran = new ArrayList<>();
    private final GroupTable table = new GroupTable("failing");
    private Place failing;

    private final Comparisons comparisons = new Comparisons(table) {
        @Override
        List<GroupedTask> candidates(GroupedTask task, Group own) {
            failIf(Place.BEFORE_CANDIDATES);
            List<GroupedTask> candidates = super.candidates(task, own);
            failIf(Place.AFTER_CANDIDATES);
            return candidates;
        }

        @Override
        void compare(GroupedTask task, List<GroupedTask> candidates) {
            failIf(Place.BEFORE_COMPARISON);
            super.compare(task, candidates);
            failIf(Place.AFTER_COMPARISON);
        }
    };

    private final GroupedEngine engine = new GroupedEngine(
            new Settings(
                    "failing",
                    Limits.UNLIMITED,
                    GROUP_CAPACITY,
                    false,
                    Overflow.reject(),
                    FailurePolicy.proceed(),
                    List.of(),
                    timer),
            new BorrowedWorkers(steps, Turn.DEFAULT, timer),
            table,
            comparisons,
            () -> {});

    private final Admission admission = new Admission(engine, table, comparisons);

    private void failIf(Place place) {
        if (failing == place) {
            throw new OutOfMemoryError("on purpose");
        }
    }

    private void place(String name, Groups groups) {
        engine.place(groups, () -> ran.add(name));
    }

    private void placeComparable(String name) {
        OrderedTask task = new Peer(name, () -> ran.add(name), other -> false);
        engine.placeComparable(task, task);
    }

    @AfterEach
    void everyGroupIsFree() {
        failing = null;
        steps.runAll();
        ran.clear();
        assertThat(engine.stats().groups()).isZero();
        assertThat(engine.stats().queued()).isZero();
        for (String group : List.of("a", "b", "c", "d")) {
            Group left = engine.find(group);
            assertThat(left).as(group).isNull();
            // no place in the group is taken, and none is there twice
            for (int i = 0; i < GROUP_CAPACITY; i++) {
                place(group, Groups.exclusive(group, "other of " + group));
            }
            assertThatThrownBy(() -> place(group, Groups.exclusive(group)))
                    .isInstanceOf(RejectedExecutionException.class);
        }
        place("all", Groups.all());
        placeComparable("comparable");
        steps.runAll();
        assertThat(ran).hasSize(4 * GROUP_CAPACITY + 2).contains("all", "comparable");
        engine.lifecycle().shutdown();
        assertThat(engine.lifecycle().isTerminated()).isTrue();
    }

    private static List<Intent> listOf(Intent first) {
        List<Intent> intents = new ArrayList<>();
        for (Intent intent = first; intent != null; intent = intent.next) {
            intents.add(intent);
        }
        return intents;
    }

    /** An intent that the groups' queues cannot make a request of. */
    private static Intent brokenAt(int index, Groups groups) {
        Intent first = Intent.of(groups);
        Intent broken = listOf(first).get(index);
        broken.own = Access.NONE;
        broken.below = Access.NONE;
        return first;
    }

    private void failToEnter(int index, Groups groups) {
        Runnable task = () -> ran.add("failed");
        assertThatThrownBy(() ->
                        admission.admit(groups, null, brokenAt(index, groups), engine.newLink(task), GROUP_CAPACITY))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("wants nothing");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    @DisplayName("an Error at the first, second, … of four groups takes the task out of those it has entered")
    void inOneOfTheGroups(int index) {
        failToEnter(index, Groups.exclusive("a", "b", "c", "d"));
        place("behind", Groups.exclusive("a", "b", "c", "d"));
        steps.runAll();
        assertThat(ran).containsExactly("behind");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    @DisplayName("and behind tasks that have the groups, and one that wants all of them")
    void inOneOfTheGroupsBehindOthers(int index) {
        place("before", Groups.exclusive("a", "b"));
        place("all", Groups.all());
        failToEnter(index, Groups.exclusive("a", "b", "c", "d"));
        place("behind", Groups.exclusive("c", "d"));
        steps.runAll();
        assertThat(ran).containsExactly("before", "all", "behind");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("an Error while a task looks for what it is compatible with takes it out again")
    void inAComparison(Place place) {
        placeComparable("before");
        failing = place;
        assertThatThrownBy(() -> placeComparable("failed")).isInstanceOf(OutOfMemoryError.class);
        failing = null;
        placeComparable("behind");
        steps.runAll();
        assertThat(ran).containsExactly("before", "behind");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("the same for a task with nothing before it")
    void inAComparisonWithNone(Place place) {
        failing = place;
        assertThatThrownBy(() -> placeComparable("failed")).isInstanceOf(OutOfMemoryError.class);
        failing = null;
        placeComparable("behind");
        steps.runAll();
        assertThat(ran).containsExactly("behind");
    }

    private GroupedTask firstOf(String group) {
        return engine.find(group).tasks().iterator().next();
    }

    @Test
    @DisplayName("what waits behind a task is let go although memory runs out once at its end")
    void atTheEnd() {
        place("ended", Groups.exclusive("a", "b"));
        place("behind", Groups.exclusive("b", "c"));
        List<String> failures = new ArrayList<>(List.of("before", "after", "after"));
        ReadyList.Release failing = (ended, ready) -> {
            String failure = failures.isEmpty() ? "none" : failures.remove(0);
            if (failure.equals("before")) {
                throw new OutOfMemoryError("on purpose");
            }
            engine.release(ended, ready);
            if (failure.equals("after")) {
                throw new OutOfMemoryError("on purpose");
            }
        };
        firstOf("a").serve((ended, mayStay) -> ReadyList.leave(ended, failing, mayStay));
        steps.runAll();
        assertThat(failures).isEmpty();
        assertThat(ran).containsExactly("ended", "behind");
    }
}
