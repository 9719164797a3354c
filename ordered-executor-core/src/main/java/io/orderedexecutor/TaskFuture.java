package io.orderedexecutor;

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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A task with a result.
 *
 * <p>The work belongs to whoever takes it out of {@code work}: the thread that starts it, or a cancellation, which
 * thereby frees at once what the work refers to. A future that is done before its work is started, by whomever, is
 * never started.
 *
 * <p>Dependent actions without an executor of their own run on the thread that completes the future, before the next
 * task of the strand.
 *
 * @param <T> the type of the result
 */
abstract class TaskFuture<T extends @Nullable Object> extends CompletableFuture<T> implements RunnableFuture<T> {
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

    /** What is to be done: emptied by an atomic exchange, or by a cancellation. */
    private volatile @Nullable Object work;

    /**
     * The thread that does it, or the {@link Interruption} that is on its way to it. Set by that thread before it asks
     * whether the future is cancelled, and cleared by an atomic exchange; replaced by a cancellation by
     * compare-and-set, after the future is cancelled. So one of the two sees the other, and the interrupt of a
     * cancellation never reaches the next task of that thread.
     */
    private volatile @Nullable Object runner;

    /** An interrupt that is delivered while its monitor is held, which nobody else can get hold of. */
    private static final class Interruption {
        synchronized void awaitDelivery() {
            // whoever is inside has delivered it
        }
    }

    /**
     * Where this task is, until it has run. Written by the submitter before the link is published, and cleared by the
     * runner. Plain: whoever got this future from the submitter sees the place or that it is no longer needed.
     */
    private @Nullable Strand strand;

    private @Nullable Link link;

    TaskFuture(Object work) {
        // plain is enough: the future is published with its link
        WORK.set(this, work);
    }

    static <T extends @Nullable Object> TaskFuture<T> of(Callable<T> callable) {
        return new OfCallable<>(callable);
    }

    static <T extends @Nullable Object> TaskFuture<T> of(Runnable runnable, T result) {
        return new OfRunnable<>(runnable, result);
    }

    /**
     * What is to be executed of an application's task. One of these futures that has a place, or has had it, must not
     * get another: it is run like any task, for what is left to do of it.
     */
    @SuppressWarnings("UnnecessaryMethodReference") // the future itself would be known for what it is
    static Runnable asPlain(Runnable task) {
        return task instanceof TaskFuture<?> future && (future.strand != null || future.work == null)
                ? future::run
                : task;
    }

    /** Notes where this task waits; called again if that strand ends before it takes the link. */
    final void waitIn(Strand strand, Link link) {
        this.strand = strand;
        this.link = link;
    }

    /** Where this task is; null once it has run. */
    final @Nullable Strand strand() {
        return strand;
    }

    /**
     * Takes the work: for whoever gets it, to do it, or to say that it will not be done. Null if somebody else has it.
     */
    final @Nullable Object take() {
        return work == null ? null : WORK.getAndSet(this, null);
    }

    /**
     * Does the work.
     *
     * @param taken what {@link #take} gave
     * @return what it threw, which has not completed this future yet; null if it threw nothing
     */
    final @Nullable Throwable attempt(Object taken) {
        Throwable failure = null;
        runner = Thread.currentThread();
        try {
            // asked when the runner is known: a cancellation from here on interrupts it
            if (!isDone()) {
                perform(taken);
            }
        } catch (Throwable thrown) {
            failure = thrown;
        }
        if (RUNNER.getAndSet(this, null) instanceof Interruption interruption) {
            // it arrives before this thread goes on, and is cleared then
            interruption.awaitDelivery();
        }
        return failure;
    }

    /** For whoever takes this for a mere {@link Runnable}. */
    @Override
    public final void run() {
        Object taken = take();
        Throwable failure = taken == null || isDone() ? null : attempt(taken);
        if (failure != null) {
            fail(failure);
        }
    }

    /** Does the work and completes this future, now or later, unless it throws. */
    abstract void perform(Object taken) throws Exception;

    /** Makes this task ready for another attempt. */
    final void putBack(Object taken) {
        work = taken;
    }

    /** What waits for the stage of the latest attempt; null if this task is not asynchronous. */
    @Nullable
    Hold hold() {
        return null;
    }

