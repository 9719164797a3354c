package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy.RetryBuilder;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The types of failures that are retried, or are not: as with Spring's RetryPolicy, the causes of a failure count. */
@Timeout(30)
class RetryCausesTest {
    private final SteppedExecutor steps = new SteppedExecutor();

    private static RetryBuilder retry() {
        return FailurePolicy.retry().maxRetries(2).delay(Duration.ZERO);
    }

    /** How often a task runs that fails with this, before its stripe goes on. */
    private int attempts(RetryBuilder retry, Exception failure) {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(steps)
                .failurePolicy(retry.thenProceed())
                .build();
        List<String> ran = new ArrayList<>();
        CompletableFuture<Object> failing = executor.submit("a", () -> {
            ran.add("failing");
            throw failure;
        });
        executor.execute("a", () -> ran.add("next"));
        steps.runAll();
        assertThat(failing).isCompletedExceptionally();
        assertThat(ran).endsWith("next").filteredOn("next"::equals).hasSize(1);
        assertThat(executor.inspect().stats().completed()).isEqualTo(1);
        return ran.size() - 1;
    }

    private static Exception caused(int depth, Throwable root) {
        Throwable failure = root;
        for (int i = 0; i < depth; i++) {
            failure = new IllegalStateException("caused", failure);
        }
        return new IllegalStateException("caused", failure);
    }

    /** An exception that is the cause of its cause. */
    private static Exception cycle() {
        Exception first = new IllegalStateException("first");
        Exception second = new IllegalArgumentException("second", first);
        first.initCause(second);
        return first;
    }

    @Test
    void aCauseIsExcluded() {
        for (int depth = 0; depth < 5; depth++) {
            Exception failure = caused(depth, new FileNotFoundException());
            assertThat(attempts(retry().excludes(IOException.class), failure))
                    .as("a cause of a cause, %s deep", depth)
                    .isEqualTo(1);
            assertThat(attempts(retry().excludes(InterruptedException.class), failure))
                    .isEqualTo(3);
        }
    }

    @Test
    void aCauseIsIncluded() {
        for (int depth = 0; depth < 5; depth++) {
            Exception failure = caused(depth, new FileNotFoundException());
            assertThat(attempts(retry().includes(IOException.class), failure)).isEqualTo(3);
            assertThat(attempts(retry().includes(InterruptedException.class), failure))
                    .isEqualTo(1);
        }
    }

    @Test
    @DisplayName("a type that is excluded wins over one that is included, wherever either is among the causes")
    void exclusionWins() {
        Exception failure = caused(1, new UncheckedIOException(new IOException()));
        assertThat(attempts(retry().includes(IllegalStateException.class).excludes(IOException.class), failure))
                .isEqualTo(1);
        assertThat(attempts(retry().includes(IOException.class).excludes(IllegalStateException.class), failure))
                .isEqualTo(1);
    }

    @Test
    @DisplayName("the wrapper of a stage's failure has a type, too, and the predicate is given what it wraps")
    void aWrapper() {
        Exception wrapped = new CompletionException(new IOException());
        assertThat(attempts(retry().excludes(IOException.class), wrapped)).isEqualTo(1);
        assertThat(attempts(retry().includes(IOException.class), wrapped)).isEqualTo(3);
        assertThat(attempts(retry().excludes(CompletionException.class), wrapped))
                .isEqualTo(1);
        assertThat(attempts(retry().predicate(IOException.class::isInstance), wrapped))
                .isEqualTo(3);
    }

    @Test
    @DisplayName("a failure that is among its own causes is looked at once around")
    void aCycleOfCauses() {
        assertThat(attempts(retry().excludes(IllegalArgumentException.class), cycle()))
                .isEqualTo(1);
        assertThat(attempts(retry().excludes(IOException.class), cycle())).isEqualTo(3);
        assertThat(attempts(retry().includes(IllegalArgumentException.class), cycle()))
                .isEqualTo(3);
        assertThat(attempts(retry().includes(IOException.class), cycle())).isEqualTo(1);
    }

    @Test
    @DisplayName("a failure that makes a new cause whenever it is asked does not keep a thread for ever")
    void endlessCauses() {
        assertThat(attempts(retry().excludes(IOException.class), new Endless())).isEqualTo(3);
        assertThat(attempts(retry().includes(IOException.class), new Endless())).isEqualTo(1);
    }

    private static final class Endless extends Exception {
        private static final long serialVersionUID = 1;

        @Override
        public synchronized Throwable getCause() {
            return new Endless();
        }
    }

    @Test
    @DisplayName("a failure whose cause cannot be asked for is retried like one without a cause")
    void unknownCause() {
        assertThat(attempts(retry(), new Causeless())).isEqualTo(3);
        assertThat(attempts(retry().excludes(IOException.class), new Causeless()))
                .isEqualTo(3);
        assertThat(attempts(retry().includes(IOException.class), new Causeless()))
                .isEqualTo(1);
    }

    private static final class Causeless extends Exception {
        private static final long serialVersionUID = 1;

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalArgumentException("no cause");
        }
    }

    @Test
    @DisplayName("what is excluded by its cause does not park its stripe")
    void excludedByItsCauseDoesNotPark() {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(steps)
                .failurePolicy(retry().excludes(IOException.class).thenPark())
                .build();
        List<String> ran = new ArrayList<>();
        var unused = executor.submit("a", () -> {
            ran.add("failing");
            throw caused(2, new IOException());
        });
        executor.execute("a", () -> ran.add("next"));
        steps.runAll();
        assertThat(ran).containsExactly("failing", "next");
        assertThat(executor.inspect().parkedTasks()).isEmpty();
    }
}
