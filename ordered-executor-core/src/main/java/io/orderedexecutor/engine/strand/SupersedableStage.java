package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.pool.UncaughtFailures;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous task that a later one may supersede. To complete its future would let the later one start at once. So
 * its stage is cancelled instead, and the task ends when that stage is complete; if it waits for a retry, it is started
 * at once and finds that it must not run.
 *
 * @param <T> the type of the result
 */
public final class SupersedableStage<T extends @Nullable Object> extends TaskFuture<T> {

    /**
     * What this task has started. Written before {@link #isSuperseded} is asked, and read after it is set: so one of
     * the two threads cancels it.
     */
    private volatile @Nullable CompletionStage<T> stage;

    public SupersedableStage(Supplier<? extends @Nullable CompletionStage<T>> supplier) {
        super(supplier, true);
    }

    @Override
    @SuppressWarnings("unchecked")
    public @Nullable AsyncAttempt perform(Object taken) {
        StageAttempt<T> attempt = new StageAttempt<>(this);
        return attempt.listenTo(start((Supplier<? extends @Nullable CompletionStage<T>>) taken));
    }

    private CompletionStage<T> start(Supplier<? extends @Nullable CompletionStage<T>> supplier) {
        if (isSuperseded()) {
            noteReturn();
            cancel(false);
            return CompletableFuture.failedFuture(new CancellationException());
        }
        CompletionStage<T> started = StageFuture.stageOf(supplier);
        stage = started;
        if (isSuperseded()) {
            cancel(started);
        }
        return started;
    }

    @Override
    boolean supersede(Strand strand) {
        if (!markSuperseded()) {
            return false;
        }
        interruptRunner();
        CompletionStage<T> started = stage;
        if (started != null) {
            cancel(started);
        }
        StrandControl.endRetryPause(strand);
        return true;
    }

    private static void cancel(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().cancel(true);
        } catch (UnsupportedOperationException cannotBeCancelled) {
            // then this task takes as long as it takes
        } catch (Throwable ofStage) {
            // the same; and the submission that interrupts was accepted, so it must not be told otherwise
            UncaughtFailures.report(ofStage);
        }
    }
}