    /**
     * Drops what an attempt has left, of which whoever keeps this future has no use. Called once this task has ended.
     */
    void forgetAttempt() {}

    /** What a stage has failed with, without what a stage behind it wraps around it. */
    static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    static <T extends @Nullable Object> CompletionStage<T> stageOf(
            Supplier<? extends @Nullable CompletionStage<T>> supplier) {
        CompletionStage<T> stage = supplier.get();
        if (stage == null) {
            throw new NullPointerException("the supplier of an asynchronous task returned null instead of a stage");
        }
        return stage;
    }

    /**
     * Refuses what a task has returned if that is the future of a task that has to wait until this one has ended: the
     * two would wait for each other for ever, and with them all that is behind them.
     */
    final void requireOthers(CompletionStage<?> returned) {
        if (returned instanceof TaskFuture<?> other && (other == this || other.waitsBehind(this))) {
            throw new SelfWaitException(
                    "this task would wait for itself: it has returned the future of " + other.describe()
                            + ", which has to wait until this task has ended. Do that work within this task, or "
                            + "return a stage that does"
                            + " not depend on it");
        }
    }

    /** Whether this task waits, directly or behind others, until one has ended that runs. */
    private boolean waitsBehind(TaskFuture<?> running) {
        Strand strand = this.strand;
        Link link = this.link;
        Strand held = running.strand;
        if (strand == null || link == null || held == null || isDone()) {
            return false;
        }
        return (link.waiting() == this || waitsForOthersToTheEnd()) && strand.isBehind(held);
    }

    /** Called when the stage of an asynchronous task has failed. */
    final void failStage(Hold hold, Throwable failure) {
        Strand strand = this.strand;
        if (strand == null || strand.failurePolicy() == FailurePolicy.proceed()) {
            completeExceptionally(failure);
        } else {
            hold.failure = failure;
            TaskLife.goOnAfter(strand, hold);
        }
    }

    // the end

    /**
     * Completes this future. If its task waits it is taken out of its strand; if it is asynchronous and holds the
     * strand, that goes on. The dependent actions run before that, as they do with a task that runs to its end.
     */
    @Override
    public final boolean complete(T value) {
        return finish(() -> super.complete(value));
    }

    /** See {@link #complete}. */
    @Override
    public final boolean completeExceptionally(Throwable failure) {
        return finish(() -> super.completeExceptionally(failure));
    }

    /**
     * Completes this future with what its task has thrown. A {@link CancellationException} is wrapped, as the JDK does
     * for dependent stages: bare, it would say that somebody has cancelled this future.
     */
    final void fail(Throwable thrown) {
        completeExceptionally(thrown instanceof CancellationException ? new CompletionException(thrown) : thrown);
    }

    /** See {@link #complete}. */
    @Override
    public final boolean cancel(boolean mayInterruptIfRunning) {
        return finish(() -> {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            if (cancelled && mayInterruptIfRunning) {
                interruptRunner();
            }
            return cancelled;
        });
    }

    /** See {@link #complete}. */
    @Override
    public final void obtrudeValue(T value) {
        var unused = finish(() -> {
            super.obtrudeValue(value);
            return true;
        });
    }

