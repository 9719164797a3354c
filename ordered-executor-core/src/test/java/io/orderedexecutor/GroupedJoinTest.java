package io.orderedexecutor;

import static io.orderedexecutor.SteppedGroups.A;
import static io.orderedexecutor.SteppedGroups.AB;
import static io.orderedexecutor.SteppedGroups.B;
import static io.orderedexecutor.SteppedGroups.SHARED_A;
import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.QueuedTask;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tasks that want one group exclusively are linked behind each other, as long as nothing has come in between. */
class GroupedJoinTest {

    private final SteppedGroups groups = new SteppedGroups();

    @Test
    @DisplayName("no task joins past a rollup, one that is held up elsewhere included")
    void noTaskJoinsPastARollup() {
        SteppedGroups.Held b = groups.hold(B, "b");
        groups.execute(A, "a1");
        groups.execute(A, "a2");
        groups.execute(AB, "rollup");
        groups.execute(A, "a3");
        groups.execute(A, "a4");
        assertThat(groups.run()).containsExactly("b", "a1", "a2");
        groups.execute(A, "a5");
        assertThat(groups.run()).isEmpty();
        b.end();
        assertThat(groups.run()).containsExactly("rollup", "a3", "a4", "a5");
        groups.assertAllEnded(7, 0, 0);
    }

    @Test
    @DisplayName("a cancelled rollup is none: those behind it come behind those before it")
    void pastACancelledRollup() {
        SteppedGroups.Held b = groups.hold(B, "b");
        groups.execute(A, "a1");
        CompletableFuture<String> rollup = groups.submit(AB, "rollup");
        groups.execute(A, "a2");
        rollup.cancel(false);
        groups.execute(A, "a3");
        assertThat(groups.run()).containsExactly("b", "a1", "a2", "a3");
        b.end();
        groups.assertAllEnded(4, 0, 1);
    }

    @Test
    @DisplayName("no task joins past a barrier, while it waits and while it runs")
    void notPastABarrier() {
        SteppedGroups.Held a = groups.hold(A, "a");
        groups.execute(A, "a1");
        SteppedGroups.Held barrier = groups.hold(Groups.all(), "barrier");
        groups.execute(A, "a2");
        groups.execute(A, "a3");
        assertThat(groups.run()).containsExactly("a");
        a.end();
        assertThat(groups.run()).containsExactly("a1", "barrier");
        groups.execute(A, "a4");
        assertThat(groups.run()).isEmpty();
        barrier.end();
        assertThat(groups.run()).containsExactly("a2", "a3", "a4");
        groups.execute(A, "a5");
        assertThat(groups.run()).containsExactly("a5");
        groups.assertAllEnded(7, 0, 0);
    }

    @Test
    @DisplayName("no task joins past readers of the group, or of a group within")
    void notPastReaders() {
        for (Groups readers : List.of(Groups.shared("acme"), Groups.within("acme", 1))) {
            Groups writers = Groups.exclusive("acme");
            SteppedGroups.Held writer = groups.hold(writers, "writer");
            SteppedGroups.Held reader = groups.hold(readers, "reader");
            groups.execute(writers, "second writer");
            assertThat(groups.run()).containsExactly("writer");
            writer.end();
            assertThat(groups.run()).containsExactly("reader");
            reader.end();
            assertThat(groups.run()).containsExactly("second writer");
        }
        groups.assertAllEnded(6, 0, 0);
    }

    @Test
    @DisplayName("when all that have joined are cancelled, and not before, what waits for them goes at once")
    void allAreCancelled() {
        SteppedGroups.Held reader = groups.hold(SHARED_A, "reader");
        CompletableFuture<String> first = groups.submit(A, "first");
        CompletableFuture<String> second = groups.submit(A, "second");
        groups.execute(SHARED_A, "other reader");
        assertThat(groups.run()).containsExactly("reader");
        first.cancel(false);
        assertThat(groups.run()).isEmpty();
        assertThat(groups.executor.inspect().queuedTasks(9))
                .containsExactly(new QueuedTask("a", List.of(SHARED_A)), new QueuedTask(SHARED_A, List.of("a")));
        second.cancel(false);
        assertThat(groups.run()).containsExactly("other reader");
        groups.execute(A, "third");
        assertThat(groups.run()).isEmpty();
        reader.end();
        assertThat(groups.run()).containsExactly("third");
        groups.assertAllEnded(3, 0, 2);
    }

