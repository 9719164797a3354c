package io.orderedexecutor;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/** All ways to submit a watched task, each with the guise that it needs. */
enum SubmissionWay {
    EXECUTE,
    VIEW,
    SUBMIT,
    SUBMIT_ASYNC,
    SERVICE_EXECUTE,
    SERVICE_RUNNABLE,
    SERVICE_CALLABLE,
    PLAIN_EXECUTE,
    PLAIN_CALLABLE;

    boolean isAsynchronous() {
        return this == SUBMIT_ASYNC;
    }

    /** Whether the task belongs to a stripe. */
    boolean isStriped() {
        return this != PLAIN_EXECUTE && this != PLAIN_CALLABLE;
    }

    boolean hasFuture() {
        return switch (this) {
            case SUBMIT, SUBMIT_ASYNC, SERVICE_RUNNABLE, SERVICE_CALLABLE, PLAIN_CALLABLE -> true;
            case EXECUTE, VIEW, SERVICE_EXECUTE, PLAIN_EXECUTE -> false;
        };
    }

    /** What is submitted. Only the executor refers to it, so that its reachability tells what the executor keeps. */
    Guise guise(WatchedTask task) {
        return switch (this) {
            case EXECUTE, VIEW, PLAIN_EXECUTE -> new RunnableGuise(task);
            case SERVICE_EXECUTE, SERVICE_RUNNABLE -> new StripedRunnableGuise(task);
            case SUBMIT, PLAIN_CALLABLE -> new CallableGuise(task);
            case SERVICE_CALLABLE -> new StripedCallableGuise(task);
            case SUBMIT_ASYNC -> new SupplierGuise(task);
        };
    }

    /** Submits; null if this way gives no future. */
    CompletableFuture<Object> submit(StripedExecutor executor, Object stripe, Guise guise) {
        ExecutorService service = executor.asExecutorService();
        switch (this) {
            case EXECUTE -> executor.execute(stripe, (Runnable) guise);
            case VIEW -> executor.executorFor(stripe).execute((Runnable) guise);
            case SERVICE_EXECUTE, PLAIN_EXECUTE -> service.execute((Runnable) guise);
            case SUBMIT -> {
                return executor.submit(stripe, (CallableGuise) guise);
            }
            case SUBMIT_ASYNC -> {
                return executor.submitAsync(stripe, (SupplierGuise) guise);
            }
            case SERVICE_RUNNABLE -> {
                return completable(service.submit((Runnable) guise));
            }
            case SERVICE_CALLABLE, PLAIN_CALLABLE -> {
                return completable(service.submit((CallableGuise) guise));
            }
        }
        return null;
    }

    @SuppressWarnings("unchecked") // the type of the result is erased, and the test gives objects only
    private static CompletableFuture<Object> completable(Future<?> future) {
        return (CompletableFuture<Object>) future;
    }

    /** A watched task as the executor sees it. */
    abstract static class Guise {
        final WatchedTask task;

        Guise(WatchedTask task) {
            this.task = task;
        }

        public Object getStripe() {
            return task.stripe().key();
        }
    }

    private static class RunnableGuise extends Guise implements Runnable {
        RunnableGuise(WatchedTask task) {
            super(task);
        }

        @Override
        public void run() {
            task.attempt();
        }
    }

    private static final class StripedRunnableGuise extends RunnableGuise implements StripedRunnable {
        StripedRunnableGuise(WatchedTask task) {
            super(task);
        }
    }

    private static class CallableGuise extends Guise implements Callable<Object> {
        CallableGuise(WatchedTask task) {
            super(task);
        }

        @Override
        public Object call() {
            task.attempt();
            return task;
        }
    }

    private static final class StripedCallableGuise extends CallableGuise implements StripedCallable<Object> {
        StripedCallableGuise(WatchedTask task) {
            super(task);
        }
    }

    private static final class SupplierGuise extends Guise implements Supplier<CompletionStage<Object>> {
        SupplierGuise(WatchedTask task) {
            super(task);
        }

        @Override
        public CompletionStage<Object> get() {
            return task.attemptStage();
        }
    }
}
