package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tasks that fail, in all ways in which a task can, for tests of what becomes of their stripe, step by step. */
abstract class FailingTasks {
    static final Duration PAUSE = Duration.ofSeconds(1);

    final SteppedExecutor stepped = new SteppedExecutor();
    final HandTimer timer = new HandTimer();
    final OrderRecorder recorder = new OrderRecorder();
    final OrderRecorder.Source source = recorder.lane("a").source();
    final List<Throwable> uncaught = new ArrayList<>();
    final RuntimeException failure = new ThrownOnPurpose();
    Thread.UncaughtExceptionHandler handlerBefore;
    StripedExecutor executor;

    @BeforeEach
    void watchUncaught() {
        handlerBefore = Thread.currentThread().getUncaughtExceptionHandler();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
    }

    @AfterEach
    void restore() {
        Thread.currentThread().setUncaughtExceptionHandler(handlerBefore);
    }

    void use(FailurePolicy policy) {
        executor = StripedExecutor.builder()
                .executor(stepped)
                .failurePolicy(policy)
                .platform(timer)
                .build();
    }

    static FailurePolicy.RetryBuilder retry(int attempts) {
        return FailurePolicy.retry().maxRetries(attempts - 1).delay(PAUSE).multiplier(2);
    }

    /** Fails so many times, then succeeds; counts its attempts. */
    class Failing {
        final AtomicInteger attempts = new AtomicInteger();
        private final int failures;

        Failing(int failures) {
            this.failures = failures;
        }

        static int always() {
            return Integer.MAX_VALUE;
        }

        int attempt() {
            int attempt = attempts.incrementAndGet();
            if (attempt <= failures) {
                throw failure;
            }
            return attempt;
        }

        int attempts() {
            return attempts.get();
        }
    }

    Failing failing() {
        return new Failing(Failing.always());
    }

    /** All ways in which a task can fail. */
    enum Kind {
        EXECUTE,
        SUBMIT,
        SUPPLIER_THROWS,
        STAGE_FAILS_INLINE,
        STAGE_FAILS_LATER,
        STAGE_FAILS_ON_ANOTHER_THREAD;

        boolean hasFuture() {
            return this != EXECUTE;
        }
    }

    /** A task of some kind, and what makes its stage fail if that is up to the test. */
    final class Submitted {
        final Failing failing;
        final Kind kind;
        CompletableFuture<Integer> future;
        private CompletableFuture<Integer> stage;
        private int attempt;

        Submitted(Kind kind, Object stripe, Failing failing) {
            this.kind = kind;
            this.failing = failing;
            switch (kind) {
                case EXECUTE -> executor.execute(stripe, failing::attempt);
                case SUBMIT -> future = executor.submit(stripe, failing::attempt);
                case SUPPLIER_THROWS ->
                    future = executor.submitAsync(stripe, () -> CompletableFuture.completedFuture(failing.attempt()));
                case STAGE_FAILS_INLINE -> future = executor.submitAsync(stripe, this::settled);
                case STAGE_FAILS_LATER, STAGE_FAILS_ON_ANOTHER_THREAD ->
                    future = executor.submitAsync(stripe, () -> {
                        attempt = failing.attempts.incrementAndGet();
                        stage = new CompletableFuture<>();
                        return stage;
                    });
            }
        }

        private CompletionStage<Integer> settled() {
            try {
                return CompletableFuture.completedFuture(failing.attempt());
            } catch (ThrownOnPurpose thrown) {
                return CompletableFuture.failedFuture(thrown);
            }
        }

        /** Runs what can be run, and lets the stage end if there is one. */
        void run() {
            stepped.runAll();
            while (stage != null) {
                CompletableFuture<Integer> ending = stage;
                stage = null;
                if (kind == Kind.STAGE_FAILS_LATER) {
                    end(ending);
                } else {
                    Thread other = new Thread(() -> end(ending));
                    other.start();
                    Patience.join(other);
                }
                stepped.runAll();
            }
        }

        private void end(CompletableFuture<Integer> ending) {
            if (attempt <= failing.failures) {
                ending.completeExceptionally(failure);
            } else {
                ending.complete(attempt);
            }
        }

        void assertFailed() {
            if (kind.hasFuture()) {
                assertThatThrownBy(() -> future.get(0, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .cause()
                        .isSameAs(failure);
                assertThat(uncaught).isEmpty();
            } else {
                assertThat(uncaught).containsExactly(failure);
            }
        }

        void assertNotDone() {
            if (kind.hasFuture()) {
                assertThat(future).isNotDone();
            }
            assertThat(uncaught).isEmpty();
        }

        void assertSucceeded(int attempts) {
            if (kind.hasFuture()) {
                assertThat(future).isCompletedWithValue(attempts);
            }
            assertThat(failing.attempts()).isEqualTo(attempts);
            assertThat(uncaught).isEmpty();
        }
    }

    Submitted submit(Kind kind, Failing failing) {
        return new Submitted(kind, "a", failing);
    }

    void assertStats(long stripes, long queued, long active, long completed, long failed, long cancelled) {
        long deepest = executor.inspect().deepestKeys(1).stream()
                .mapToLong(KeySnapshot::queued)
                .sum();
        long parked = executor.inspect().parkedTasks().size();
        assertThat(executor.inspect().stats())
                .isEqualTo(new OrderedExecutorStats(
                        stripes, queued, deepest, parked, active, completed, failed, cancelled, 0));
    }

    void assertTerminatedByShutdown() {
        executor.shutdown();
        stepped.runAll();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(timer.waiting()).isZero();
    }
}
