package io.orderedexecutor;

import static io.orderedexecutor.SteppedGroups.A;
import static io.orderedexecutor.SteppedGroups.AB;
import static io.orderedexecutor.SteppedGroups.B;
import static io.orderedexecutor.SteppedGroups.C;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link Overflow#block}: submitters of rollups that wait for room, in the executor or in one of their groups. */
class GroupedBlockingTest {
    private static final Duration LONG = Duration.ofDays(1);

    enum Full {
        EXECUTOR,
        GROUP;

        SteppedGroups groups() {
            return new SteppedGroups(settings -> {
                settings.overflow(Overflow.block(LONG));
                return this == EXECUTOR ? settings.capacity(2) : settings.keyCapacity(2);
            });
        }
    }

    /** A thread that submits a rollup. */
    private static final class Submitter {
        final AtomicReference<CompletableFuture<String>> accepted = new AtomicReference<>();
        final AtomicReference<Throwable> refusal = new AtomicReference<>();
        volatile boolean interrupted;
        final Thread thread;

        Submitter(SteppedGroups groups, Groups of, String name) {
            thread = new Thread(() -> {
                try {
                    accepted.set(groups.submit(of, name));
                } catch (RejectedExecutionException refused) {
                    refusal.set(refused);
                }
                interrupted = Thread.currentThread().isInterrupted();
            });
            thread.setDaemon(true);
            thread.start();
        }

        static Submitter blocked(SteppedGroups groups, Groups of, String name) {
            Submitter submitter = new Submitter(groups, of, name);
            Patience.awaitParked(submitter.thread);
            assertThat(submitter.accepted).hasNullValue();
            return submitter;
        }

        void assertLetIn() {
            Patience.join(thread);
            assertThat(refusal).hasNullValue();
            assertThat(accepted.get()).isNotNull();
        }

        Throwable refusal() {
            Patience.join(thread);
            assertThat(accepted).hasNullValue();
            return refusal.get();
        }
    }