    /** See {@link #complete}. */
    @Override
    public final void obtrudeException(Throwable failure) {
        var unused = finish(() -> {
            super.obtrudeException(failure);
            return true;
        });
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

    /**
     * Tries to complete this future, and sees to its strand, whatever comes of it. If this is the asynchronous task
     * that holds the strand, this thread is the holder meanwhile, as it would be if it had run the task.
     *
     * @param way returns whether it has completed this future
     */
    private boolean finish(BooleanSupplier way) {
        Strand strand = this.strand;
        Hold held = strand == null ? null : strand.hold();
        if (strand != null && held != null && held.future == this) {
            HeldCompletion step = new HeldCompletion(strand, held, way);
            if (strand.enterAndServe(held, step, true)) {
                return step.result();
            }
        }
        boolean completed = true;
        try {
            completed = way.getAsBoolean();
        } finally {
            if (completed && isDone()) {
                leaveStrand();
            }
        }
        return completed;
    }

    /** Called by the thread that has completed this future, when the dependent actions have run. */
    private void leaveStrand() {
        settle();
        Strand strand = this.strand;
        Link link = this.link;
        Object unstarted = take();
        if (unstarted != null && strand != null && link != null) {
            strand.takeOutDone(link, this, unstarted);
        }
        // whoever holds the strand for this future has seen that it is settled, or is seen here
        Hold held = strand == null ? null : strand.hold();
        if (strand != null && held != null && held.future == this) {
            TaskLife.goOnAfter(strand, held);
        }
    }

    /** A try to complete the future of the asynchronous task that holds a strand, by the holder. */
    private final class HeldCompletion implements Strand.FirstStep {
        private final Strand strand;
        private final Hold held;
        private final BooleanSupplier way;
        private boolean completed;
        private @Nullable Throwable thrown;

        HeldCompletion(Strand strand, Hold held, BooleanSupplier way) {
            this.strand = strand;
            this.held = held;
            this.way = way;
        }

        @Override
        public boolean take(Thread holder) {
            try {
                completed = way.getAsBoolean();
            } catch (Throwable failure) {
                thrown = failure;
            }
            if ((completed || thrown != null) && isDone()) {
                settle();
            }
            return TaskLife.endHold(strand, held, holder);
        }

        boolean result() {
            Throwable failure = thrown;
            if (failure != null) {
                throw TaskFuture.<RuntimeException>unchecked(failure);
            }
            return completed;
        }
    }

    /** What a method of a {@link CompletableFuture} has thrown, which declares nothing. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> E unchecked(Throwable failure) throws E {
        throw (E) failure;
    }

    /** Called by the thread that has completed this future, when the dependent actions have run. */
    void settle() {}

    private void interruptRunner() {
        if (runner instanceof Thread thread) {
            Interruption interruption = new Interruption();
            synchronized (interruption) {
                if (RUNNER.compareAndSet(this, thread, interruption)) {
                    thread.interrupt();
                }
            }
        }
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

    /** The threads that have to get on with what they do before this future can be done, as far as they are known. */
    final List<Thread> awaitedThreads() {
        Strand strand = this.strand;
        Link link = this.link;
        if (strand == null || link == null || isDone()) {
            return List.of();
        }
        boolean ahead = link.waiting() == this || runner != null || waitsForOthersToTheEnd();
        return ahead ? strand.threadsAhead() : List.of();
    }

    /** Whether there may be somebody to wait for even if this task has been worked on. */
    boolean waitsForOthersToTheEnd() {
        return false;
    }

    /** Names this task and its strand, for people. */
    final String describe() {
        Strand strand = this.strand;
        Object work = this.work;
        String task = work == null ? "the running task" : "task " + TaskReporter.toString(work);
        return task + (strand == null ? "" : " of " + strand.describe());
    }

    /** How this task, which is done, has ended. It has no place in its strand from now on. */
    final TaskEnd end() {
        strand = null;
        link = null;
        forgetAttempt();
        if (isCancelled()) {
            return TaskEnd.CANCELLED;
        }
        return isCompletedExceptionally() ? TaskEnd.FAILED : TaskEnd.COMPLETED;
    }

    /** What this future, which is done, has failed with. */
    final Throwable failure() {
        try {
            super.join();
        } catch (CompletionException failed) {
            Throwable cause = failed.getCause();
            return cause == null ? failed : cause;
        } catch (CancellationException cancelled) {
            return cancelled;
        }
        throw new IllegalStateException("this task has not failed");
    }

    /** What the submitter gave; null once it is taken. */
    final @Nullable Object work() {
        return work;
    }

    /** What the submitter gave if it is a {@link Runnable}, and else this future in its place. */
    final Runnable asSubmitted() {
        return work instanceof Runnable runnable ? runnable : this;
    }

    static final class OfCallable<T extends @Nullable Object> extends TaskFuture<T> {

        OfCallable(Callable<T> callable) {
            super(callable);
        }

        @Override
        @SuppressWarnings("unchecked")
        void perform(Object taken) throws Exception {
            complete(((Callable<T>) taken).call());
        }
    }

    static final class OfRunnable<T extends @Nullable Object> extends TaskFuture<T> {
        private final T result;

        OfRunnable(Runnable runnable, T result) {
            super(runnable);
            this.result = result;
        }

        @Override
        void perform(Object taken) {
            ((Runnable) taken).run();
            complete(result);
        }
    }
}
