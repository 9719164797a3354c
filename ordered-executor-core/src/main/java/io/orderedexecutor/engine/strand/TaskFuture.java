package io.orderedexecutor.engine.strand;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.task.Awaited;
import io.orderedexecutor.engine.task.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A task with a result.
 *
 * <p>Dependent actions without an executor of their own run on the thread that completes the future, before the next
 * task of the strand.
 *
 * @param <T> the type of the result
 */
public abstract class TaskFuture<T extends @Nullable Object> extends WorkFuture<T> implements Awaited {

    public TaskFuture(Object work, boolean settlesLate) {
        super(work, settlesLate);
    }

    /**
     * What is to be executed of an application's task. One of these futures that has a place, or has had it, must not
     * get another: it is run like any task, for what is left to do of it.
     */
    @SuppressWarnings("UnnecessaryMethodReference")
    public // the future itself would be known for what it is
    static Runnable asPlain(Runnable task) {
        return task instanceof TaskFuture<?> future && (future.queue() != null || future.work() == null)
                ? future::run
                : task;
    }

    /** Where this task is; null once it has ended. */
    public final @Nullable Strand strand() {
        return (Strand) queue();
    }

    /**
     * Refuses what a task has returned if that is the future of a task that has to wait until this one has ended: the
     * two would wait for each other for ever, and with them all that is behind them.
     */
    public final void requireOthers(CompletionStage<?> returned) {
        if (returned instanceof TaskFuture<?> other && (other == this || other.waitsBehind(this))) {
            throw new SelfWaitException(
                    "this task would wait for itself: it has returned the future of " + other.describe()
                            + ", which has to wait until this task has ended. Do that work within this task, or "
                            + "return a stage that does"
                            + " not depend on it");
        }
    }

    /** Whether this task waits, directly or behind others, until one has ended that runs. */
    protected boolean waitsBehind(TaskFuture<?> running) {
        Strand strand = strand();
        Strand held = running.strand();
        return strand != null && held != null && !isDone() && strand.ahead().contains(held);
    }

    /**
     * Cancels this task, which has started and is not parked, for a later one that takes its place.
     *
     * @return false if it comes too late
     */
    boolean supersede(Strand strand) {
        return cancel(true);
    }

    /** Called when the stage of an asynchronous task has failed. */
    public final void failStage(AsyncAttempt hold, Throwable failure) {
        Strand strand = strand();
        if (strand == null || strand.failurePolicy() == FailurePolicy.proceed()) {
            noteReturn();
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
    protected boolean finish(BooleanSupplier way) {
        Strand strand = strand();
        AsyncAttempt held = strand == null ? null : strand.hold();
        if (strand != null && held != null && held.future == this) {
            HeldCompletion step = new HeldCompletion(strand, held, way);
            if (Serving.enter(strand, held, step, true)) {
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
    final void leaveStrand() {
        settle();
        Strand strand = strand();
        Link link = link();
        Object unstarted = take();
        if (unstarted != null && strand != null && link != null) {
            StrandControl.takeOutDone(strand, link, this, unstarted);
        }
        // a thread that leaves the strand to this future has seen that it is settled, or is seen here
        AsyncAttempt held = strand == null ? null : strand.hold();
        if (strand != null && held != null && held.future == this) {
            TaskLife.goOnAfter(strand, held);
        }
    }

    /** A try to complete the future of the asynchronous task that holds a strand, by the holder. */
    private final class HeldCompletion implements Serving.FirstStep {
        private final Strand strand;
        private final AsyncAttempt held;
        private final BooleanSupplier way;
        private boolean completed;
        private @Nullable Throwable thrown;

        HeldCompletion(Strand strand, AsyncAttempt held, BooleanSupplier way) {
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
            return TaskLife.endAttempt(strand, held, holder);
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

    /** The threads that have to get on with what they do before this future can be done, as far as they are known. */
    @Override
    public List<Thread> awaitedThreads() {
        Strand strand = strand();
        if (strand == null || isDone()) {
            return List.of();
        }
        Collection<? extends Strand> allAhead = strand.ahead();
        List<Thread> threads = new ArrayList<>(ownersOfPlacesAhead(strand, allAhead));
        for (Strand ahead : allAhead) {
            Thread thread = ahead.holdingThread();
            if (thread != null) {
                threads.add(thread);
            }
        }
        return threads;
    }

    private Set<Thread> ownersOfPlacesAhead(Strand strand, Collection<? extends Strand> ahead) {
        Link link = link();
        return link == null ? Set.of() : strand.host().openPlaces().ownersAhead(strand, link, ahead);
    }

    /** Whether {@code thread} holds this task up by a place that it has reserved. */
    @Override
    public final boolean isBehindPlaceOf(Thread thread) {
        Strand strand = strand();
        return strand != null && ownersOfPlacesAhead(strand, strand.ahead()).contains(thread);
    }

    /** Names this task and its strand in messages. */
    @Override
    public String describe() {
        Strand strand = strand();
        Object work = work();
        String task = work == null ? "the running task" : "task " + TaskReporter.toString(work);
        return task + (strand == null ? "" : " of " + strand);
    }

    @Override
    public @Nullable Unended unended() {
        Strand strand = strand();
        Link link = link();
        Object work = work();
        if (strand == null || isDone()) {
            return null;
        }
        Duration waited = work == null || link == null || link.queuedAt() == 0
                ? null
                : Duration.ofNanos(strand.host().platform().nanoTime() - link.queuedAt());
        return new Unended(StrandReasons.placeOf(strand), work, waited, strand);
    }
}
