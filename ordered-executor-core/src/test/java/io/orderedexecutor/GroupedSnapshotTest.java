package io.orderedexecutor;

import static io.orderedexecutor.SteppedGroups.A;
import static io.orderedexecutor.SteppedGroups.AB;
import static io.orderedexecutor.SteppedGroups.B;
import static io.orderedexecutor.SteppedGroups.BC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.QueuedTask;
import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What can be seen of a grouped executor from outside. */
class GroupedSnapshotTest {
    private static final Groups SHARED_A = Groups.shared("a");

    private final SteppedGroups groups = new SteppedGroups();
    private final GroupedExecutor executor = groups.executor;

    @Test
    @DisplayName("waits for: the last ones before it in each of its groups, a whole run of readers, a barrier")
    void waitsFor() {
        Groups r1 = Groups.shared("a", "r1");
        Groups r2 = Groups.shared("a", "r2");
        SteppedGroups.Held running = groups.hold(r1, "running");
        SteppedGroups.Held second = groups.hold(r2, "second");
        groups.run();
        Groups r3 = Groups.shared("a", "r3");
        groups.execute(r3, "ready");
        groups.execute(AB, "writer");
        groups.execute(SHARED_A, "reader");
        groups.execute(BC, "other writer");
        groups.execute(Groups.all(), "barrier");
        groups.execute(Groups.exclusive("x"), "behind the barrier");
        executor.asExecutorService().execute(groups.named("plain"));
        QueuedTask barrier = executor.inspect().queuedTasks(99).get(4);
        assertThat(barrier.key()).isEqualTo(Groups.all());
        assertThat(barrier.waitsFor()).contains(BC, SHARED_A);
        assertThat(executor.inspect().queuedTasks(99))
                .containsExactlyInAnyOrder(
                        new QueuedTask(r3, List.of()),
                        new QueuedTask(AB, List.of(r3, r2, r1)),
                        new QueuedTask(SHARED_A, List.of(AB)),
                        new QueuedTask(BC, List.of(AB)),
                        new QueuedTask(Groups.all(), barrier.waitsFor()),
                        new QueuedTask("x", List.of(Groups.all())));
        assertThat(executor.inspect().queuedTasks(2)).hasSize(2).contains(new QueuedTask(r3, List.of()));
        assertThat(executor.inspect().queuedTasks(0)).isEmpty();
        running.end();
        second.end();
        assertThat(groups.run()).hasSize(7);
        assertThat(executor.inspect().queuedTasks(9)).isEmpty();
        groups.assertAllEnded(9, 0, 0);
    }

    @Test
    @DisplayName("waits for: within a group, and not beside; a cancelled one is no longer waited for")
    void waitsForWithin() {
        Groups one = Groups.within("acme", 1);
        Groups two = Groups.shared("acme", Key.of("acme", 2));
        Groups tenant = Groups.exclusive("acme");
        SteppedGroups.Held held = groups.hold(one, "1");
        groups.run();
        executor.control().pause();
        groups.execute(two, "2");
        CompletableFuture<String> cancelled = groups.submit(tenant, "tenant");
        groups.execute(one, "again");
        groups.execute(two, "2 again");
        List<QueuedTask> before = executor.inspect().queuedTasks(9);
        assertThat(before.get(0)).isEqualTo(new QueuedTask(two, List.of()));
        assertThat(before.get(1).key()).isEqualTo("acme");
        assertThat(before.get(1).waitsFor()).containsExactlyInAnyOrder(two, one);
        assertThat(before.get(2).key()).isEqualTo(one);
        assertThat(before.get(2).waitsFor()).contains("acme");
        assertThat(before.get(3)).isEqualTo(new QueuedTask(two, List.of("acme")));
        cancelled.cancel(false);
        assertThat(executor.inspect().queuedTasks(9).get(1)).isEqualTo(new QueuedTask(one, List.of(one)));
        held.end();
        executor.control().resume();
        assertThat(groups.run()).hasSize(3);
        groups.assertAllEnded(4, 0, 1);
    }

    @Test
    @DisplayName("waits for: a run of shared barriers up to an exclusive one, which shared tasks wait for themselves")
    void waitsForBarriers() {
        Groups one = Groups.allShared().andExclusive("m");
        Groups two = Groups.allShared().andExclusive("n");
        SteppedGroups.Held running = groups.hold(A, "running");
        groups.run();
        groups.execute(Groups.all(), "exclusive barrier");
        groups.execute(one, "shared barrier");
        groups.execute(two, "another");
        groups.execute(Groups.exclusive("x"), "writer");
        groups.execute(Groups.shared("x"), "reader");
        List<QueuedTask> queued = executor.inspect().queuedTasks(9);
        assertThat(queued)
                .contains(
                        new QueuedTask("x", List.of(two, one)),
                        new QueuedTask(Groups.shared("x"), List.of("x", Groups.all())));
        assertThat(queued).hasSize(5);
        assertThat(executor.inspect().queuedTasks("a key without tasks", 9))
                .extracting(QueuedTask::key)
                .containsExactlyInAnyOrder(Groups.all(), one, two);
        running.end();
        assertThat(groups.run()).hasSize(5);
        groups.assertAllEnded(6, 0, 0);
    }

