package io.orderedexecutor;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A {@link StripedExecutor} seen as an {@link java.util.concurrent.ExecutorService}; see there. */
final class StripedExecutorService extends AbstractExecutorService {
    private final StripedExecutor striped;
    private final StripedEngine engine;

    StripedExecutorService(StripedExecutor striped, StripedEngine engine) {
        this.striped = striped;
        this.engine = engine;
    }

    @Override
    public void execute(Runnable command) {
        Objects.requireNonNull(command, "command");
        Object submitted = command instanceof TaskFuture<?> future ? future.work() : command;
        Object stripe = submitted instanceof StripedObject object ? object.getStripe() : null;
        if (stripe == null) {
            engine.placeAlone(command);
        } else {
            engine.place(stripe, command);
        }
    }

    @Override
    protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Runnable runnable, T value) {
        return TaskFuture.of(Objects.requireNonNull(runnable, "task"), value);
    }

    @Override
    protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Callable<T> callable) {
        return TaskFuture.of(Objects.requireNonNull(callable, "task"));
    }

    // The inherited invokeAny wraps the tasks, which would hide their stripes.

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
        return firstSuccess(tasks, unit.toNanos(timeout));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // adding to a queue cannot fail
    private <T extends @Nullable Object> T firstSuccess(Collection<? extends Callable<T>> tasks, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (tasks.isEmpty()) {
            throw new IllegalArgumentException("tasks is empty, so there is none whose result could be returned");
        }
        long start = System.nanoTime();
        BlockingQueue<Future<T>> done = new LinkedBlockingQueue<>();
        List<Future<T>> futures = new ArrayList<>(tasks.size());
        try {
            for (Callable<T> task : tasks) {
                TaskFuture<T> future = TaskFuture.of(Objects.requireNonNull(task, "task"));
                future.whenComplete((result, failure) -> done.add(future));
                futures.add(future);
                execute(future);
            }
            return firstSuccess(done, futures.size(), start, nanos);
        } finally {
            futures.forEach(future -> future.cancel(true));
        }
    }

    private static <T extends @Nullable Object> T firstSuccess(
            BlockingQueue<Future<T>> done, int pending, long start, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        ExecutionException lastFailure = new ExecutionException("no task has ended", null);
        for (int left = pending; left > 0; left--) {
            Future<T> future = done.poll(nanos - (System.nanoTime() - start), TimeUnit.NANOSECONDS);
            if (future == null) {
                throw new TimeoutException(left + " of " + pending + " tasks have not ended, and none has succeeded");
            }
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
        striped.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return striped.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return striped.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return striped.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return striped.awaitTermination(timeout, unit);
    }

    /** Replaces the inherited method of Java 19 and later, which would wait forever when called from inside a task. */
    public void close() {
        striped.close();
    }

    @Override
    public String toString() {
        return striped + " as an ExecutorService";
    }
}
