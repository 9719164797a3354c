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
        CompletableFuture<Integer> first = striped.with(Overflow.reject()).submitAsync("a", this::task);
        assertThatThrownBy(() -> striped.with(Overflow.reject()).submitAsync("a", this::task))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("no room");
        assertThat(striped.inspect().stats().rejected()).isEqualTo(1);
        stepped.runAll();
        assertThat(first).isCompletedWithValue(1);
        CompletableFuture<Integer> next = striped.with(Overflow.reject()).submitAsync("a", this::task);
        stepped.runAll();
        assertThat(next).isCompletedWithValue(2);
    }

    @Test
    void rejectsTasksWithGroupsAtOnceWhereOthersWait() {
        Groups groups = Groups.exclusive("a", "b");
        CompletableFuture<Integer> first = grouped.with(Overflow.reject()).submitAsync(groups, this::task);
        assertThatThrownBy(() -> grouped.with(Overflow.reject()).submitAsync(groups, this::task))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("no room");
        assertThat(grouped.inspect().stats().rejected()).isEqualTo(1);
        stepped.runAll();
        assertThat(first).isCompletedWithValue(1);
        CompletableFuture<Integer> next = grouped.with(Overflow.reject()).submitAsync(groups, this::task);
        stepped.runAll();
        assertThat(next).isCompletedWithValue(2);
    }

    @Test
    void mayDiscardTheOldest() {
        CompletableFuture<Integer> oldest = striped.submitAsync("a", this::task);
        CompletableFuture<Integer> newest =
                striped.with(Overflow.discardOldest()).submitAsync("a", this::task);
        stepped.runAll();
        assertThat(oldest).isCancelled();
        assertThat(newest).isCompletedWithValue(1);
        assertThat(ran).hasValue(1);
    }

    @Test
    void hasToBeGiven() {
        assertThatNullPointerException()
                .isThrownBy(() -> striped.with((Overflow) null).submitAsync("a", this::task))
                .withMessage("overflow");
        assertThatNullPointerException()
                .isThrownBy(() -> grouped.with((Overflow) null).submitAsync(Groups.all(), this::task))
                .withMessage("overflow");
        assertThat(ran).hasValue(0);
    }
}
