package io.orderedexecutor;

import static io.orderedexecutor.SteppedGroups.A;
import static io.orderedexecutor.SteppedGroups.AB;
import static io.orderedexecutor.SteppedGroups.B;
import static io.orderedexecutor.SteppedGroups.C;
import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A task that fails is run again before anything that waits for it, and holds no thread meanwhile. */
class GroupedRetryTest {
    private static final FailurePolicy.RetryBuilder RETRY =
            FailurePolicy.retry().maxRetries(2).delay(Duration.ofSeconds(1)).multiplier(2);

    private static SteppedGroups with(FailurePolicy policy) {
        return new SteppedGroups(settings -> settings.failurePolicy(policy));
    }

    @Test
    void runsAgainBeforeWhatIsBehindIt() {
        SteppedGroups groups = with(RETRY.thenProceed());
        CompletableFuture<String> rollup = groups.failing(AB, "rollup", 2);
        groups.execute(A, "a");
        groups.execute(B, "b");
        assertThat(groups.run()).containsExactly("rollup");
        groups.execute(C, "c");
        assertThat(groups.run()).containsExactly("c");
        groups.timer.fire();
        assertThat(groups.run()).containsExactly("rollup");
        groups.timer.fire();
        assertThat(groups.run()).startsWith("rollup").containsExactlyInAnyOrder("rollup", "a", "b");
        assertThat(rollup).isCompletedWithValue("rollup");
        assertThat(groups.timer.pauses()).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
        groups.assertAllEnded(4, 0, 0);
    }

    @Test
    void goesOnAfterTheLastAttempt() {
        SteppedGroups groups = with(RETRY.thenProceed());
        CompletableFuture<String> rollup = groups.failing(AB, "rollup", 9);
        SteppedGroups.Held stage = groups.hold(AB, "held");
        for (int i = 0; i < 3; i++) {
            groups.run();
            groups.timer.fire();
        }
        assertThat(rollup).isCompletedExceptionally();
        stage.end();
        assertThat(groups.executor.inspect().stats().completed()).isEqualTo(1);
        groups.assertAllEnded(1, 1, 0);
    }

    @Test
    @DisplayName("thenPark parks what can be named; a barrier fails after its attempts")
    void parksAtLast() {
        SteppedGroups groups = with(RETRY.thenPark());
        groups.failing(AB, "rollup", 3);
        CompletableFuture<String> barrier = groups.failing(Groups.all(), "barrier", 9);
        groups.execute(B, "b");
        for (int i = 0; i < 2; i++) {
            assertThat(groups.run()).containsExactly("rollup");
            groups.timer.fire();
        }
        assertThat(groups.run()).containsExactly("rollup");
        assertThat(groups.timer.waiting()).isZero();
        assertThat(groups.executor.inspect().parkedTasks()).hasSize(1);
        assertThat(groups.executor.control().resume("b")).isTrue();
        assertThat(groups.run()).containsExactly("rollup", "barrier");
        for (int i = 0; i < 2; i++) {
            groups.timer.fire();
            assertThat(groups.run()).startsWith("barrier");
        }
        assertThat(barrier).isCompletedExceptionally();
        groups.assertAllEnded(2, 1, 0);
    }

    @Test
    @DisplayName("shutdown lets a retry take its attempts, what is behind it runs after them")
    void shutdown() {
        SteppedGroups groups = with(RETRY.thenPark());
        CompletableFuture<String> rollup = groups.failing(AB, "rollup", 2);
        groups.execute(A, "a");
        groups.run();
        groups.executor.shutdown();
        assertThat(groups.run()).isEmpty();
        groups.timer.fire();
        assertThat(groups.run()).containsExactly("rollup");
        groups.timer.fire();
        assertThat(groups.run()).containsExactly("rollup", "a");
        assertThat(rollup).isCompletedWithValue("rollup");
        groups.assertAllEnded(2, 0, 0);
    }

    @Test
    void shutdownNowEndsARetryAtOnce() {
        SteppedGroups groups = with(RETRY.thenPark());
        CompletableFuture<String> rollup = groups.failing(AB, "rollup", 2);
        CompletableFuture<String> behind = groups.submit(A, "a");
        groups.run();
        assertThat(groups.executor.shutdownNow()).extracting(Object::toString).containsExactly("rollup", "a");
        assertThat(groups.executor.isTerminated()).isTrue();
        groups.timer.fire();
        assertThat(List.of(rollup, behind)).allMatch(CompletableFuture::isCancelled);
        groups.assertAllEnded(0, 0, 2);
    }

    @Test
    @DisplayName(
            "an asynchronous rollup is retried when its stage fails; a late stage of an earlier attempt says nothing")
    void stages() {
        SteppedGroups groups = with(RETRY.thenProceed());
        SteppedGroups.Held rollup = groups.hold(AB, "rollup");
        groups.execute(A, "a");
        groups.run();
        rollup.stage.completeExceptionally(new ThrownOnPurpose());
        assertThat(groups.run()).isEmpty();
        assertThat(groups.executor.inspect().runningTasks()).isEmpty();
        groups.timer.fire();
        assertThat(groups.run()).containsExactly("rollup");
        groups.timer.fire();
        assertThat(groups.run()).containsExactly("rollup", "a");
        assertThat(rollup.future).isCompletedExceptionally();
        groups.assertAllEnded(1, 1, 0);
    }

    @Test
    @DisplayName("a pause of a group holds up the next attempt too")
    void pausedGroup() {
        SteppedGroups groups = with(RETRY.thenProceed());
        groups.failing(AB, "rollup", 1);
        groups.run();
        groups.executor.control().pause("b");
        groups.timer.fire();
        assertThat(groups.run()).isEmpty();
        assertThat(groups.executor.control().resume("b")).isTrue();
        assertThat(groups.run()).containsExactly("rollup");
        groups.assertAllEnded(1, 0, 0);
    }
}
