package io.orderedexecutor;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Signal;
import io.orderedexecutor.engine.task.Reports;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.engine.task.Wait;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** An ordered executor seen as an {@link java.util.concurrent.ExecutorService}, whose lifecycle is the same. */
final class ExecutorServiceView extends AbstractExecutorService {
    private final OrderedExecutor executor;
    private final Platform platform;
    private final Placing placing;

    /**
     * The last future that the current thread has created and not yet executed. An {@link ExecutorCompletionService}
     * wraps this future, and so hides the submitted task.
     */
    @SuppressWarnings("ThreadLocalUsage") // a future of one view must not be executed by another view
    private final ThreadLocal<@Nullable TaskFuture<?>> made = new ThreadLocal<>();

    /** Accepts tasks, which may name their order themselves. */
    interface Placing {

        /**
         * Accepts a task, or throws.
         *
         * @param submitted the object of the application, which may name its order
         * @param task the task that is run: the same object, or its future
         */
        void place(Object submitted, Runnable task);
    }

    ExecutorServiceView(OrderedExecutor executor, Platform platform, Placing placing) {
        this.platform = platform;
        this.executor = executor;
        this.placing = placing;
    }

    @Override
    public void execute(Runnable command) {
        TaskFuture<?> made = this.made.get();
        // forgotten even if this submission fails: the next command has nothing to do with this future
        this.made.remove();
        Objects.requireNonNull(command, "command");
        Object submitted = Reports.submitted(command);
        if (made != null && isOfCompletionService(command)) {
            made.setWrapped();
            submitted = Reports.submitted(made);
        }
        placing.place(submitted, TaskFuture.asMade(command));
    }

    /** Returns whether a completion service has wrapped the future that was created for it just before. */
    private static boolean isOfCompletionService(Runnable command) {
        return command.getClass().getEnclosingClass() == ExecutorCompletionService.class;
    }

    @Override
    protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Runnable runnable, T value) {
        return noted(new TaskFuture.Run<>(TaskFuture.asPlain(Objects.requireNonNull(runnable, "task")), value));
    }

    @Override
    protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Callable<T> callable) {
        return noted(new TaskFuture.Call<>(Objects.requireNonNull(callable, "task")));
    }

    private <T extends @Nullable Object> RunnableFuture<T> noted(TaskFuture<T> future) {
        made.set(future);
        return future;
    }

    // The inherited invokeAny wraps the tasks, and so would hide their order.

    @Override
    public <T extends @Nullable Object> T invokeAny(Collection<? extends Callable<T>> tasks)
            throws InterruptedException, ExecutionException {
        try {
            return firstSuccess(tasks, Long.MAX_VALUE);
        } catch (TimeoutException afterCenturies) {
            throw new ExecutionException(afterCenturies);
        }
    }

    @Override
    public <T extends @Nullable Object> T invokeAny(
            Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return firstSuccess(tasks, Math.max(0, unit.toNanos(timeout)));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // adding to a queue cannot fail
    private <T extends @Nullable Object> T firstSuccess(Collection<? extends Callable<T>> tasks, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (tasks.isEmpty()) {
            throw new IllegalArgumentException("tasks is empty, so there is none whose result could be returned");
        }
        long start = platform.nanoTime();
        Queue<Future<T>> done = new ConcurrentLinkedQueue<>();
        Signal ended = new Signal(platform);
        List<Future<T>> futures = new ArrayList<>(tasks.size());
        try {
            for (Callable<T> task : tasks) {
                TaskFuture<T> future = new TaskFuture.Call<>(Objects.requireNonNull(task, "task"));
                future.whenComplete((result, failure) -> {
                    done.add(future);
                    ended.signal();
                });
                futures.add(future);
                placing.place(task, future);
            }
            return firstSuccess(new ArrayList<>(futures), done, ended, start, nanos);
        } finally {
            futures.forEach(future -> future.cancel(true));
        }
    }

    private <T extends @Nullable Object> T firstSuccess(
            List<Future<T>> pending, Queue<Future<T>> done, Signal ended, long start, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        int count = pending.size();
        ExecutionException lastFailure = new ExecutionException("no task has ended", null);
        while (!pending.isEmpty()) {
            Wait.requireOneToEnd(pending, nanos != Long.MAX_VALUE);
            ended.await(() -> !done.isEmpty(), nanos - (platform.nanoTime() - start));
            Future<T> future = done.poll();
            if (future == null) {
                throw new TimeoutException(
                        pending.size() + " of " + count + " tasks have not ended, and none has succeeded");
            }
            pending.removeIf(other -> other == future);
            try {
                return future.get();
            } catch (ExecutionException failure) {
                lastFailure = failure;
            } catch (CancellationException takenBack) {
                lastFailure = new ExecutionException(takenBack);
            }
        }
        throw lastFailure;
    }

    @Override
    public void shutdown() {
        executor.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return executor.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return executor.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return executor.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return executor.awaitTermination(timeout, unit);
    }

    /** Replaces the inherited method of Java 19 and later, which would wait forever when called from inside a task. */
    public void close() {
        executor.close();
    }

    @Override
    public String toString() {
        return executor + " as an ExecutorService";
    }
}
