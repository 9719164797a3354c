package io.orderedexecutor.spring.annotation;

import org.jspecify.annotations.Nullable;

/**
 * Watches calls of {@link OrderedAsync @OrderedAsync} methods, for traces and timers. If there is exactly one bean of
 * this type, it is notified of all calls.
 *
 * <p>An exception of the observer fails the call, or is logged if the call has ended. It never holds up a stripe or a
 * group.
 */
public interface OrderedAsyncObserver {

    /**
     * Called when a call is about to be submitted, on the thread of the caller, whose context can be captured here.
     *
     * @param call the call
     * @param executorName the name of the executor's bean
     * @param executorType {@code striped} or {@code grouped}
     * @return what watches this call
     */
    WatchedCall submitted(OrderedAsyncCall call, String executorName, String executorType);

    /** Watches one call. */
    interface WatchedCall {

        /**
         * The call starts on this thread, perhaps again.
         *
         * @return what watches this run
         */
        WatchedRun started();

        /**
         * The call was refused, or has ended with a failure or a cancellation, perhaps without ever having started.
         * Called at most once, on any thread.
         *
         * @param reason why
         */
        void failed(Throwable reason);
    }

    /** Watches one run of a call. */
    interface WatchedRun {

        /** The method has returned; called on the thread that runs it, before {@link #ended}. */
        void returned();

        /**
         * The call has ended: the stage that the method has returned is complete. Called once, on any thread, before
         * the caller's future is done and before the next task of the stripe or groups starts.
         *
         * @param failure what the method has thrown, or its stage has failed with; null if neither
         */
        void ended(@Nullable Throwable failure);
    }
}