    /** A queue in which there is no room for a rollup over a and b. */
    private static CompletableFuture<String> fill(SteppedGroups groups) {
        groups.execute(B, "b1");
        return groups.submit(B, "b2");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("one that waits is let in when a task starts, is cancelled, or when the limit is raised")
    void isLetIn(Full full) {
        SteppedGroups groups = full.groups();
        CompletableFuture<String> queued = fill(groups);
        Submitter first = Submitter.blocked(groups, AB, "first");
        assertThat(groups.executor.inspect().snapshot("a")).isEmpty();
        queued.cancel(false);
        first.assertLetIn();
        Submitter second = Submitter.blocked(groups, AB, "second");
        groups.steps.runNext();
        second.assertLetIn();
        groups.run();
        fill(groups);
        Submitter third = Submitter.blocked(groups, AB, "third");
        if (full == Full.EXECUTOR) {
            groups.executor.control().setCapacity(3);
        } else {
            groups.executor.control().setKeyCapacity(3);
        }
        third.assertLetIn();
        groups.took();
        groups.steps.runAll();
        assertThat(groups.took()).containsExactly("b1", "b2", "third");
        groups.assertAllEnded(6, 0, 1);
    }

    @ParameterizedTest
    @EnumSource
    void anInterruptedOneIsRefusedAndLeavesNothing(Full full) {
        SteppedGroups groups = full.groups();
        fill(groups);
        Submitter submitter = Submitter.blocked(groups, AB, "refused");
        submitter.thread.interrupt();
        assertThat(submitter.refusal()).hasMessageContaining("interrupted");
        assertThat(submitter.interrupted).isTrue();
        assertThat(groups.executor.inspect().snapshot("a")).isEmpty();
        assertThat(groups.run()).containsExactly("b1", "b2");
        groups.execute(AB, "1");
        groups.execute(AB, "2");
        assertThat(groups.run()).containsExactly("1", "2");
        groups.assertAllEnded(4, 0, 0, 1);
    }

    @ParameterizedTest
    @EnumSource
    void aShutdownRefusesAllWhoWait(Full full) {
        SteppedGroups groups = full.groups();
        fill(groups);
        List<Submitter> submitters = List.of(
                Submitter.blocked(groups, AB, "1"),
                Submitter.blocked(groups, B, "2"),
                Submitter.blocked(groups, Groups.shared("b", "c"), "3"));
        groups.executor.shutdown();
        for (Submitter submitter : submitters) {
            assertThat(submitter.refusal()).hasMessageContaining("shut down");
        }
        assertThat(groups.run()).containsExactly("b1", "b2");
        groups.assertAllEnded(2, 0, 0, 3);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a shutdown refuses those who wait before it hands over what was paused: the pool may block it there")
    void aShutdownRefusesBeforeItHandsOver(Full full) {
        SteppedGroups groups = full.groups();
        groups.executor.control().pause();
        fill(groups);
        Submitter submitter = Submitter.blocked(groups, B, "refused");
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        groups.steps.whenGiven(() -> refusal.set(submitter.refusal()));
        groups.executor.shutdown();
        assertThat(refusal.get()).hasMessageContaining("shut down");
        assertThat(groups.run()).containsExactly("b1", "b2");
        groups.assertAllEnded(2, 0, 0, 1);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a task of the executor that would wait is refused at once, whatever kind of task it is")
    void insideATask(Full full) {
        SteppedGroups groups = full.groups();
        Supplier<Runnable> submissions = () -> new Runnable() {
            @Override
            public void run() {
                fill(groups);
                assertThatThrownBy(() -> groups.execute(AB, "refused"))
                        .isInstanceOf(RejectedExecutionException.class)
                        .hasMessageContaining("task of this executor");
            }
        };
        groups.executor.execute(AB, submissions.get());
        assertThat(groups.run()).containsExactly("b1", "b2");
        groups.executor.execute(Groups.all(), submissions.get());
        assertThat(groups.run()).containsExactly("b1", "b2");
        groups.executor.execute(Groups.allShared(), submissions.get());
        assertThat(groups.run()).containsExactly("b1", "b2");
        groups.executor.execute(Groups.shared("x", Key.of("x", "y")), submissions.get());
        assertThat(groups.run()).containsExactly("b1", "b2");
        groups.executor.asExecutorService().execute(submissions.get());
        assertThat(groups.run()).containsExactly("b1", "b2");
        groups.executor.asExecutorService().execute(groups.new Named("ordered", () -> {
            submissions.get().run();
            return "";
        }));
        assertThat(groups.run()).containsExactly("ordered", "b1", "b2");
        groups.submit(AB, "successor", () -> {
            groups.executor.execute(A, submissions.get());
            return "";
        });
        assertThat(groups.run()).containsExactly("successor", "b1", "b2");
        groups.assertAllEnded(22, 0, 0, 7);
    }

    @Test
    @DisplayName("a submitter that waits for room in one group holds up no other, and has no permit")
    void holdsUpNobody() {
        SteppedGroups groups = new SteppedGroups(settings ->
                settings.overflow(Overflow.block(LONG)).keyCapacity(2).capacity(4));
        fill(groups);
        Submitter rollup = Submitter.blocked(groups, AB, "rollup");
        Submitter other = Submitter.blocked(groups, Groups.exclusive("b", "d"), "other");
        Thread free = new Thread(() -> {
            groups.execute(C, "c");
            groups.execute(A, "a");
        });
        free.setDaemon(true);
        free.start();
        Patience.join(free);
        groups.steps.runAll();
        // The submitters enter beside the steps: what they found under a lock is handed over when they have returned.
        rollup.assertLetIn();
        other.assertLetIn();
        groups.steps.runAll();
        assertThat(groups.took())
                .containsExactlyInAnyOrder("b1", "b2", "c", "a", "rollup", "other")
                .containsSubsequence("a", "rollup");
        groups.assertAllEnded(6, 0, 0);
    }

    @Test
    @DisplayName("first come, first served among those who want a group that is full: none gets past a rollup")
    void nobodyGetsPast() {
        SteppedGroups groups = Full.GROUP.groups();
        CompletableFuture<String> queued = fill(groups);
        for (int i = 0; i < 20; i++) {
            String other = "other" + i;
            Submitter rollup = Submitter.blocked(groups, Groups.exclusive("b", other), "rollup");
            Submitter later = Submitter.blocked(groups, B, "later");
            queued.cancel(false);
            rollup.assertLetIn();
            Patience.awaitParked(later.thread);
            assertThat(later.accepted).hasNullValue();
            later.thread.interrupt();
            assertThat(later.refusal()).isNotNull();
            queued = rollup.accepted.get();
        }
        assertThat(groups.run()).containsExactly("b1", "rollup");
        groups.assertAllEnded(2, 0, 20, 20);
    }

    @Test
    void aLimit() {
        SteppedGroups groups = new SteppedGroups(settings ->
                settings.overflow(Overflow.block(Duration.ofMillis(1))).keyCapacity(2));
        fill(groups);
        assertThatThrownBy(() -> groups.execute(AB, "refused"))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContainingAll("key b", "2", "within PT0.001S");
        assertThat(groups.run()).containsExactly("b1", "b2");
        groups.assertAllEnded(2, 0, 0, 1);
    }
}
