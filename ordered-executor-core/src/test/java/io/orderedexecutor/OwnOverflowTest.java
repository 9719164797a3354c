package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.SteppedExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** R8, for a submission that has an overflow of its own. */
@Timeout(30)
class OwnOverflowTest {
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final AtomicInteger ran = new AtomicInteger();
    private final StripedExecutor striped = StripedExecutor.builder()
            .executor(stepped)
            .capacity(1)
            .overflow(Overflow.block(Duration.ofDays(1)))
            .build();
    private final GroupedExecutor grouped = GroupedExecutor.builder()
            .executor(stepped)
            .capacity(1)
            .overflow(Overflow.block(Duration.ofDays(1)))
            .build();

    private CompletionStage<Integer> task() {
        return CompletableFuture.completedFuture(ran.incrementAndGet());
    }

    @Test
    void rejectsAtOnceWhereOthersWait() {
        CompletableFuture<Integer> first = striped.submitAsync("a", this::task, Overflow.reject());
        assertThatThrownBy(() -> striped.submitAsync("a", this::task, Overflow.reject()))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("no room");
        assertThat(striped.stats().rejected()).isEqualTo(1);
        stepped.runAll();
        assertThat(first).isCompletedWithValue(1);
        CompletableFuture<Integer> next = striped.submitAsync("a", this::task, Overflow.reject());
        stepped.runAll();
        assertThat(next).isCompletedWithValue(2);
    }

    @Test
    void rejectsTasksWithGroupsAtOnceWhereOthersWait() {
        Groups groups = Groups.exclusive("a", "b");
        CompletableFuture<Integer> first = grouped.submitAsync(groups, this::task, Overflow.reject());
        assertThatThrownBy(() -> grouped.submitAsync(groups, this::task, Overflow.reject()))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("no room");
        assertThat(grouped.stats().rejected()).isEqualTo(1);
        stepped.runAll();
        assertThat(first).isCompletedWithValue(1);
        CompletableFuture<Integer> next = grouped.submitAsync(groups, this::task, Overflow.reject());
        stepped.runAll();
        assertThat(next).isCompletedWithValue(2);
    }

    @Test
    void mayDiscardTheOldest() {
        CompletableFuture<Integer> oldest = striped.submitAsync("a", this::task);
        CompletableFuture<Integer> newest = striped.submitAsync("a", this::task, Overflow.discardOldest());
        stepped.runAll();
        assertThat(oldest).isCancelled();
        assertThat(newest).isCompletedWithValue(1);
        assertThat(ran).hasValue(1);
    }

    @Test
    void hasToBeGiven() {
        assertThatNullPointerException()
                .isThrownBy(() -> striped.submitAsync("a", this::task, (Overflow) null))
                .withMessage("overflow");
        assertThatNullPointerException()
                .isThrownBy(() -> grouped.submitAsync(Groups.all(), this::task, null))
                .withMessage("overflow");
        assertThat(ran).hasValue(0);
    }
}
