package io.orderedexecutor;

import static io.orderedexecutor.SteppedGroups.A;
import static io.orderedexecutor.SteppedGroups.AB;
import static io.orderedexecutor.SteppedGroups.B;
import static io.orderedexecutor.SteppedGroups.BC;
import static io.orderedexecutor.SteppedGroups.C;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.stats.KeySnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Pauses of groups and of all: what they hold up, and that they end. */
class GroupedPauseTest {
    private final SteppedGroups groups = new SteppedGroups();
    private final GroupedExecutor executor = groups.executor;

    @Test
    @DisplayName("a paused group holds up what has it, what conflicts with that, and nothing else")
    void aPausedGroup() {
        executor.control().pause("a");
        groups.execute(AB, "rollup");
        groups.execute(B, "b");
        groups.execute(C, "c");
        assertThat(groups.run()).containsExactly("c");
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 1, 0, Duration.ZERO, 0, true, false));
        assertThat(executor.inspect().snapshot("b"))
                .contains(new KeySnapshot("b", 2, 0, Duration.ZERO, 0, false, false));
        assertThat(executor.control().skip("a")).isFalse();
        assertThat(executor.control().resume("b")).isFalse();
        assertThat(executor.control().resume("a")).isTrue();
        assertThat(groups.run()).containsExactly("rollup", "b");
        groups.assertAllEnded(3, 0, 0);
    }

    @Test
    @DisplayName("what is granted while its group is paused is handed to no thread before that is resumed")
    void isHandedOverWhenResumed() {
        SteppedGroups.Held held = groups.hold(A, "held");
        groups.execute(A, "a");
        groups.execute(Groups.shared("a"), "read a");
        assertThat(groups.run()).containsExactly("held");
        executor.control().pause("a");
        held.end();
        assertThat(groups.steps.waiting()).isZero();
        assertThat(executor.control().resume("a")).isTrue();
        assertThat(groups.steps.waiting()).isEqualTo(1);
        assertThat(groups.run()).containsExactly("a", "read a");
        groups.assertAllEnded(3, 0, 0);
    }

    @Test
    @DisplayName("a paused group is kept without tasks, and gone when it is resumed")
    void anEmptyGroup() {
        executor.control().pause("a");
        executor.control().pause("a");
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 0, 0, Duration.ZERO, 0, true, false));
        assertThat(executor.inspect().stats().keys()).isZero();
        assertThat(executor.inspect().deepestKeys(5)).isEmpty();
        CompletableFuture<String> cancelled = groups.submit(A, "cancelled");
        groups.run();
        cancelled.cancel(true);
        assertThat(groups.run()).isEmpty();
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 0, 0, Duration.ZERO, 0, true, false));
        assertThat(executor.control().resume("a")).isTrue();
        assertThat(executor.inspect().snapshot("a")).isEmpty();
        assertThat(executor.control().resume("a")).isFalse();
        groups.assertAllEnded(0, 0, 1);
    }

    @Test
    @DisplayName("a paused group pauses what is within it; what is within it pauses neither the group nor others")
    void paths() {
        executor.control().pause("acme");
        groups.execute(Groups.within("acme", 1), "write 1");
        groups.execute(Groups.shared("acme", Key.of("acme", 2)), "read 2");
        groups.execute(Groups.shared("acme"), "read acme");
        groups.execute(Groups.within("other", 1), "other");
        assertThat(groups.run()).containsExactly("other");
        assertThat(executor.control().resume("acme")).isTrue();
        assertThat(groups.run()).containsExactlyInAnyOrder("write 1", "read 2", "read acme");
        executor.control().pause(Key.of("acme", 1));
        groups.execute(Groups.within("acme", 2), "write 2");
        groups.execute(Groups.within(Key.of("acme", 1), "x"), "write x");
        assertThat(groups.run()).containsExactly("write 2");
        assertThat(executor.control().resume(Key.of("acme", 1))).isTrue();
        assertThat(groups.run()).containsExactly("write x");
        groups.assertAllEnded(6, 0, 0);
    }

    @Test
    @DisplayName("a rollup of two paused groups goes when both are resumed")
    void twoPauses() {
        executor.control().pause("a");
        executor.control().pause("b");
        groups.execute(AB, "ab");
        groups.execute(BC, "bc");
        groups.run();
        assertThat(executor.control().resume("a")).isTrue();
        assertThat(groups.run()).isEmpty();
        executor.control().pause();
        assertThat(executor.control().resume("b")).isTrue();
        assertThat(groups.run()).isEmpty();
        executor.control().resume();
        assertThat(groups.run()).containsExactly("ab", "bc");
        groups.assertAllEnded(2, 0, 0);
    }

    @Test
    @DisplayName("a paused executor starts nothing of any kind, and everything when it is resumed")
    void theExecutor() {
        SteppedGroups.Held held = groups.hold(A, "held");
        groups.run();
        executor.control().pause();
        groups.execute(A, "a");
        groups.execute(Groups.all(), "all");
        groups.execute(B, "b");
        executor.execute((OrderedTask) groups.named("ordered"));
        executor.asExecutorService().execute(groups.named("plain"));
        held.end();
        assertThat(groups.run()).isEmpty();
        assertThat(executor.control().isPaused()).isTrue();
        executor.control().resume();
        assertThat(groups.run()).startsWith("a", "all").containsExactlyInAnyOrder("a", "all", "b", "ordered", "plain");
        groups.assertAllEnded(6, 0, 0);
    }

    @Test
    @DisplayName("a shutdown ends all pauses, also those of groups without tasks, and none comes after it")
    void shutdown() {
        executor.control().pause("a");
        executor.control().pause("empty");
        executor.control().pause(Key.of("empty", 1));
        groups.execute(AB, "ab");
        groups.run();
        executor.control().pause();
        groups.execute(C, "c");
        groups.run();
        executor.shutdown();
        assertThat(executor.control().isPaused()).isFalse();
        assertThat(List.of(
                        executor.inspect().snapshot("empty"), executor.inspect().snapshot(Key.of("empty", 1))))
                .containsOnly(Optional.empty());
        executor.control().pause("b");
        executor.control().pause("empty");
        executor.control().pause();
        assertThat(executor.inspect().snapshot("empty")).isEmpty();
        assertThat(groups.run()).containsExactlyInAnyOrder("ab", "c");
        groups.assertAllEnded(2, 0, 0);
    }

    @Test
    void shutdownNowTakesBackWhatIsPaused() {
        executor.control().pause("a");
        SteppedGroups.Named paused = groups.named("paused");
        SteppedGroups.Named waiting = groups.named("waiting");
        executor.execute(AB, (Runnable) paused);
        executor.execute(B, (Runnable) waiting);
        groups.run();
        assertThat(executor.shutdownNow()).containsExactly(paused, waiting);
        assertThat(executor.isTerminated()).isTrue();
        groups.assertAllEnded(0, 0, 2);
    }

    @Test
    @DisplayName("all of it from inside a task of the group")
    void insideATask() {
        groups.submit(A, "a", () -> {
            executor.control().pause("a");
            executor.control().pause();
            assertThatThrownBy(() -> executor.control().setThreads(2)).isInstanceOf(IllegalStateException.class);
            assertThat(executor.awaitIdle(java.time.Duration.ofDays(1))).isFalse();
            assertThat(executor.control().awaitIdle("a", java.time.Duration.ofDays(1)))
                    .isFalse();
            assertThat(executor.control().awaitIdle("b", java.time.Duration.ofDays(1)))
                    .isTrue();
            return "";
        });
        groups.execute(A, "behind");
        assertThat(groups.run()).containsExactly("a");
        executor.control().resume();
        assertThat(groups.run()).isEmpty();
        assertThat(executor.control().resume("a")).isTrue();
        assertThat(groups.run()).containsExactly("behind");
        groups.assertAllEnded(2, 0, 0);
    }
}
