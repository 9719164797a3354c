package io.orderedexecutor.engine.task;

import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.task.Reports.Count;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A task with a result, and the future of it. Its work belongs to the thread that takes it: the one that starts it, or
 * one that completes the future before that, and so frees at once what the work refers to. A future that is complete
 * before its work is started is never started.
 *
 * @param <T> the type of the result
 */
public abstract sealed class TaskFuture<T extends @Nullable Object> extends CompletableFuture<T>
        implements RunnableFuture<T> {
    private static final VarHandle WORK;
    private static final VarHandle RUNNER;

    static {
        try {
            var lookup = MethodHandles.lookup();
            WORK = lookup.findVarHandle(TaskFuture.class, "work", Object.class);
            RUNNER = lookup.findVarHandle(TaskFuture.class, "runner", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What is to be done; taken by an atomic exchange. */
    private volatile @Nullable Object work;

    /**
     * The thread that does it, or the {@link Interruption} that is on its way to it. Set by that thread before it asks
     * whether the future is complete, and cleared by an atomic exchange; replaced by a cancellation by compare-and-set,
     * after it has completed the future. So one of the two sees the other, and the interrupt of a cancellation never
     * reaches what that thread does next.
     */
    private volatile @Nullable Object runner;

    /**
     * Where the task is, until it has ended. Written by the submitter before anybody else sees the place, and cleared
     * by the thread that ends the task. Plain: a thread that got this future from the submitter sees the place, or that
     * it is no longer needed.
     */
    private @Nullable TaskPlace place;

    /** An interrupt that is delivered while its monitor is held, which no other code can lock. */
    private static final class Interruption {
        synchronized void awaitDelivery() {
            // a thread that is inside has delivered it
        }
    }

    private TaskFuture(Object work) {
        // plain is enough: the future is published with its place
        WORK.set(this, work);
    }

    /**
     * Returns what an executor has to run for a task of the application. A future of this class that has a place, or
     * has had one, must not get another: it is run like any other task, as far as its work is not done.
     */
    @SuppressWarnings("UnnecessaryMethodReference") // the future itself would be known for what it is
    public static Runnable asPlain(Runnable task) {
        return task instanceof TaskFuture<?> future && (future.place != null || future.work == null)
                ? future::run
                : task;
    }

    // its place

    /** Notes where the task is; null if it is nowhere any more. */
    public final void setPlace(@Nullable TaskPlace newPlace) {
        place = newPlace;
    }

    public final @Nullable TaskPlace place() {
        return place;
    }

    // the work

    /** Takes the work, to do it or to give it up. Null if another thread has taken it. */
    public final @Nullable Object take() {
        return work == null ? null : WORK.getAndSet(this, null);
    }

    /** Makes this task ready for another attempt. */
    public final void putBack(Object taken) {
        work = taken;
    }

    /** The work that was submitted; null once it is taken. */
    public final @Nullable Object work() {
        return work;
    }

    /** Whether a caller has this future, and so can see a failure. */
    public boolean hasCaller() {
        return true;
    }

    /** The work that was submitted if it is a {@link Runnable}, and else this future. */
    public Runnable asSubmitted() {
        return work instanceof Runnable runnable ? runnable : this;
    }

    /**
     * Does the work, and completes this future unless it is asynchronous.
     *
     * @param taken the work that {@link #take} has returned
     * @return the stage of an asynchronous task; null if this future is complete
     * @throws Exception what the work threw, which has not completed this future yet
     */
    public final @Nullable CompletionStage<?> attempt(Object taken) throws Exception {
        runner = Thread.currentThread();
        try {
            // asked when the runner is known: a cancellation from here on interrupts it
            return isDone() ? null : perform(taken);
        } finally {
            if (RUNNER.getAndSet(this, null) instanceof Interruption interruption) {
                // the interrupt arrives before this thread goes on, which then clears it
                interruption.awaitDelivery();
            }
        }
    }

    abstract @Nullable CompletionStage<?> perform(Object taken) throws Exception;

    /** Whether the work may return a stage. */
    public boolean mayHold() {
        return false;
    }

    /** The work has returned a result. There is no stage. */
    final @Nullable CompletionStage<?> returned(@Nullable Object result) {
        TaskPlace current = place;
        if (current != null) {
            current.onReturn();
        }
        finish(result, null);
        return null;
    }

    /** The work has returned a stage. */
    final CompletionStage<?> stageOf(Supplier<?> supplier) {
        CompletionStage<?> stage = (CompletionStage<?>) supplier.get();
        if (stage == null) {
            throw new NullPointerException("the supplier of an asynchronous task returned null instead of a stage");
        }
        requireOthers(stage);
        return stage;
    }

    /** For callers that take this for a mere {@link Runnable}. */
    @Override
    public final void run() {
        Object taken = take();
        if (taken == null || isDone()) {
            return;
        }
        try {
            CompletionStage<?> stage = attempt(taken);
            if (stage != null) {
                stage.whenComplete((result, failure) -> finish(result, failure));
            }
        } catch (Throwable failure) {
            fail(failure);
        }
    }

    /** Whether a later task has taken the place of this one, which therefore is not run again. */
    public boolean isSuperseded() {
        return false;
    }

    /** A later task takes the place of this one, which has started; false if this one is over. */
    public boolean supersede() {
        return cancel(true);
    }

    /** Interrupts the thread that does the work, if it still does. */
    final void interruptRunner() {
        if (runner instanceof Thread thread) {
            Interruption interruption = new Interruption();
            synchronized (interruption) {
                if (RUNNER.compareAndSet(this, thread, interruption)) {
                    thread.interrupt();
                }
            }
        }
    }

    /**
     * Throws if a task has returned the future of a task that has to wait until this one has ended: the two, and all
     * tasks behind them, would wait for ever.
     */
    public final void requireOthers(CompletionStage<?> returned) {
        if (returned instanceof TaskFuture<?> other && (other == this || other.isBehind(this))) {
            throw new SelfWaitException(
                    "this task would wait for itself: it has returned the future of " + other.describe()
                            + ", which has to wait until this task has ended. Do that work within this task, or "
                            + "return a stage that does not depend on it");
        }
    }

    private boolean isBehind(TaskFuture<?> running) {
        TaskPlace own = placeUnlessDone();
        TaskPlace held = running.place;
        return own != null && held != null && own.isBehind(held);
    }

    // the end

    /**
     * Completes this future as the stage of its task has completed; called by the thread that has ended the attempt.
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // null only if T says so
    public final void finish(@Nullable Object result, @Nullable Throwable failure) {
        try {
            if (failure == null) {
                super.complete((T) result);
            } else {
                super.completeExceptionally(failure);
            }
        } catch (Throwable ofFailure) {
            if (!isDone()) {
                throw ofFailure;
            }
            // out of toString, which the JDK calls for dependent stages when this future is complete
            UncaughtFailures.report(ofFailure);
            UncaughtFailures.containing(this, () -> super.completeExceptionally(ofFailure));
        }
    }

    /**
     * Completes this future with what its task has thrown. A {@link CancellationException} is wrapped, as the JDK does
     * for dependent stages: bare, it would say that somebody has cancelled this future.
     */
    public final void fail(Throwable thrown) {
        finish(null, thrown instanceof CancellationException ? new CompletionException(thrown) : thrown);
    }

    /** Cancels this future; called by the thread that has taken its task back. */
    public final void cancelTakenBack() {
        UncaughtFailures.containing(this, () -> super.cancel(false));
    }

    /** How this task, whose future is complete, has ended. */
    public final Count end() {
        if (isCancelled()) {
            return Count.CANCELLED;
        }
        return isCompletedExceptionally() ? Count.FAILED : Count.COMPLETED;
    }

    /** What this future, which is complete, has failed with. */
    public final Throwable failure() {
        try {
            super.join();
        } catch (CompletionException failed) {
            Throwable cause = failed.getCause();
            return cause == null ? failed : cause;
        } catch (Throwable cancelled) {
            // or thrown by the failure itself, out of its toString
            return cancelled;
        }
        // somebody has obtruded a result since it failed
        return new IllegalStateException("this task has not failed");
    }

    /** Completes this future. If its task has not started, it leaves its place; if its stage is awaited, that too. */
    @Override
    public final boolean complete(T value) {
        Completion completion = beginCompletion(false);
        boolean byThisCall = true;
        try {
            byThisCall = super.complete(value);
        } finally {
            endCompletion(completion, byThisCall);
        }
        return byThisCall;
    }

    /** See {@link #complete}. */
    @Override
    public final boolean completeExceptionally(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        Completion completion = beginCompletion(false);
        boolean byThisCall = true;
        try {
            byThisCall = super.completeExceptionally(failure);
        } finally {
            // also if the failure throws out of its toString, which the JDK calls for dependent stages
            endCompletion(completion, byThisCall);
        }
        return byThisCall;
    }

    /** See {@link #complete}. */
    @Override
    public final boolean cancel(boolean mayInterruptIfRunning) {
        Completion completion = beginCompletion(mayInterruptIfRunning);
        boolean cancelled = true;
        try {
            cancelled = super.cancel(mayInterruptIfRunning);
            if (cancelled && mayInterruptIfRunning) {
                interruptRunner();
            }
        } finally {
            endCompletion(completion, cancelled);
        }
        return cancelled;
    }

    /** See {@link #complete}. */
    @Override
    public final void obtrudeValue(T value) {
        Completion completion = beginCompletion(false);
        try {
            super.obtrudeValue(value);
        } finally {
            endCompletion(completion, true);
        }
    }

    /** See {@link #complete}. */
    @Override
    public final void obtrudeException(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        Completion completion = beginCompletion(false);
        try {
            super.obtrudeException(failure);
        } finally {
            endCompletion(completion, true);
        }
    }

    /** Called before a thread that does not run the task completes this future; null if the task has ended. */
    private @Nullable Completion beginCompletion(boolean mayInterrupt) {
        TaskPlace current = place;
        return current == null
                ? null
                : Completion.begin(current.executorThatFollows(), this, () -> {
                    if (mayInterrupt && isCancelled()) {
                        interruptRunner();
                    }
                    current.onCompleted(this);
                });
    }

    private void endCompletion(@Nullable Completion completion, boolean byThisCall) {
        if (completion != null) {
            // there may have been no stack to complete it, and then its task goes on as if nobody had tried
            completion.end(byThisCall && isDone());
        }
    }

    /** See {@link #complete}; the inherited method would complete this future past it. */
    @Override
    public final CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        Objects.requireNonNull(supplier, "supplier");
        executor.execute(() -> {
            if (!isDone()) {
                completeWith(supplier);
            }
        });
        return this;
    }

    private void completeWith(Supplier<? extends T> supplier) {
        T value;
        try {
            value = supplier.get();
        } catch (Throwable failure) {
            completeExceptionally(failure);
            return;
        }
        complete(value);
    }

    // waiting for the end

    @Override
    public final T get() throws InterruptedException, ExecutionException {
        if (isDone()) {
            return super.get();
        }
        Wait wait = Wait.begin(this, false);
        try {
            Platform.beforeWait(this, Long.MAX_VALUE, true);
            return super.get();
        } finally {
            Wait.end(wait);
        }
    }

    @Override
    public final T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        if (isDone()) {
            return super.get(timeout, unit);
        }
        Wait wait = Wait.begin(this, true);
        try {
            return super.get(Platform.beforeWait(this, unit.toNanos(timeout), true), TimeUnit.NANOSECONDS);
        } finally {
            Wait.end(wait);
        }
    }

    @Override
    public final T join() {
        if (isDone()) {
            return super.join();
        }
        Wait wait = Wait.begin(this, false);
        try {
            Platform.beforeWait(this, Long.MAX_VALUE, false);
            return super.join();
        } finally {
            Wait.end(wait);
        }
    }

    /** Where the task is; null if its future is done, or it is nowhere any more. */
    final @Nullable TaskPlace placeUnlessDone() {
        TaskPlace current = place;
        return isDone() ? null : current;
    }

    /** The threads that have to get on with what they do before this future can be done, as far as they are known. */
    final List<Thread> awaitedThreads() {
        TaskPlace current = placeUnlessDone();
        return current == null ? List.of() : current.awaitedThreads();
    }

    /** Whether {@code thread} holds the task up by a place that it has reserved. */
    final boolean isBehindPlaceOf(Thread thread) {
        TaskPlace current = place;
        return current != null && current.ownersAhead().contains(thread);
    }

    /** Names the task and its place in messages. */
    final String describe() {
        TaskPlace current = place;
        Object submitted = work;
        String task = submitted == null ? "the running task" : "task " + Reports.toString(submitted);
        return task + (current == null ? "" : " of " + current.describe());
    }

    // kinds

    /**
     * A task that has ended when its {@link Callable} has returned.
     *
     * @param <T> the type of the result
     */
    public static final class Call<T extends @Nullable Object> extends TaskFuture<T> {
        public Call(Callable<T> callable) {
            super(callable);
        }

        @Override
        @SuppressWarnings("unchecked")
        @Nullable
        CompletionStage<?> perform(Object taken) throws Exception {
            T result = ((Callable<T>) taken).call();
            return returned(result);
        }
    }

    /**
     * A task that has ended when its {@link Runnable} has returned.
     *
     * @param <T> the type of the result
     */
    public static final class Run<T extends @Nullable Object> extends TaskFuture<T> {
        private final T result;
        private final boolean hasCaller;

        public Run(Runnable runnable, T result) {
            this(runnable, result, true);
        }

        private Run(Runnable runnable, T result, boolean hasCaller) {
            super(runnable);
            this.result = result;
            this.hasCaller = hasCaller;
        }

        /** A task whose future no caller has: the uncaught exception handler gets what it throws. */
        public static Run<Boolean> executed(Runnable runnable) {
            return new Run<>(runnable, true, false);
        }

        @Override
        public boolean hasCaller() {
            return hasCaller;
        }

        @Override
        @Nullable
        CompletionStage<?> perform(Object taken) {
            ((Runnable) taken).run();
            return returned(result);
        }
    }

    /**
     * An asynchronous task: it starts some work, and holds its place until the stage of that work is complete.
     *
     * @param <T> the type of the result
     */
    public static sealed class Stage<T extends @Nullable Object> extends TaskFuture<T> {
        public Stage(Supplier<? extends @Nullable CompletionStage<T>> supplier) {
            super(supplier);
        }

        @Override
        CompletionStage<?> perform(Object taken) {
            return stageOf((Supplier<?>) taken);
        }

        @Override
        public final boolean mayHold() {
            return true;
        }
    }

    /**
     * An asynchronous task that a later one may supersede. To complete its future would let the later one start at
     * once. So its stage is cancelled instead, and the task ends when that stage is complete.
     *
     * @param <T> the type of the result
     */
    public static final class SupersedableStage<T extends @Nullable Object> extends Stage<T> {

        /**
         * What this task has started. Written before {@link #superseded} is read, and read after that is written: so
         * one of the two threads cancels it.
         */
        private volatile @Nullable CompletionStage<?> stage;

        private volatile boolean superseded;

        public SupersedableStage(Supplier<? extends @Nullable CompletionStage<T>> supplier) {
            super(supplier);
        }

        @Override
        CompletionStage<?> perform(Object taken) {
            CompletionStage<?> started = super.perform(taken);
            stage = started;
            if (superseded) {
                cancel(started);
            }
            return started;
        }

        @Override
        public boolean isSuperseded() {
            return superseded;
        }

        @Override
        public boolean supersede() {
            if (isDone() || superseded) {
                return false;
            }
            superseded = true;
            interruptRunner();
            CompletionStage<?> started = stage;
            if (started != null) {
                cancel(started);
            }
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

    /** An item of a batch: it runs together with others in one task, and ends when that ends. */
    public abstract static non-sealed class Item extends TaskFuture<@Nullable Void> {
        protected Item(Object item) {
            super(item);
        }

        @Override
        public final Runnable asSubmitted() {
            Object item = work();
            return item == null ? this : asSubmitted(item);
        }

        protected abstract Runnable asSubmitted(Object item);

        @Override
        @Nullable
        CompletionStage<?> perform(Object taken) {
            throw new AssertionError("an item is run with others");
        }
    }

    /** The task of items that are run together. */
    public static final class Whole extends TaskFuture<@Nullable Void> {
        private final Function<Object, @Nullable CompletionStage<?>> body;
        private final boolean isStage;

        /**
         * Makes a task.
         *
         * @param work the work, until {@link #putBack} replaces it
         * @param body does the work with that
         * @param isStage whether the work returns a stage
         */
        public Whole(Object work, Function<Object, @Nullable CompletionStage<?>> body, boolean isStage) {
            super(work);
            this.body = body;
            this.isStage = isStage;
        }

        @Override
        @Nullable
        CompletionStage<?> perform(Object taken) {
            if (isStage) {
                return stageOf(() -> body.apply(taken));
            }
            var unused = body.apply(taken);
            return returned(null);
        }

        @Override
        public boolean mayHold() {
            return isStage;
        }
    }

    /**
     * A task whose result is passed on before this future is complete; by that, it has ended.
     *
     * @param <T> the type of the result
     */
    public static final class Piece<T extends @Nullable Object> extends TaskFuture<T> {
        private final boolean isStage;

        /**
         * The result or the failure of the work. Written by the thread that ends the work, read by the thread that
         * passes it on.
         */
        private @Nullable Object result;

        private record Failed(Throwable thrown) {}

        public Piece(Callable<T> work) {
            super(work);
            this.isStage = false;
        }

        public Piece(Supplier<? extends @Nullable CompletionStage<T>> work) {
            super(work);
            this.isStage = true;
        }

        @Override
        @Nullable
        CompletionStage<?> perform(Object taken) throws Exception {
            if (isStage) {
                return stageOf((Supplier<?>) taken);
            }
            result = ((Callable<?>) taken).call();
            return null;
        }

        @Override
        public boolean mayHold() {
            return isStage;
        }

        /** Called by the thread that ends the work. */
        public void setResult(@Nullable Object given) {
            result = given;
        }

        /** Called by the thread that ends the work. */
        public void setThrown(Throwable thrown) {
            result = new Failed(thrown);
        }

        /** Null if the work has not failed. */
        public @Nullable Throwable thrown() {
            return result instanceof Failed failed ? failed.thrown : null;
        }

        @SuppressWarnings({"unchecked", "NullAway"}) // null only if T says so
        public T result() {
            return (T) result;
        }

        /** Called when the task is over: then nobody needs the result, except callers that have this future. */
        public void forgetResult() {
            result = null;
        }
    }
}
