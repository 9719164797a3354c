package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.spring.annotation.OrderedAsyncObserver.WatchedCall;
import io.orderedexecutor.spring.annotation.OrderedAsyncObserver.WatchedRun;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Notifies the {@link OrderedAsyncObserver} of the events of one call, if there is an observer. A failure of the
 * observer never holds up a stripe or a group.
 */
final class CallObservation {
    private static final Log logger = LogFactory.getLog(CallObservation.class);

    /** For applications without an observer. */
    static final CallObservation NONE = new CallObservation(null);

    /** The observer's view of this call; null without an observer. */
    private final @Nullable WatchedCall watched;

    /** Whether the call has started. Written before the observer is notified of the start. */
    private volatile boolean isStarted;

    CallObservation(@Nullable WatchedCall watched) {
        this.watched = watched;
    }

    /** Submits the call. */
    @SuppressWarnings("FutureReturnValueIgnored") // only the action matters
    CompletableFuture<@Nullable Object> submit(Supplier<CompletableFuture<@Nullable Object>> submission) {
        WatchedCall call = watched;
        if (call == null) {
            return submission.get();
        }
        CompletableFuture<@Nullable Object> future;
        try {
            future = submission.get();
        } catch (RuntimeException | Error refusal) {
            tell(() -> call.failed(refusal));
            throw refusal;
        }
        future.whenComplete((result, failure) -> {
            if (failure != null) {
                tell(() -> call.failed(failure));
            } else if (!isStarted) {
                tell(() -> call.failed(new CancellationException()));
            }
        });
        return future;
    }

    /**
     * Runs the call.
     *
     * @param run throws nothing
     * @param notStarted makes the stage of a call that does not run, since the observer failed
     * @return a stage that completes when the stage that {@code run} returns is complete and the observer has been
     *     notified
     */
    CompletionStage<@Nullable Object> run(
            Supplier<CompletionStage<@Nullable Object>> run,
            Function<Throwable, CompletionStage<@Nullable Object>> notStarted) {
        WatchedCall call = watched;
        if (call == null) {
            return run.get();
        }
        WatchedRun watchedRun;
        isStarted = true;
        try {
            watchedRun = call.started();
        } catch (Throwable ofWatcher) {
            return notStarted.apply(ofWatcher);
        }
        CompletionStage<@Nullable Object> stage = run.get();
        tell(watchedRun::returned);
        return ended(stage, watchedRun);
    }

    /**
     * Called if another call has collected the elements of this one, and runs the method for both. Notifies the
     * observer of the start and the end of that run.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // only the action matters
    void watch(CompletionStage<@Nullable Object> end) {
        WatchedCall call = watched;
        if (call != null) {
            isStarted = true;
            tell(() -> {
                WatchedRun watchedRun = call.started();
                tell(watchedRun::returned);
                end.whenComplete((result, failure) -> tell(() -> watchedRun.ended(failure)));
            });
        }
    }

    /** Stands for the stage of a call, and is complete when the observer has been notified. */
    private static final class Ended extends CompletableFuture<@Nullable Object> {
        private final CompletionStage<@Nullable Object> stage;

        Ended(CompletionStage<@Nullable Object> stage) {
            this.stage = stage;
        }

        /**
         * Cancels the stage of the call. This stage completes when the stage of the call does. Called by the executor.
         */
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return stage instanceof Future<?> future && future.cancel(mayInterruptIfRunning);
        }
    }

    /**
     * Returns a stage that completes as the given stage does, but only after the observer was notified.
     * {@code whenComplete} would wrap the failure, so its stage is not returned.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // only the action matters
    private static CompletionStage<@Nullable Object> ended(
            CompletionStage<@Nullable Object> stage, WatchedRun watchedRun) {
        Ended ended = new Ended(stage);
        stage.whenComplete((result, failure) -> {
            tell(() -> watchedRun.ended(failure));
            if (failure == null) {
                ended.complete(result);
            } else {
                ended.completeExceptionally(failure);
            }
        });
        return ended;
    }

    private static void tell(Runnable event) {
        try {
            event.run();
        } catch (Throwable ofWatcher) {
            logger.error("The OrderedAsyncObserver failed", ofWatcher);
        }
    }
}
