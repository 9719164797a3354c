package io.orderedexecutor;

import static io.orderedexecutor.SteppedGroups.A;
import static io.orderedexecutor.SteppedGroups.AB;
import static io.orderedexecutor.SteppedGroups.B;
import static io.orderedexecutor.SteppedGroups.C;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HeardTasks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@link Overflow#discardOldest()}: the oldest queued task of the group that is full makes room. */
class GroupedDiscardTest {
    private SteppedGroups groups =
            new SteppedGroups(settings -> settings.keyCapacity(2).overflow(Overflow.discardOldest()));

    @Test
    @DisplayName("a dropped rollup is cancelled and told of, and lets go what waited for it")
    void aDroppedRollup() {
        SteppedGroups.Held a = groups.hold(A, "held");
        groups.run();
        CompletableFuture<String> rollup = groups.submit(AB, "rollup");
        groups.execute(B, "b");
        groups.execute(A, "a1");
        assertThat(groups.run()).isEmpty();
        groups.execute(A, "a2");
        assertThat(rollup).isCancelled();
        assertThat(groups.heard.count(HeardTasks.Kind.DROPPED)).isEqualTo(1);
        assertThat(groups.run()).containsExactly("b");
        a.end();
        assertThat(groups.run()).containsExactly("a1", "a2");
        groups.assertAllEnded(4, 0, 1);
    }

    @Test
    @DisplayName("what is dropped is of the full group, never of another group of the new task that has room")
    void onlyOfTheFullGroup() {
        for (int i = 0; i < 20; i++) {
            String full = "full" + i;
            String other = "other" + i;
            CompletableFuture<String> ofOther = groups.submit(Groups.exclusive(other), "other");
            CompletableFuture<String> oldest = groups.submit(Groups.exclusive(full), "oldest");
            CompletableFuture<String> second = groups.submit(Groups.exclusive(full), "second");
            CompletableFuture<String> rollup = groups.submit(Groups.exclusive(full, other), "rollup");
            assertThat(oldest).isCancelled();
            assertThat(List.of(ofOther, second, rollup)).noneMatch(CompletableFuture::isDone);
            assertThat(groups.run())
                    .containsExactlyInAnyOrder("other", "second", "rollup")
                    .endsWith("rollup");
        }
        groups.assertAllEnded(60, 0, 20);
    }

    @Test
    @DisplayName("each full group loses one task, a rollup that is in both makes room in both")
    void twoFullGroups() {
        CompletableFuture<String> a = groups.submit(A, "a");
        CompletableFuture<String> rollup = groups.submit(AB, "1");
        CompletableFuture<String> b = groups.submit(B, "b");
        groups.execute(AB, "2");
        assertThat(List.of(a.isCancelled(), rollup.isCancelled(), b.isCancelled()))
                .isIn(List.of(true, true, false), List.of(false, true, false));
        List<String> left = groups.run();
        assertThat(left).contains("b", "2").doesNotContain("1").endsWith("2");
        groups.assertAllEnded(left.size(), 0, 4 - left.size());
    }

    @Test
    @DisplayName(
            "with a full executor the oldest of one of the groups of the new task is dropped, and never one of others")
    void aFullExecutor() {
        groups = new SteppedGroups(settings -> settings.capacity(4).overflow(Overflow.discardOldest()));
        for (int i = 0; i < 20; i++) {
            String x = "x" + i;
            String y = "y" + i;
            CompletableFuture<String> c = groups.submit(C, "c");
            CompletableFuture<String> first = groups.submit(Groups.exclusive(x), "first");
            CompletableFuture<String> second = groups.submit(Groups.shared(y), "second");
            CompletableFuture<String> third = groups.submit(Groups.exclusive(x, y), "third");
            groups.execute(Groups.exclusive(y, x), "fourth");
            assertThat(first.isCancelled()).isNotEqualTo(second.isCancelled());
            assertThat(List.of(c, third)).noneMatch(CompletableFuture::isDone);
            for (Groups none : List.of(Groups.exclusive("none"), Groups.all(), Groups.allShared())) {
                assertThatThrownBy(() -> groups.execute(none, "refused"))
                        .isInstanceOf(RejectedExecutionException.class);
            }
            assertThatThrownBy(() -> groups.executor.execute((OrderedTask) groups.named("refused")))
                    .isInstanceOf(RejectedExecutionException.class);
            assertThatThrownBy(() -> groups.executor.asExecutorService().execute(() -> {}))
                    .isInstanceOf(RejectedExecutionException.class);
            assertThat(groups.run()).hasSize(4).contains("c").containsSubsequence("third", "fourth");
        }
        for (int i = 0; i < 4; i++) {
            groups.execute(Groups.exclusive(i), "again");
        }
        assertThatThrownBy(() -> groups.execute(C, "refused")).isInstanceOf(RejectedExecutionException.class);
        assertThat(groups.run()).hasSize(4);
        groups.assertAllEnded(84, 0, 20, 101);
    }

    @Test
    @DisplayName("running tasks are never dropped; a parked one is, and lets its groups go")
    void runningAndParked() {
        groups = new SteppedGroups(settings ->
                settings.keyCapacity(1).failurePolicy(FailurePolicy.park()).overflow(Overflow.discardOldest()));
        List<CompletableFuture<String>> inside = new ArrayList<>();
        CompletableFuture<String> running = groups.submit(AB, "running", () -> {
            inside.add(groups.submit(A, "1"));
            inside.add(groups.submit(A, "2"));
            return "";
        });
        assertThat(groups.run()).containsExactly("running", "2");
        assertThat(running).isCompletedWithValue("");
        assertThat(inside.get(0)).isCancelled();
        CompletableFuture<String> parked = groups.failing(AB, "parked", 9);
        groups.run();
        groups.execute(B, "b");
        assertThat(parked).isCancelled();
        assertThat(groups.run()).containsExactly("b");
        assertThat(groups.executor.inspect().parkedTasks()).isEmpty();
        groups.assertAllEnded(3, 0, 2);
    }

    @Test
    @DisplayName("a stream to one full group keeps the latest in order")
    void keepsTheLatest() {
        SteppedGroups.Held held = groups.hold(AB, "held");
        groups.run();
        for (int i = 0; i < 1_000; i++) {
            groups.execute(i % 2 == 0 ? AB : A, "task " + i);
        }
        held.end();
        assertThat(groups.run()).containsExactly("task 998", "task 999");
        groups.assertAllEnded(3, 0, 998);
    }
}
