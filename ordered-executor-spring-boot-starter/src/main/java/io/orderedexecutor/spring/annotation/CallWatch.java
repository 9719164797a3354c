package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.spring.annotation.OrderedAsyncObserver.WatchedCall;
import io.orderedexecutor.spring.annotation.OrderedAsyncObserver.WatchedRun;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Tells what watches a call of it, if anything does, and sees to it that a failure of the watcher holds nothing up.
 *
 * @param watched what watches the call
 */
record CallWatch(@Nullable WatchedCall watched) {
    private static final Log logger = LogFactory.getLog(CallWatch.class);

    /** Of a call that nobody watches. */
    static final CallWatch NONE = new CallWatch(null);

    /** Submits the call. */
    @SuppressWarnings("FutureReturnValueIgnored") // the action is all that is wanted
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
        future.exceptionally(failure -> {
            tell(() -> call.failed(failure));
            return null;
        });
        return future;
    }

    /**
     * Runs the call.
     *
     * @param run throws nothing
     * @return a stage that is complete when the one that {@code run} returns is, and the watcher has been told
     */
    CompletionStage<@Nullable Object> run(Supplier<CompletionStage<@Nullable Object>> run) {
        WatchedCall call = watched;
        if (call == null) {
            return run.get();
        }
        WatchedRun watchedRun;
        try {
            watchedRun = call.started();
        } catch (Throwable ofWatcher) {
            return CompletableFuture.failedFuture(ofWatcher);
        }
        CompletionStage<@Nullable Object> stage = run.get();
        tell(watchedRun::returned);
        return ended(stage, watchedRun);
    }

    /** Not a stage that depends on the other one: that would wrap its failure. */
    @SuppressWarnings("FutureReturnValueIgnored") // the action is all that is wanted
    private static CompletionStage<@Nullable Object> ended(
            CompletionStage<@Nullable Object> stage, WatchedRun watchedRun) {
        CompletableFuture<@Nullable Object> ended = new CompletableFuture<>();
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