    @Test
    @DisplayName("one that joins when all others are cancelled waits as they did")
    void joinsTheCancelled() {
        SteppedGroups.Held reader = groups.hold(SHARED_A, "reader");
        CompletableFuture<String> first = groups.submit(A, "first");
        CompletableFuture<String> second = groups.submit(A, "second");
        groups.run();
        second.cancel(false);
        groups.execute(A, "third");
        first.cancel(false);
        groups.execute(A, "fourth");
        assertThat(groups.run()).isEmpty();
        assertThat(groups.executor.inspect().stats().queued()).isEqualTo(2);
        reader.end();
        assertThat(groups.run()).containsExactly("third", "fourth");
        groups.assertAllEnded(3, 0, 2);
    }

    @Test
    @DisplayName("of a paused row whose last task is cancelled, nothing is left")
    void lastOfAPausedRow() {
        SteppedGroups.Held held = groups.hold(A, "held");
        CompletableFuture<String> last = groups.submit(A, "last");
        assertThat(groups.run()).containsExactly("held");
        groups.executor.control().pause("a");
        held.end();
        assertThat(groups.run()).isEmpty();
        last.cancel(false);
        assertThat(groups.executor.inspect().stats().keys()).isZero();
        groups.executor.control().resume("a");
        groups.assertAllEnded(1, 0, 1);
    }

    @Test
    @DisplayName("those that have joined are shown one by one, each behind the one before it")
    void areShown() {
        SteppedGroups.Held running = groups.hold(A, "running");
        groups.run();
        groups.execute(A, "a1");
        groups.execute(A, "a2");
        groups.execute(AB, "rollup");
        QueuedTask behind = new QueuedTask("a", List.of("a"));
        assertThat(groups.executor.inspect().queuedTasks(9))
                .containsExactly(behind, behind, new QueuedTask(AB, List.of("a")));
        assertThat(groups.executor.inspect().queuedTasks(1)).containsExactly(behind);
        assertThat(groups.executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 3, 0, Duration.ZERO, 1, false, false));
        assertThat(groups.executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(2, 3, 3, 0, 1, 0, 0, 0, 0));
        running.end();
        assertThat(groups.run()).containsExactly("a1", "a2", "rollup");
        groups.assertAllEnded(4, 0, 0);
    }

    @ParameterizedTest(
            name = "a thread that goes from one row of tasks to the next has one turn for all; the first has {0}")
    @CsvSource({"3, 4", "1, 5"})
    void haveOneTurn(int rollupAt, int mostBefore) throws InterruptedException {
        ConcurrentLinkedQueue<String> ran = new ConcurrentLinkedQueue<>();
        CountDownLatch open = new CountDownLatch(1);
        GroupedExecutor executor = GroupedExecutor.builder()
                .threads(1)
                .turn(4, Duration.ofHours(1))
                .build();
        executor.execute(Groups.exclusive("gate"), () -> Patience.await(open));
        for (int i = 0; i < 40; i++) {
            executor.execute(i % 4 == rollupAt ? AB : A, () -> ran.add("a"));
        }
        executor.execute(Groups.exclusive("x"), () -> ran.add("x"));
        open.countDown();
        executor.shutdown();
        assertThat(executor.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS))
                .isTrue();
        assertThat(ran).hasSize(41);
        assertThat(List.copyOf(ran).indexOf("x")).isLessThanOrEqualTo(mostBefore);
    }
}
