package io.orderedexecutor.engine.task;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.engine.pool.PlatformFuture;
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
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A task with a result, and its future. The work belongs to the thread that takes it: the thread that starts the task,
 * or a thread that takes the task back or completes the future first, which frees at once what the work refers to. The
 * work of a future that is complete never starts.
 *
 * <p>Callers that cast a future to {@link Runnable} must not run the work out of its turn. So {@link #run} and the
 * executors to which a future is submitted ask for its state:
 *
 * <ul>
 *   <li><i>New</i>: it has its work and no place. Only the submitter has the future, and sets its place or calls
 *       {@link #setWrapped}. If the task is not accepted, the submitter removes the place again.
 *   <li><i>Placed</i>: {@link #run} throws, and no executor accepts the future as a task, until it is complete. The
 *       thread that ends the task removes the place.
 *   <li><i>Wrapped</i>: an {@link java.util.concurrent.ExecutorCompletionService} has wrapped it, and the wrapper gets
 *       the place. {@link #run} takes the work and does it; then the future is over.
 *   <li><i>Over</i>: it is complete, and has neither place nor work. {@link #run} does nothing.
 * </ul>
 *
 * @param <T> the type of the result
 */
public abstract sealed class TaskFuture<T extends @Nullable Object> extends PlatformFuture<T>
        implements RunnableFuture<T> {
    /** The {@link #runner} of a wrapped future whose work has not started. */
    private static final Object WRAPPED = new Object();

    private static final VarHandle WORK;
    private static final VarHandle RUNNER;
    private static final VarHandle PLACE;

    static {
        try {
            var lookup = MethodHandles.lookup();
            PLACE = lookup.findVarHandle(TaskFuture.class, "place", TaskPlace.class);
            WORK = lookup.findVarHandle(TaskFuture.class, "work", Object.class);
            RUNNER = lookup.findVarHandle(TaskFuture.class, "runner", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The work to do; null once a thread has taken it by an atomic exchange. */
    private volatile @Nullable Object work;

    /**
     * The thread that does the work, or an {@link Interruption} on its way to that thread. Thread A writes itself here,
     * then asks whether the future is complete; when the work is done, it clears this by an atomic exchange. Thread B
     * cancels the future, then replaces A by an interruption, by compare-and-set. So at least one of them sees the
     * other, and the interrupt never reaches what A does next. Before the work starts, {@link #WRAPPED} if this future
     * is wrapped.
     */
    private volatile @Nullable Object runner;

    /**
     * The place of the task; null before there is one, and when the task has ended. Written by the submitter before
     * other threads can find this future in the place. Cleared by the submitter if the task is not accepted; otherwise
     * by the thread that ends the task, after a thread has taken the work. Each write is a release. {@link #run},
     * {@link #asPlain}, {@link #asMade} and {@link #isWrapped} read in acquire mode: if they see that the place was
     * cleared, they also see that the work was taken. Other reads are plain: a thread that got this future from the
     * submitter sees the place, or the null after it.
     */
    private @Nullable TaskPlace place;

    /** An interrupt. It is delivered under this monitor, which no other code can lock. */
    private static final class Interruption {
        @GuardedBy("this")
        private boolean isOnlyOne;

        synchronized void deliver(Thread thread) {
            isOnlyOne = !thread.isInterrupted();
            thread.interrupt();
        }

        /** Waits for the thread that is just delivering the interrupt; false if another interrupt was there before. */
        synchronized boolean awaitDelivery() {
            return isOnlyOne;
        }
    }

    private TaskFuture(Object work) {
        // plain is enough: the future is published with its place
        WORK.set(this, work);
    }

    /**
     * Returns what an executor has to run for a task of the application: the task itself, or for a future of this class
     * another object that calls it, since the future must not get a place.
     *
     * @throws IllegalArgumentException if the task is a future that has a place and is not complete
     */
    @SuppressWarnings("UnnecessaryMethodReference") // to return the future itself would give it a place
    public static Runnable asPlain(Runnable task) {
        if (!(task instanceof TaskFuture<?> future)) {
            return task;
        }
        TaskPlace current = (TaskPlace) PLACE.getAcquire(future);
        if (current != null && !future.isDone()) {
            throw new IllegalArgumentException(future.runsInItsTurn(current));
        }
        return future::run;
    }

    /** As above, but returns a future itself if it is new: for the executor service that has just made it. */
    public static Runnable asMade(Runnable task) {
        return task instanceof TaskFuture<?> future
                        && PLACE.getAcquire(future) == null
                        && future.work != null
                        && future.runner != WRAPPED
                ? task
                : asPlain(task);
    }

    /** Called before a completion service submits what wraps this future, so that this future gets no place. */
    public final void setWrapped() {
        runner = WRAPPED;
    }

    /** Whether a completion service has wrapped this future, and its work has not ended. */
    final boolean isWrapped() {
        return PLACE.getAcquire(this) == null && runner != null && !isDone();
    }

    private String runsInItsTurn(TaskPlace current) {
        return "this is the future of a task that runs in its turn (" + current.describe()
                + "), so it can neither be run nor submitted as a task; submit its work again if that should run twice";
    }

    // its place

    /** Sets the place of the task; null when the task has ended, or was not accepted. */
    public final void setPlace(@Nullable TaskPlace newPlace) {
        PLACE.setRelease(this, newPlace);
    }

    public final @Nullable TaskPlace place() {
        return place;
    }

    // the work

    /** Takes the work, to do it or to drop it; null if another thread has taken it. */
    public final @Nullable Object take() {
        return work == null ? null : WORK.getAndSet(this, null);
    }

    /** Puts back the work, for another attempt. */
    public final void putBack(Object taken) {
        work = taken;
    }

    /** The work that was submitted; null once it is taken. */
    public final @Nullable Object work() {
        return work;
    }

    /** Whether a caller has this future, and so can see its failure. */
    public boolean hasCaller() {
        return true;
    }

    /** The submitted work if it is a {@link Runnable}; otherwise this future. */
    public Runnable asSubmitted() {
        return work instanceof Runnable runnable ? runnable : this;
    }

    /**
     * Does the work. Completes this future, unless the work returns a stage or this is a {@link Piece}.
     *
     * @param taken the work that {@link #take} has returned
     * @return the stage of an asynchronous task; null if there is none
     * @throws Exception the failure of the work; this future is not completed with it yet
     */
    public final @Nullable CompletionStage<?> attempt(Object taken) throws Exception {
        runner = Thread.currentThread();
        try {
            // after the write of the runner: a later cancellation interrupts this thread
            return isDone() ? null : perform(taken);
        } finally {
            if (RUNNER.getAndSet(this, null) instanceof Interruption interruption) {
                // the interrupt must not reach later work of this thread, which may be one of the application; an
                // interrupt that the thread had before is its own
                if (interruption.awaitDelivery()) {
                    Thread.interrupted();
                }
            }
        }
    }

    abstract @Nullable CompletionStage<?> perform(Object taken) throws Exception;

    /** Whether the work may return a stage. */
    public boolean mayHold() {
        return false;
    }

    /** Completes this future with the result of the work; returns null, since there is no stage. */
    final @Nullable CompletionStage<?> returned(@Nullable Object result) {
        TaskPlace current = place;
        if (current != null) {
            current.onReturn();
        }
        finish(result, null);
        return null;
    }

    /**
     * Does the work of an asynchronous task; returns its stage. Throws if there is no stage, or if it is the future of
     * this task, or of a task that waits for this one.
     */
    final CompletionStage<?> stageOf(Supplier<?> supplier) {
        CompletionStage<?> stage = (CompletionStage<?>) supplier.get();
        if (stage == null) {
            throw new NullPointerException("the supplier of an asynchronous task returned null instead of a stage");
        }
        requireOthers(stage);
        return stage;
    }

    /**
     * For callers to which this future is just a {@link Runnable}: does the work, unless a thread has taken it, or this
     * future is complete.
     *
     * @throws IllegalStateException if this future has a place, and is not complete
     */
    @Override
    public final void run() {
        TaskPlace current = (TaskPlace) PLACE.getAcquire(this);
        if (current != null) {
            if (!isDone()) {
                throw new IllegalStateException(runsInItsTurn(current));
            }
            return;
        }
        Object taken = take();
        if (taken == null || isDone()) {
            return;
        }
        try {
            // there is no stage: the task of a completion service is not asynchronous
            var unused = attempt(taken);
        } catch (Throwable failure) {
            fail(failure);
        }
    }

    /** Whether a later task supersedes this one, so that this one must not run again. */
    public boolean isSuperseded() {
        return false;
    }

    /**
     * Called when a later task supersedes this one, which has started. Interrupts or cancels this task; returns false
     * if it is over, or was superseded before.
     */
    public boolean supersede() {
        return cancelUnlessDone();
    }

    /** Cancels this future, and interrupts its thread; false if this future is complete, even if it was cancelled. */
    public final boolean cancelUnlessDone() {
        if (isDone()) {
            return false;
        }
        CancellationException cancellation = new CancellationException();
        UncaughtFailures.containing(this, () -> cancel(true, () -> super.completeExceptionally(cancellation)));
        return handle((result, failure) -> failure == cancellation).join();
    }

    /** Interrupts the thread that does the work, if it still does. */
    final void interruptRunner() {
        if (runner instanceof Thread thread) {
            Interruption interruption = new Interruption();
            synchronized (interruption) {
                if (RUNNER.compareAndSet(this, thread, interruption)) {
                    interruption.deliver(thread);
                }
            }
        }
    }

    /**
     * Throws if this task has returned the future of itself, of an item of itself, or of a task that has to wait until
     * this one has ended: then both, and all tasks behind them, would wait for ever.
     */
    private void requireOthers(CompletionStage<?> returned) {
        if (returned instanceof TaskFuture<?> other
                && (other == this || other.isItemOf(this) || other.isBehind(this))) {
            throw new SelfWaitException(
                    "this task would wait for itself: it has returned the future of " + other.describe()
                            + ", which has to wait until this task has ended. Do that work within this task, or "
                            + "return a stage that does not depend on it");
        }
    }

    /** Whether this is an item that ends with a batch; an item has the place of its batch. */
    private boolean isItemOf(TaskFuture<?> whole) {
        TaskPlace own = placeUnlessDone();
        return own != null && own == whole.place;
    }

    /** Whether this task has to wait until another one has left its orders. */
    final boolean isBehind(TaskFuture<?> other) {
        TaskPlace own = placeUnlessDone();
        TaskPlace held = other.place;
        return own != null && held != null && own.isBehind(held);
    }

    // the end

    /** Completes this future with a result or a failure. Called when the attempt has ended, or by {@link #run}. */
    @SuppressWarnings({"unchecked", "NullAway"}) // null only if T says so
    public final void finish(@Nullable Object result, @Nullable Throwable failure) {
        if (failure != null) {
            tellPlace(failure);
        }
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
            // thrown by toString, which the JDK calls for dependent stages after it has completed this future
            UncaughtFailures.report(ofFailure);
            UncaughtFailures.containing(this, () -> super.completeExceptionally(ofFailure));
        }
    }

    /** An exception of the place is reported, and does not keep this future from being completed. */
    private void tellPlace(Throwable failure) {
        TaskPlace current = place;
        if (current == null) {
            return;
        }
        try {
            current.onFailure(failure);
        } catch (Throwable ofPlace) {
            UncaughtFailures.report(ofPlace);
        }
    }

    /**
     * Completes this future with what its task has thrown. Wraps a {@link CancellationException}, as the JDK does for
     * dependent stages: bare, it would mean that this future was cancelled.
     */
    public final void fail(Throwable thrown) {
        finish(null, thrown instanceof CancellationException ? new CompletionException(thrown) : thrown);
    }

    /** Cancels this future. The calling thread ends the task. */
    public final void cancelTakenBack() {
        UncaughtFailures.containing(this, () -> super.cancel(false));
    }

    /**
     * How this task has ended. Called when this future is complete; or when a caller of {@link #run} that did not see
     * the place has the work, which counts as completed.
     */
    public final Count end() {
        if (isCancelled()) {
            return Count.CANCELLED;
        }
        return isCompletedExceptionally() ? Count.FAILED : Count.COMPLETED;
    }

    /** The failure of this task. Called when this future is complete. */
    public final Throwable failure() {
        try {
            super.join();
        } catch (CompletionException failed) {
            return Causes.unwrapped(failed);
        } catch (Throwable cancelled) {
            // or thrown by toString of the failure
            return cancelled;
        }
        // a caller has obtruded a result since the failure
        return new IllegalStateException("this task has not failed");
    }

    /** Completes this future. If no thread runs its task at the moment, this also ends the task. */
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
            // also if toString of the failure throws, which the JDK calls for dependent stages
            endCompletion(completion, byThisCall);
        }
        return byThisCall;
    }

    /** See {@link #complete}. */
    @Override
    public final boolean cancel(boolean mayInterruptIfRunning) {
        return cancel(mayInterruptIfRunning, () -> super.cancel(mayInterruptIfRunning));
    }

    private boolean cancel(boolean mayInterrupt, BooleanSupplier cancellation) {
        Completion completion = beginCompletion(mayInterrupt);
        boolean cancelled = true;
        try {
            cancelled = cancellation.getAsBoolean();
            if (cancelled && mayInterrupt) {
                interruptRunner();
            }
        } finally {
            endCompletion(completion, cancelled);
        }
        return cancelled;
    }

    /** Like {@code cancel(true)}, but reports what a dependent action throws: the calling thread has more to do. */
    public final void cancelContained() {
        UncaughtFailures.containing(this, () -> cancel(true));
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

    /** Called by a thread that is about to complete this future through a public method; null if there is no place. */
    private @Nullable Completion beginCompletion(boolean mayInterrupt) {
        TaskPlace current = place;
        return current == null
                ? null
                : Completion.begin(
                        current.executor(),
                        current.runsTasksOnEnd(),
                        this,
                        mayInterrupt,
                        () -> current.onCompleted(this));
    }

    private void endCompletion(@Nullable Completion completion, boolean byThisCall) {
        if (completion != null) {
            // not done if there was no stack left to complete it: then the task continues as before
            completion.end(byThisCall && isDone());
        } else if (isDone()) {
            // no place will end the task, and a wrapper may keep this future
            take();
        }
    }

    /** See {@link #complete}, which the inherited method would not call. */
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
            return super.get(timeout, unit);
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
            return super.join();
        } finally {
            Wait.end(wait);
        }
    }

    /** The place of the task; null if this future is complete, or there is no place. */
    final @Nullable TaskPlace placeUnlessDone() {
        TaskPlace current = place;
        return isDone() ? null : current;
    }

    /** The known threads that have to go on before this future can complete. */
    final List<Thread> awaitedThreads() {
        TaskPlace current = placeUnlessDone();
        return current == null ? List.of() : current.awaitedThreads();
    }

    /** Whether a place that {@code thread} has reserved holds up the task. */
    final boolean isBehindPlaceOf(Thread thread) {
        TaskPlace current = place;
        return current != null && current.ownersAhead().contains(thread);
    }

    /**
     * Whether no thread works on the task, but it holds its place: until its stage or this future is complete, or its
     * result may be written.
     */
    final boolean isHeld() {
        TaskPlace current = place;
        return current != null && current.isHeldBy(this);
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
     * A task that ends when its {@link Callable} returns.
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
     * A task that ends when its {@link Runnable} returns.
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

        /** A task whose future no caller has: its exceptions go to the uncaught exception handler. */
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
     * An asynchronous task: it returns a stage, and holds its place until that is complete.
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
     * An asynchronous task that a later one may supersede. To complete the future would let the later task start at
     * once. So {@link #supersede} cancels the stage instead, and the task ends when its stage is complete.
     *
     * @param <T> the type of the result
     */
    public static final class SupersedableStage<T extends @Nullable Object> extends Stage<T> {
        private static final VarHandle SUPERSEDED;

        static {
            try {
                SUPERSEDED = MethodHandles.lookup().findVarHandle(SupersedableStage.class, "superseded", boolean.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        /**
         * The stage that this task has started. Thread A writes {@code stage}, then reads {@code superseded}; thread B
         * writes {@code superseded}, then reads {@code stage}. So at least one of them cancels the stage.
         */
        private volatile @Nullable CompletionStage<?> stage;

        /**
         * Set by compare-and-set. Thread A writes itself as the runner, then reads this; thread B writes this, then
         * reads the runner. So A does not call the supplier, or B interrupts A.
         */
        private volatile boolean superseded;

        public SupersedableStage(Supplier<? extends @Nullable CompletionStage<T>> supplier) {
            super(supplier);
        }

        @Override
        CompletionStage<?> perform(Object taken) {
            if (superseded) {
                throw new CancellationException();
            }
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
            if (isDone() || !SUPERSEDED.compareAndSet(this, false, true)) {
                return false;
            }
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
                // then this task ends when the stage completes by itself
            } catch (Throwable ofStage) {
                // the same. Not thrown: the submission that interrupts was accepted, and must not fail
                UncaughtFailures.report(ofStage);
            }
        }
    }

    /** An item of a batch: runs together with others in one task, and ends when that ends. */
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

    /** The task of a batch, which runs its items together. */
    public static final class Whole extends TaskFuture<@Nullable Void> {
        private final Function<Object, @Nullable CompletionStage<?>> body;
        private final boolean isStage;

        /**
         * Makes a task.
         *
         * @param work any object for the first {@link #take}; an attempt gets the items instead
         * @param body does the work, given the items
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
     * A task whose result is passed on when its turn comes. Then the task ends, and this future completes.
     *
     * @param <T> the type of the result
     */
    public static final class Piece<T extends @Nullable Object> extends TaskFuture<T> {
        private final boolean isStage;

        /**
         * The result or the failure of the work. Written by the thread that ends the work, read by the thread that
         * passes it on. Set to null by the thread that ends the task, which may be one that cancels it.
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

        /** Called when the task is over: from now on, only callers that have this future need the result. */
        public void forgetResult() {
            result = null;
        }
    }
}
