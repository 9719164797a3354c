package io.orderedexecutor.spring.annotation;

import org.jspecify.annotations.Nullable;

/**
 * Watches calls of {@link OrderedAsync @OrderedAsync} methods, for traces and timers. If there is exactly one bean of
 * this type, it is notified of all calls.
 *
 * <p>An exception of {@code submitted} fails the call, and so does an exception of {@code started}, unless the call was
 * joined with another one. All other exceptions of the observer are logged. No exception holds up a stripe or a group.
 */
public interface OrderedAsyncObserver {

    /**
     * Called when a call is about to be submitted, on the thread of the caller, whose context can be captured here. The
     * task decorators have been called before: what this method sets on the thread does not reach them.
     *
     * @param call the call
     * @param executorName the name of the executor's bean, or {@code ordered-executor} for the default executor
     * @param executorType {@code striped} or {@code grouped}
     * @return the observer of this call
     */
    WatchedCall submitted(OrderedAsyncCall call, String executorName, String executorType);

    /** Watches one call. */
    interface WatchedCall {

        /**
         * Called when the call starts on this thread, perhaps again after a failure.
         *
         * @return the observer of this run
         */
        WatchedRun started();

        /**
         * Called if the call was refused, or has ended with a failure or a cancellation, even if it has never started;
         * also if the application has completed its future before it started. Called at most once, on any thread.
         *
         * @param reason the failure, the rejection or the cancellation; a {@code CancellationException} if the
         *     application has completed the future with a result
         */
        void failed(Throwable reason);
    }

    /** Watches one run of a call. */
    interface WatchedRun {

        /** Called when the method has returned, on the thread that ran it, before {@link #ended}. */
        void returned();

        /**
         * Called when the call has ended: the stage that the method has returned is complete. Called once, on any
         * thread, before the caller's future is done and before the next task of the stripe or groups starts.
         *
         * @param failure the exception of the method or of its stage; null if there is none
         */
        void ended(@Nullable Throwable failure);
    }
}