    @Test
    void figuresOfGroups() {
        SteppedGroups.Held held = groups.hold(Groups.within("acme", 1).andExclusive("a"), "held");
        groups.run();
        groups.execute(AB, "ab");
        groups.execute(Groups.exclusive("acme"), "acme");
        groups.execute(Groups.shared("acme", Key.of("acme", 1)), "1");
        executor.execute((OrderedTask) groups.named("ordered"));
        executor.control().pause("b");
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 1, 0, Duration.ZERO, 1, false, false));
        assertThat(executor.inspect().snapshot("b"))
                .contains(new KeySnapshot("b", 1, 0, Duration.ZERO, 0, true, false));
        assertThat(executor.inspect().snapshot("acme"))
                .contains(new KeySnapshot("acme", 2, 0, Duration.ZERO, 1, false, false));
        assertThat(executor.inspect().snapshot(Key.of("acme", 1)))
                .contains(new KeySnapshot(Key.of("acme", 1), 1, 0, Duration.ZERO, 1, false, false));
        assertThat(executor.inspect().snapshot(Key.of("acme", 2))).isEmpty();
        assertThat(executor.inspect().deepestKeys(9))
                .hasSize(4)
                .startsWith(new KeySnapshot("acme", 2, 0, Duration.ZERO, 1, false, false));
        assertThat(executor.inspect().deepestKeys(1)).hasSize(1);
        assertThat(executor.inspect().deepestKeys(0)).isEmpty();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(4, 4, 2, 0, 1, 0, 0, 0, 0));
        executor.control().resume("b");
        held.end();
        assertThat(groups.run()).hasSize(4);
        groups.assertAllEnded(5, 0, 0);
    }

    @Test
    void runningTasks() {
        SteppedGroups.Held held = groups.hold(AB, "held");
        groups.run();
        assertThat(executor.inspect().runningTasks()).hasSize(1);
        RunningTask running = executor.inspect().runningTasks().get(0);
        assertThat(running.key()).isEqualTo(AB);
        assertThat(running.thread()).isNull();
        assertThat(running.task()).isSameAs(held);
        held.end();
        executor.asExecutorService().execute(new Runnable() {
            @Override
            public void run() {
                RunningTask self = executor.inspect().runningTasks().get(0);
                assertThat(self.key()).isNull();
                assertThat(self.thread()).isSameAs(Thread.currentThread());
                assertThat(self.task()).isSameAs(this);
                assertThat(executor.inspect().runningTasks()).hasSize(1);
            }
        });
        groups.submit(Groups.all(), "barrier", () -> {
            assertThat(executor.inspect().runningTasks())
                    .extracting(RunningTask::key)
                    .containsExactly(Groups.all());
            return "";
        });
        assertThat(groups.run()).containsExactly("barrier");
        groups.assertAllEnded(3, 0, 0);
    }

    @Test
    void badInput() {
        for (int wrong : List.of(-1, Integer.MIN_VALUE)) {
            assertThatThrownBy(() -> executor.inspect().queuedTasks(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("limit", "" + wrong, "tasks");
            assertThatThrownBy(() -> executor.inspect().deepestKeys(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("limit", "" + wrong, "keys");
        }
        Groups none = null;
        Object[] nothing = null;
        Runnable noTask = null;
        assertThatThrownBy(() -> executor.execute(none, () -> {})).hasMessage("groups");
        assertThatThrownBy(() -> executor.execute(A, noTask)).hasMessage("task");
        assertThatThrownBy(() -> executor.execute(null)).hasMessage("task");
        assertThatThrownBy(() -> executor.submit(none, () -> 1)).hasMessage("groups");
        assertThatThrownBy(() -> executor.submit(A, null)).hasMessage("task");
        assertThatThrownBy(() -> executor.submitAsync(none, () -> null)).hasMessage("groups");
        assertThatThrownBy(() -> executor.submitAsync(A, null)).hasMessage("task");
        assertThatThrownBy(() -> executor.executorFor(null)).hasMessage("groups");
        assertThatThrownBy(() -> executor.executorFor(B).execute(null)).hasMessage("task");
        assertThatThrownBy(() -> executor.control().pause(null)).hasMessage("key");
        assertThatThrownBy(() -> executor.control().resume(null)).hasMessage("key");
        assertThatThrownBy(() -> executor.control().skip(null)).hasMessage("key");
        assertThatThrownBy(() -> executor.inspect().snapshot(null)).hasMessage("key");
        assertThatThrownBy(() -> executor.control().awaitIdle(null, java.time.Duration.ZERO))
                .hasMessage("key");
        assertThatThrownBy(() -> executor.control().awaitIdle("a", null)).hasMessage("limit");
        assertThatThrownBy(() -> Groups.exclusive("a", null)).hasMessage("group");
        assertThatThrownBy(() -> Groups.shared((Object) null)).hasMessage("group");
        assertThatThrownBy(() -> Groups.exclusive(nothing)).hasMessage("groups");
        assertThatThrownBy(() -> Groups.shared(nothing)).hasMessage("groups");
        assertThatThrownBy(() -> A.andShared(nothing)).hasMessage("groups");
        assertThatThrownBy(() -> A.andExclusive("b", null)).hasMessage("group");
        assertThatThrownBy(() -> Groups.exclusive())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no group");
        assertThatThrownBy(() -> Key.of(null, "a")).hasMessage("space");
        assertThatThrownBy(() -> Key.of("a", null)).hasMessage("value");
        assertThatThrownBy(() -> Groups.within("a", null)).hasMessage("inner");
        groups.assertAllEnded(0, 0, 0);
    }
}
