package io.orderedexecutor;

import static io.orderedexecutor.SteppedGroups.A;
import static io.orderedexecutor.SteppedGroups.AB;
import static io.orderedexecutor.SteppedGroups.B;
import static io.orderedexecutor.SteppedGroups.C;
import static io.orderedexecutor.SteppedGroups.SHARED_A;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How many tasks may be queued in all and in each group, and that a refused one leaves nothing behind. */
class GroupedBoundsTest {
    private SteppedGroups groups = new SteppedGroups(settings -> settings.keyCapacity(2));

    private void assertRefused(Groups of, String... words) {
        assertThatThrownBy(() -> groups.execute(of, "refused"))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContainingAll(words);
    }

    @Test
    @DisplayName("a rollup counts in each of its groups, and is refused if any is full; nothing of it is left")
    void rollups() {
        groups.execute(AB, "1");
        groups.execute(AB, "2");
        assertRefused(A, "key a", "bank", "2");
        assertRefused(B, "key b", "2");
        assertRefused(Groups.exclusive("x", "b", "y"), "key b");
        for (int i = 0; i < 20; i++) {
            groups.execute(Groups.exclusive("z" + i), "z");
            assertRefused(Groups.shared("b", "z" + i), "key b");
        }
        assertThat(groups.executor.inspect().snapshot("x")).isEmpty();
        assertThat(groups.executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(22, 22, 2, 0, 0, 0, 0, 0, 23));
        groups.execute(Groups.exclusive("x", "y"), "3");
        groups.execute(Groups.all(), "barrier");
        groups.executor.asExecutorService().execute(groups.named("ordered"));
        assertThat(groups.run()).hasSize(25);
        groups.execute(A, "4");
        groups.execute(A, "5");
        assertRefused(AB, "key a");
        groups.execute(B, "6");
        groups.execute(B, "7");
        assertThat(groups.run()).hasSize(4);
        groups.assertAllEnded(29, 0, 0, 24);
    }

    @Test
    @DisplayName(
            "shared tasks count like exclusive ones; tasks within a group do not count in it, those that name it do")
    void sharedAndWithin() {
        groups.execute(Groups.within("acme", 1), "1");
        groups.execute(Groups.within("acme", 1), "2");
        assertRefused(Groups.within("acme", 1), "key acme/1");
        groups.execute(Groups.within("acme", 2), "3");
        groups.execute(Groups.shared("acme"), "4");
        groups.execute(Groups.exclusive("acme").andShared(Key.of("acme", 2)), "5");
        assertRefused(Groups.shared("acme"), "key acme");
        assertRefused(Groups.within("acme", 2), "key acme/2");
        assertThat(groups.run()).hasSize(5);
        groups.assertAllEnded(5, 0, 0, 3);
    }

