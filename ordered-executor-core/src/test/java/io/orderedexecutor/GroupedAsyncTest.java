package io.orderedexecutor;

import static io.orderedexecutor.SteppedGroups.A;
import static io.orderedexecutor.SteppedGroups.AB;
import static io.orderedexecutor.SteppedGroups.B;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Asynchronous rollups: their groups are held until the stage is complete, no thread is. */
class GroupedAsyncTest {
    private final SteppedGroups groups = new SteppedGroups();

    enum End {
        COMPLETE,
        FAIL,
        CANCEL_STAGE,
        CANCEL_FUTURE,
        COMPLETE_FUTURE,
        FAIL_FUTURE,
        COMPLETE_ASYNC;

        @SuppressWarnings("FutureReturnValueIgnored") // it returns the same future
        void of(SteppedGroups.Held held) {
            switch (this) {
                case COMPLETE -> held.stage.complete("value");
                case FAIL -> held.stage.completeExceptionally(new ThrownOnPurpose());
                case CANCEL_STAGE -> held.stage.cancel(false);
                case CANCEL_FUTURE -> held.future.cancel(true);
                case COMPLETE_FUTURE -> held.future.complete("value");
                case FAIL_FUTURE -> held.future.completeExceptionally(new ThrownOnPurpose());
                case COMPLETE_ASYNC -> held.future.completeAsync(() -> "value", Runnable::run);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("both groups are held until the end, whatever it is, and free at once after it")
    void holdsItsGroups(End end) {
        SteppedGroups.Held rollup = groups.hold(AB, "rollup");
        groups.execute(A, "a");
        groups.execute(B, "b");
        assertThat(groups.run()).containsExactly("rollup");
        assertThat(groups.steps.waiting()).isZero();
        end.of(rollup);
        assertThat(rollup.future).isDone();
        assertThat(groups.run()).containsExactlyInAnyOrder("a", "b");
        boolean fails = end == End.FAIL || end == End.FAIL_FUTURE;
        boolean cancels = end == End.CANCEL_FUTURE || end == End.CANCEL_STAGE;
        groups.assertAllEnded(fails || cancels ? 2 : 3, fails ? 1 : 0, cancels ? 1 : 0);
    }

    @Test
    void aSupplierThatThrowsOrReturnsNull() {
        ThrownOnPurpose failure = new ThrownOnPurpose();
        CompletableFuture<String> thrown = groups.executor.submitAsync(AB, () -> {
            throw failure;
        });
        CompletableFuture<String> missing = groups.executor.submitAsync(AB, () -> null);
        groups.execute(A, "a");
        groups.execute(B, "b");
        assertThat(groups.run()).containsExactlyInAnyOrder("a", "b");
        assertThatThrownBy(thrown::get).cause().isSameAs(failure);
        assertThatThrownBy(missing::get)
                .cause()
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("stage");
        groups.assertAllEnded(2, 2, 0);
    }

    @Test
    @DisplayName("orTimeout ends a rollup whose stage never completes, and one that waits: what is behind them goes")
    void timeouts() {
        SteppedExecutor own = new SteppedExecutor();
        Semaphore handedOver = new Semaphore(0);
        SteppedGroups timed = new SteppedGroups(settings -> settings.executor(step -> {
            own.execute(step);
            handedOver.release();
        }));
        SteppedGroups.Held rollup = timed.hold(AB, "rollup");
        own.runAll();
        SteppedGroups.Held waiting = timed.hold(AB, "waiting");
        timed.execute(A, "a");
        assertThatThrownBy(() -> Patience.get(waiting.future.orTimeout(1, TimeUnit.MILLISECONDS)))
                .hasRootCauseInstanceOf(TimeoutException.class);
        assertThat(timed.took()).containsExactly("rollup");
        assertThatThrownBy(() -> Patience.get(rollup.future.orTimeout(1, TimeUnit.MILLISECONDS)))
                .hasRootCauseInstanceOf(TimeoutException.class);
        // the first was the rollup; the timer's thread hands over what is behind it after the future is done
        Patience.acquire(handedOver, 2);
        own.runAll();
        assertThat(timed.took()).containsExactly("a");
        rollup.end();
        timed.assertAllEnded(1, 2, 0);
    }
}
