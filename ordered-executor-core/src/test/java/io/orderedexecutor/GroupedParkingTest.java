package io.orderedexecutor;

import static io.orderedexecutor.SteppedGroups.A;
import static io.orderedexecutor.SteppedGroups.AB;
import static io.orderedexecutor.SteppedGroups.B;
import static io.orderedexecutor.SteppedGroups.BC;
import static io.orderedexecutor.SteppedGroups.C;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A task that fails and parks holds its own groups and no others, until it is resumed or skipped through any of them.
 */
class GroupedParkingTest {
    private final SteppedGroups groups = new SteppedGroups(settings -> settings.failurePolicy(FailurePolicy.park()));
    private final GroupedExecutor executor = groups.executor;

    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    @DisplayName("a parked rollup holds its groups and no others, and is resumed through each of them")
    void holdsItsGroupsUntilItIsResumed(String group) {
        CompletableFuture<String> rollup = groups.failing(AB, "rollup", 1);
        groups.execute(A, "a");
        groups.execute(BC, "bc");
        groups.execute(C, "c");
        assertThat(groups.run()).containsExactly("rollup");
        groups.execute(Groups.exclusive("d"), "d");
        groups.executor.asExecutorService().execute(groups.named("plain"));
        assertThat(groups.run()).containsExactlyInAnyOrder("d", "plain");
        assertThat(executor.inspect().parkedTasks()).hasSize(1);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(3, 4, 2, 1, 0, 2, 0, 0, 0));
        assertThat(executor.inspect().parkedTasks().get(0).key()).isEqualTo(AB);
        assertThat(executor.inspect().deepestKeys(9))
                .filteredOn(KeySnapshot::parked)
                .extracting(KeySnapshot::key)
                .containsExactlyInAnyOrder("a", "b");
        assertThat(executor.inspect().parkedTasks().get(0).failure()).isInstanceOf(ThrownOnPurpose.class);
        assertThat(executor.control().resume("c")).as("a group that only waits").isFalse();
        for (int i = 0; i < 500; i++) {
            assertThat(executor.control().skip("x" + i))
                    .as("a group that is not there")
                    .isFalse();
        }
        assertThat(groups.run()).isEmpty();
        assertThat(rollup).isNotDone();
        assertThat(executor.control().resume(group)).isTrue();
        List<String> ran = groups.run();
        assertThat(ran)
                .startsWith("rollup")
                .containsSubsequence("bc", "c")
                .containsExactlyInAnyOrder("rollup", "a", "bc", "c");
        assertThat(rollup).isCompletedWithValue("rollup");
        assertThat(executor.inspect().parkedTasks()).isEmpty();
        assertThat(executor.inspect().deepestKeys(9)).noneMatch(KeySnapshot::parked);
        assertThat(executor.control().resume(group)).isFalse();
        groups.assertAllEnded(6, 0, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    void skipFailsItForGood(String group) {
        CompletableFuture<String> rollup = groups.failing(AB, "rollup", 9);
        groups.execute(A, "a");
        groups.execute(B, "b");
        assertThat(groups.run()).containsExactly("rollup");
        assertThat(executor.control().skip(group)).isTrue();
        assertThat(rollup).isCompletedExceptionally();
        assertThat(groups.run()).containsExactlyInAnyOrder("a", "b");
        assertThat(executor.control().skip(group)).isFalse();
        groups.assertAllEnded(2, 1, 0);
    }

    @Test
    @DisplayName("a parked reader holds up writers, and no other readers; each reader is resumed by itself or with "
            + "the others")
    void readers() {
        CompletableFuture<String> first = groups.failing(Groups.shared("a", "b"), "first", 1);
        CompletableFuture<String> second = groups.failing(Groups.shared("a", "c"), "second", 1);
        groups.execute(Groups.shared("a"), "reader");
        groups.execute(A, "writer");
        assertThat(groups.run()).containsExactly("first", "second", "reader");
        assertThat(executor.control().resume("b")).isTrue();
        assertThat(groups.run()).containsExactly("first");
        assertThat(first).isCompletedWithValue("first");
        assertThat(executor.control().resume("a")).isTrue();
        assertThat(groups.run()).containsExactly("second", "writer");
        assertThat(second).isCompletedWithValue("second");
        groups.assertAllEnded(4, 0, 0);
    }

    @Test
    @DisplayName("skip lets go all parked readers of the group")
    void skipsAllReaders() {
        for (int i = 0; i < 5; i++) {
            groups.failing(Groups.shared("a", i), "reader", 9);
        }
        groups.execute(A, "writer");
        assertThat(groups.run()).hasSize(5);
        assertThat(executor.control().skip(3)).isTrue();
        assertThat(groups.run()).isEmpty();
        assertThat(executor.inspect().parkedTasks()).hasSize(4);
        assertThat(executor.inspect().stats().parked()).isEqualTo(4);
        assertThat(executor.control().skip("a")).isTrue();
        assertThat(groups.run()).containsExactly("writer");
        groups.assertAllEnded(1, 5, 0);
    }

    @Test
    @DisplayName(
            "what is parked within a group holds up the group as a whole and no others, and is let go by either name")
    void within() {
        for (Object name : List.of("acme", Key.of("acme", 1))) {
            groups.failing(Groups.within("acme", 1), "failing", 9);
            groups.execute(Groups.within("acme", 2), "2");
            groups.execute(Groups.exclusive("acme"), "tenant");
            assertThat(groups.run()).containsExactlyInAnyOrder("failing", "2");
            assertThat(executor.control().skip(Key.of("other", 1))).isFalse();
            assertThat(executor.control().skip(Key.of(Key.of("acme", 1), "x"))).isFalse();
            assertThat(executor.control().skip(name)).isTrue();
            assertThat(groups.run()).containsExactly("tenant");
            assertThat(executor.inspect().parkedTasks()).isEmpty();
        }
        groups.assertAllEnded(4, 2, 0);
    }

    @Test
    @DisplayName("a barrier, an OrderedTask or a plain task has no name to be resumed by, so they do not park")
    void whatCannotBeNamed() {
        List<Future<?>> failed = new ArrayList<>();
        failed.add(groups.failing(Groups.all(), "barrier", 9));
        failed.add(groups.failing(Groups.allShared(), "reader of all", 9));
        ExecutorService service = executor.asExecutorService();
        failed.add(service.submit((Runnable) groups.new Named("ordered", () -> {
            throw new ThrownOnPurpose();
        })));
        Runnable plain = () -> {
            throw new ThrownOnPurpose();
        };
        failed.add(service.submit(plain));
        groups.execute(A, "a");
        executor.execute((OrderedTask) groups.named("next"));
        assertThat(groups.run())
                .containsExactlyInAnyOrder("barrier", "reader of all", "ordered", "a", "next")
                .containsSubsequence("ordered", "next");
        assertThat(failed).allMatch(Future::isDone);
        for (Future<?> future : failed) {
            assertThatThrownBy(future::get).cause().isInstanceOf(ThrownOnPurpose.class);
        }
        groups.assertAllEnded(2, 4, 0);
    }

    @Test
    @DisplayName("a barrier waits for a parked task, and what is behind the barrier with it")
    void aBarrierBehindAParkedTask() {
        groups.failing(A, "failing", 1);
        groups.execute(Groups.all(), "barrier");
        groups.execute(B, "b");
        assertThat(groups.run()).containsExactly("failing");
        assertThat(executor.control().resume("a")).isTrue();
        assertThat(groups.run()).containsExactly("failing", "barrier", "b");
        groups.assertAllEnded(3, 0, 0);
    }

    @Test
    @DisplayName("shutdown: the parked task fails, what conflicts with it is cancelled, all others run")
    void shutdown() {
        CompletableFuture<String> parked = groups.failing(AB, "failing", 9);
        CompletableFuture<String> a = groups.submit(A, "a");
        CompletableFuture<String> bc = groups.submit(BC, "bc");
        CompletableFuture<String> reader = groups.submit(Groups.shared("b"), "reader");
        groups.execute(C, "c");
        groups.execute(Groups.exclusive("d"), "d");
        executor.control().pause("d");
        assertThat(groups.run()).containsExactly("failing");
        executor.shutdown();
        assertThat(parked).isCompletedExceptionally();
        assertThat(parked.isCancelled()).isFalse();
        assertThat(List.of(a, bc, reader)).allMatch(CompletableFuture::isCancelled);
        assertThat(groups.run()).containsExactlyInAnyOrder("c", "d");
        groups.assertAllEnded(2, 1, 3);
    }

    @Test
    @DisplayName("shutdown: readers beside a parked reader are not cancelled, the writer behind it and a barrier are")
    void shutdownWithAParkedReader() {
        CompletableFuture<String> parked = groups.failing(Groups.shared("a"), "failing", 9);
        CompletableFuture<String> writer = groups.submit(A, "writer");
        groups.execute(Groups.shared("a"), "reader");
        CompletableFuture<String> barrier = groups.submit(Groups.all(), "barrier");
        groups.execute(B, "b");
        assertThat(groups.run()).containsExactly("failing");
        executor.shutdown();
        assertThat(parked).isCompletedExceptionally();
        assertThat(List.of(writer, barrier)).allMatch(CompletableFuture::isCancelled);
        assertThat(groups.run()).containsExactlyInAnyOrder("reader", "b");
        groups.assertAllEnded(2, 1, 2);
    }

    @Test
    @DisplayName("shutdown: readers beside a parked reader of all groups are not cancelled, what conflicts with it is")
    void shutdownWithAParkedReaderOfAll() {
        CompletableFuture<String> parked = groups.failing(Groups.allShared().andExclusive("a"), "failing", 9);
        assertThat(groups.run()).containsExactly("failing");
        CompletableFuture<String> other = groups.submit(Groups.shared("b"), "reader of b");
        CompletableFuture<String> ofA = groups.submit(Groups.shared("a"), "reader of a");
        CompletableFuture<String> writer = groups.submit(C, "writer");
        CompletableFuture<String> reader = groups.submit(Groups.allShared(), "reader of all");
        CompletableFuture<String> barrier = groups.submit(Groups.all(), "barrier");
        executor.shutdown();
        assertThat(parked).isCompletedExceptionally();
        assertThat(List.of(ofA, writer, reader, barrier)).allMatch(CompletableFuture::isCancelled);
        assertThat(groups.run()).containsExactly("reader of b");
        assertThat(other).isCompletedWithValue("reader of b");
        groups.assertAllEnded(1, 1, 4);
    }

    @Test
    @DisplayName("shutdown: a task that fails when it is under way ends in the same way")
    void failsAfterTheShutdown() {
        CompletableFuture<String> failing = groups.submit(AB, "failing", () -> {
            executor.shutdown();
            throw new ThrownOnPurpose();
        });
        CompletableFuture<String> behind = groups.submit(A, "behind");
        groups.execute(C, "c");
        assertThat(groups.run()).containsExactly("failing", "c");
        assertThat(failing).isCompletedExceptionally();
        assertThat(behind).isCancelled();
        groups.assertAllEnded(1, 1, 1);
    }

    @Test
    @DisplayName("shutdownNow returns the parked task and all that waits, in their order, and cancels them")
    void shutdownNow() {
        CompletableFuture<String> parked = groups.failing(AB, "failing", 9);
        CompletableFuture<String> bc = groups.submit(BC, "bc");
        SteppedGroups.Named last = groups.named("last");
        executor.execute(C, (Runnable) last);
        assertThat(groups.run()).containsExactly("failing");
        assertThat(executor.shutdownNow()).hasSize(3).endsWith(last);
        assertThat(List.of(parked, bc)).allMatch(CompletableFuture::isCancelled);
        groups.assertAllEnded(0, 0, 3);
    }

    @Test
    @DisplayName("who pauses a group while a shutdown gives up parked tasks does not resume them by that")
    void pauseDuringTheShutdown() {
        CompletableFuture<String> a = groups.failing(A, "a", 1);
        CompletableFuture<String> b = groups.failing(B, "b", 1);
        // whichever of the two is given up first
        a.whenComplete((result, failure) -> executor.control().pause("b"));
        b.whenComplete((result, failure) -> executor.control().pause("a"));
        assertThat(groups.run()).containsExactly("a", "b");
        executor.shutdown();
        assertThat(groups.run()).isEmpty();
        assertThat(List.of(a, b)).allMatch(CompletableFuture::isCompletedExceptionally);
        groups.assertAllEnded(0, 2, 0);
    }
}