    @Test
    @DisplayName("whatever ends a task gives its place back once: then exactly the capacity fits again")
    void placesComeBack() {
        groups = new SteppedGroups(settings -> settings.keyCapacity(4)
                .capacity(6)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenPark()));
        CompletableFuture<String> parked = groups.failing(AB, "parked", 9);
        CompletableFuture<String> cancelled = groups.submit(AB, "cancelled");
        groups.run();
        groups.timer.fire();
        groups.run();
        groups.execute(AB, "1");
        CompletableFuture<String> cancelledToo = groups.submit(A, "cancelled too");
        assertRefused(A, "key a", "4");
        groups.execute(B, "2");
        assertRefused(B, "key b", "4");
        groups.execute(C, "3");
        assertRefused(C, "capacity is 6");
        cancelled.cancel(false);
        cancelledToo.cancel(true);
        parked.cancel(false);
        assertThat(groups.run()).containsExactlyInAnyOrder("1", "2", "3");
        groups.hold(Groups.all(), "all").future.complete("");
        groups.run();
        for (int i = 0; i < 4; i++) {
            groups.execute(AB, "again " + i);
        }
        assertRefused(A, "key a");
        assertRefused(B, "key b");
        groups.execute(C, "c");
        groups.execute(C, "c");
        assertRefused(C, "capacity is 6");
        assertThat(groups.run()).hasSize(6);
        groups.assertAllEnded(10, 0, 3, 6);
    }

    @Test
    @DisplayName("places come back in a group that always has tasks")
    void inAGroupThatIsNeverIdle() {
        SteppedGroups.Held held = groups.hold(Groups.shared("a", "b"), "held");
        groups.run();
        for (int i = 0; i < 10; i++) {
            groups.execute(Groups.shared("a", "b"), "1");
            CompletableFuture<String> cancelled = groups.submit(AB, "cancelled");
            assertRefused(SHARED_A, "key a");
            cancelled.cancel(false);
            groups.execute(SHARED_A, "2");
            assertRefused(SHARED_A, "key a");
            assertThat(groups.run()).containsExactly("1", "2");
        }
        held.end();
        groups.assertAllEnded(21, 0, 10, 20);
    }

    @Test
    @DisplayName("a task whose hand-over is refused has no place in its groups any more")
    void refusedHandOver() {
        groups = new SteppedGroups(settings -> settings.keyCapacity(1).capacity(2));
        groups.steps.refuse(true);
        for (int i = 0; i < 10; i++) {
            assertRefused(AB, "by the test");
            assertThatThrownBy(() -> groups.executor.execute((OrderedTask) groups.named("refused")))
                    .isInstanceOf(RejectedExecutionException.class);
        }
        groups.steps.refuse(false);
        groups.execute(A, "a");
        assertRefused(AB, "key a");
        groups.execute(B, "b");
        assertThat(groups.run()).containsExactlyInAnyOrder("a", "b");
        groups.assertAllEnded(2, 0, 0, 21);
    }

    @Test
    @DisplayName("under a capacity, tasks with groups, with predicates and with neither count alike")
    void allKindsCount() {
        groups = new SteppedGroups(settings -> settings.capacity(4));
        groups.execute(A, "a");
        groups.execute(Groups.all(), "all");
        groups.executor.execute((OrderedTask) groups.named("ordered"));
        groups.executor.asExecutorService().execute(() -> {});
        assertRefused(B, "capacity is 4");
        assertRefused(Groups.all(), "capacity is 4");
        assertThatThrownBy(() -> groups.executor.execute((OrderedTask) groups.named("refused")))
                .hasMessageContaining("capacity is 4");
        assertThatThrownBy(() -> groups.executor.asExecutorService().submit(() -> {}))
                .hasMessageContaining("capacity is 4");
        assertThat(groups.run()).containsExactly("a", "all", "ordered");
        groups.assertAllEnded(4, 0, 0, 4);
    }

    @Test
    void changesOfTheLimits() {
        groups = new SteppedGroups(settings -> settings.capacity(2).keyCapacity(1));
        groups.execute(A, "1");
        assertRefused(A, "key a");
        groups.executor.control().setKeyCapacity(2);
        groups.execute(A, "2");
        assertRefused(B, "capacity is 2");
        groups.executor.control().setCapacity(3);
        groups.execute(B, "3");
        groups.executor.control().setKeyCapacity(1);
        groups.executor.control().setCapacity(1);
        assertRefused(B, "capacity is 1");
        assertThat(groups.run()).hasSize(3);
        groups.execute(A, "4");
        assertRefused(B, "capacity is 1");
        groups.run();
        for (int wrong : List.of(0, -1, 1_000_000_001)) {
            assertThatThrownBy(() -> groups.executor.control().setKeyCapacity(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("keyCapacity", "" + wrong);
            assertThatThrownBy(() -> GroupedExecutor.builder().keyCapacity(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("keyCapacity", "" + wrong);
            assertThatThrownBy(() -> groups.executor.control().setCapacity(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("capacity", "" + wrong);
        }
        groups.assertAllEnded(4, 0, 0, 4);
        SteppedGroups unbounded = new SteppedGroups();
        assertThatThrownBy(() -> unbounded.executor.control().setKeyCapacity(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("bank", "keyCapacity");
    }
}
