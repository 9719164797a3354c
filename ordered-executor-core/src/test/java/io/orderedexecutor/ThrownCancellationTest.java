package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.Striped;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A task that throws a {@link CancellationException} has failed, since nobody has cancelled it. */
class ThrownCancellationTest {
    private final CancellationException thrown = new CancellationException("thrown by the task");
    private final HeardTasks heard = new HeardTasks();
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final StripedExecutor executor =
            StripedExecutor.builder().executor(stepped).listener(heard).build();

    private String fail() {
        throw thrown;
    }

    @Test
    @DisplayName("The future of a task that throws a CancellationException has failed with it, as a FutureTask has")
    void hasFailed() {
        Callable<String> task = this::fail;
        CompletableFuture<String> future = executor.submit("a", task);
        stepped.runAll();
        assertFailed(future);
        assertThatThrownBy(future::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isSameAs(thrown);
        assertThat(heard.only(HeardTasks.Kind.FAILED, task).failure()).isSameAs(thrown);
        assertThat(heard.count(HeardTasks.Kind.CANCELLED)).isZero();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 1, 0, 0));
    }

    @Test
    void alsoThroughTheExecutorService() {
        Future<String> future = executor.asExecutorService().submit(Striped.call("a", this::fail));
        stepped.runAll();
        assertFailed(future);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 1, 0, 0));
    }

    @Test
    void alsoOfAnAsynchronousTaskThatDoesNotGetAsFarAsItsStage() {
        Supplier<CompletionStage<String>> task = () -> CompletableFuture.completedFuture(fail());
        CompletableFuture<String> future = executor.submitAsync("a", task);
        stepped.runAll();
        assertFailed(future);
        assertThat(heard.only(HeardTasks.Kind.FAILED, task).failure()).isSameAs(thrown);
    }

    @Test
    void alsoThroughACompletionService() {
        var service = new ExecutorCompletionService<String>(executor.asExecutorService());
        Future<String> future = service.submit(Striped.call("a", this::fail));
        stepped.runAll();
        assertFailed(future);
    }

    @Test
    void alsoAfterTheLastOfSeveralAttempts() {
        StripedExecutor retrying = StripedExecutor.builder()
                .executor(stepped)
                .listener(heard)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(java.time.Duration.ZERO)
                        .multiplier(2)
                        .thenProceed())
                .build();
        Callable<String> task = this::fail;
        CompletableFuture<String> future = retrying.submit("a", task);
        stepped.runAll();
        assertFailed(future);
        assertThat(heard.kindsOf(task))
                .isEqualTo(List.of(
                        HeardTasks.Kind.QUEUED,
                        HeardTasks.Kind.STARTED,
                        HeardTasks.Kind.RETRIED,
                        HeardTasks.Kind.STARTED,
                        HeardTasks.Kind.FAILED));
    }

    @Test
    @DisplayName("A stage that was cancelled cancels the future of its task, which completes as the stage does")
    void aCancelledStage() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> future = executor.submitAsync("a", () -> stage);
        stepped.runAll();
        stage.cancel(false);
        stepped.runAll();
        assertThat(future).isCancelled();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 1, 0));
    }

    private void assertFailed(Future<?> future) {
        assertThat(future.isDone()).isTrue();
        assertThat(future.isCancelled()).as("cancelled").isFalse();
        assertThatThrownBy(future::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isSameAs(thrown);
    }
}
