package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Allocation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What an executor weighs that was built and not used. */
class EmptyExecutorTest {
    private static final int MOST_BYTES = 4096;

    /** All that is allocated to build one, and so the most that it can keep. */
    private long bytesOf(Supplier<? extends OrderedExecutor> builder) {
        List<OrderedExecutor> built = new ArrayList<>(Allocation.ROUNDS);
        long bytes = Allocation.ofLeastRound(() -> built.add(builder.get()));
        built.forEach(OrderedExecutor::close);
        assertThat(built).hasSize(Allocation.ROUNDS).allMatch(OrderedExecutor::isTerminated);
        return bytes;
    }

    @Test
    @DisplayName("an empty striped executor takes no more than 4 KB")
    void striped() {
        assertThat(bytesOf(() -> StripedExecutor.builder().name("a").threads(2).build()))
                .isBetween(500L, (long) MOST_BYTES);
    }

    @Test
    @DisplayName("an empty striped executor with limits takes no more than 4 KB")
    void stripedWithLimits() {
        assertThat(bytesOf(() -> StripedExecutor.builder()
                        .name("a")
                        .threads(2)
                        .capacity(1_000)
                        .keyCapacity(10)
                        .build()))
                .isBetween(500L, (long) MOST_BYTES);
    }

    @Test
    @DisplayName("an empty grouped executor takes no more than 4 KB")
    void grouped() {
        assertThat(bytesOf(() -> GroupedExecutor.builder().name("a").threads(2).build()))
                .isBetween(500L, (long) MOST_BYTES);
    }

    @Test
    @DisplayName("an empty ordered output executor takes no more than 4 KB")
    void orderedOutput() {
        assertThat(bytesOf(() ->
                        OrderedOutputExecutor.builder().name("a").threads(2).build()))
                .isBetween(500L, (long) MOST_BYTES);
    }
}
