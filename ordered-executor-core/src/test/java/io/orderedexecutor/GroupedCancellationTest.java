package io.orderedexecutor;

import static io.orderedexecutor.SteppedGroups.A;
import static io.orderedexecutor.SteppedGroups.AB;
import static io.orderedexecutor.SteppedGroups.B;
import static io.orderedexecutor.SteppedGroups.C;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A rollup that is cancelled lets go at once what waits for it, whatever it was doing, and nobody else. */
class GroupedCancellationTest {

    /** What the rollup is doing when it is cancelled. */
    enum State {
        READY,
        HELD,
        GROUP_PAUSED,
        EXECUTOR_PAUSED,
        BACKING_OFF,
        PARKED;

        boolean hasStarted() {
            return this == HELD || this == BACKING_OFF || this == PARKED;
        }
    }

    private SteppedGroups groups = new SteppedGroups();

    private CompletableFuture<String> rollup(State state) {
        switch (state) {
            case BACKING_OFF, PARKED -> {
                FailurePolicy retry = FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenPark();
                groups = new SteppedGroups(
                        settings -> settings.failurePolicy(state == State.PARKED ? FailurePolicy.park() : retry));
                return groups.failing(AB, "rollup", 9);
            }
            case HELD -> {
                return groups.hold(AB, "rollup").future;
            }
            case GROUP_PAUSED -> groups.executor.control().pause("a");
            case EXECUTOR_PAUSED -> groups.executor.control().pause();
            case READY -> {}
        }
        return groups.submit(AB, "rollup");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("what waits for the rollup alone goes at once; the rollup ends once and runs no more")
    void letsGo(State state) {
        CompletableFuture<String> rollup = rollup(state);
        groups.execute(B, "b");
        groups.execute(A, "a");
        if (state != State.READY) {
            assertThat(groups.run()).isEqualTo(state.hasStarted() ? List.of("rollup") : List.of());
        }
        assertThat(rollup.cancel(false)).isTrue();
        assertThat(groups.executor.inspect().queuedTasks(9))
                .as("at once, and not when the pool comes to it")
                .hasSize(2)
                .allMatch(task -> task.waitsFor().isEmpty());
        if (state == State.GROUP_PAUSED) {
            assertThat(groups.run()).containsExactly("b");
            groups.executor.control().resume("a");
            assertThat(groups.run()).containsExactly("a");
        } else {
            groups.executor.control().resume();
            assertThat(groups.run()).containsExactlyInAnyOrder("a", "b");
        }
        assertThat(rollup).isCancelled();
        groups.timer.fire();
        assertThat(groups.executor.inspect().parkedTasks()).isEmpty();
        groups.assertAllEnded(2, 0, 1);
    }

    @Test
    @DisplayName("a rollup that waits is no way around those before it")
    void letsNobodyPast() {
        SteppedGroups.Held first = groups.hold(A, "first");
        CompletableFuture<String> rollup = groups.submit(AB, "rollup");
        SteppedGroups.Held b = groups.hold(B, "b");
        groups.execute(A, "a");
        CompletableFuture<String> second = groups.submit(AB, "second rollup");
        groups.execute(B, "b2");
        assertThat(groups.run()).containsExactly("first");
        assertThat(rollup.cancel(true)).isTrue();
        assertThat(groups.run()).containsExactly("b");
        b.end();
        assertThat(groups.run()).isEmpty();
        assertThat(second.cancel(true)).isTrue();
        assertThat(groups.run()).containsExactly("b2");
        first.end();
        assertThat(groups.run()).containsExactly("a");
        groups.assertAllEnded(4, 0, 2);
    }

    @Test
    @DisplayName("a rollup that is cancelled while it runs keeps its groups until it has returned")
    void keepsItsGroupsWhileItRuns() {
        List<CompletableFuture<String>> rollup = new ArrayList<>();
        rollup.add(groups.submit(AB, "rollup", () -> {
            assertThat(rollup.get(0).cancel(false)).isTrue();
            groups.execute(C, "c");
            groups.execute(B, "b2");
            groups.steps.runAll();
            assertThat(groups.took()).containsExactly("rollup", "c");
            return "rollup";
        }));
        groups.execute(A, "a");
        assertThat(groups.run()).containsExactlyInAnyOrder("a", "b2");
        groups.assertAllEnded(3, 0, 1);
    }

    @Test
    @DisplayName("a cancelled barrier, a cancelled writer among readers, a cancelled OrderedTask")
    void allKindsOfConflict() {
        SteppedGroups.Held reader = groups.hold(Groups.shared("a"), "reader");
        CompletableFuture<String> writer = groups.submit(A, "writer");
        groups.execute(Groups.shared("a"), "reader 2");
        assertThat(groups.run()).containsExactly("reader");
        writer.cancel(false);
        assertThat(groups.run()).containsExactly("reader 2");
        CompletableFuture<String> barrier = groups.submit(Groups.all(), "barrier");
        groups.execute(B, "b");
        groups.execute(Groups.shared("a"), "reader 3");
        assertThat(groups.run()).isEmpty();
        barrier.cancel(false);
        assertThat(groups.run()).containsExactlyInAnyOrder("b", "reader 3");
        reader.end();

        groups.executor.control().pause();
        groups.executor.execute((OrderedTask) groups.named("task 1"));
        var second = groups.executor.asExecutorService().submit((Runnable) groups.named("task 2"));
        groups.executor.execute((OrderedTask) groups.named("task 3"));
        second.cancel(false);
        groups.executor.control().resume();
        assertThat(groups.run()).containsExactly("task 1", "task 3");
        groups.assertAllEnded(6, 0, 3);
    }

    @Test
    @DisplayName("of 1,000 rollups all but each tenth are cancelled, in any order: the rest runs in order")
    void many() {
        SteppedGroups.Held first = groups.hold(AB, "first");
        groups.run();
        List<CompletableFuture<String>> futures = new ArrayList<>();
        List<String> left = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            futures.add(groups.submit(i % 3 == 0 ? AB : i % 3 == 1 ? A : Groups.shared("b"), "task " + i));
        }
        for (int i = 0; i < 1_000; i++) {
            int number = i * 7 % 1_000;
            if (number % 10 != 0) {
                assertThat(futures.get(number).cancel(false)).isTrue();
            }
        }
        for (int i = 0; i < 1_000; i += 10) {
            left.add("task " + i);
        }
        assertThat(groups.executor.inspect().stats().queued()).isEqualTo(100);
        assertThat(groups.run()).isEmpty();
        first.end();
        List<String> ran = groups.run();
        assertThat(ran).containsExactlyInAnyOrderElementsOf(left);
        // rollups with tasks of a, and rollups with tasks of b
        for (int other : List.of(2, 1)) {
            assertThat(ran)
                    .containsSubsequence(left.stream()
                            .filter(name -> Integer.parseInt(name.substring(5)) % 3 != other)
                            .toList());
        }
        groups.assertAllEnded(101, 0, 900);
    }
}
