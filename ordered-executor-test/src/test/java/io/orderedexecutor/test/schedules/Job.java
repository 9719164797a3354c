package io.orderedexecutor.test.schedules;

import io.orderedexecutor.Batcher;
import io.orderedexecutor.WhenBusy;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A task of a schedule, in any of the shapes in which it can be submitted. It tells the {@link Model} itself when its
 * work begins and ends, so that nobody has to believe an executor. The work of a stage ends when the stage is complete.
 */
final class Job implements Runnable, Callable<String>, Supplier<CompletionStage<String>> {
    private final Model model;
    private final String name;
    private final @Nullable Object key;
    private final @Nullable WhenBusy whenBusy;
    private final Callable<String> work;
    private final Supplier<CompletableFuture<String>> stage;

    /** What it was submitted for; null before that, and for those that have none. */
    private @Nullable Future<?> future;

    /** The stage of the last attempt, which ends when that is complete; null if it is none. */
    private @Nullable CompletableFuture<String> held;

    /** The batcher that it is an item of; null if it is none. */
    private @Nullable Object batcher;

    /** What it runs together with; null before that, and for those that run alone. */
    private @Nullable Object together;

    private boolean working;
    private boolean hasBegun;

    /**
     * Makes a job.
     *
     * @param whenBusy null for one that is submitted without it
     * @param work what it does if it is not asynchronous
     * @param stage what it starts if it is
     */
    Job(
            Model model,
            String name,
            @Nullable Object key,
            @Nullable WhenBusy whenBusy,
            Callable<String> work,
            Supplier<CompletableFuture<String>> stage) {
        this.model = model;
        this.name = name;
        this.key = key;
        this.whenBusy = whenBusy;
        this.work = work;
        this.stage = stage;
    }

    String name() {
        return name;
    }

    @Nullable
    Object key() {
        return key;
    }

    boolean skipsWhenBusy() {
        return whenBusy == WhenBusy.refuse();
    }

    /** What a later job must have in common with this one to replace it; null if none can. */
    @Nullable
    Object slot() {
        if (whenBusy instanceof WhenBusy.Latest latest) {
            return latest.slot();
        }
        return whenBusy instanceof WhenBusy.Interrupt interrupt ? interrupt.slot() : null;
    }

    void isItemOf(Object newBatcher) {
        batcher = newBatcher;
    }

    @Nullable
    Object batcher() {
        return batcher;
    }

    /** It is about to begin with all others that have this. */
    void runsTogether(Object newTogether) {
        together = newTogether;
    }

    boolean runsTogetherWith(Job other) {
        return together != null && together == other.together;
    }

    /** Whether it may begin, or end another one, before the executor tells that it is accepted. */
    boolean isToldLate() {
        return slot() != null || batcher != null;
    }

    void setFuture(Future<?> future) {
        this.future = future;
    }

    boolean isFutureOf(Object returned) {
        Object submitted = returned instanceof Batcher.Item<?, ?> item ? item.item() : returned;
        return submitted == this || submitted == future;
    }

    boolean isCancelled() {
        return future != null && future.isCancelled();
    }

    boolean hasBegun() {
        return hasBegun;
    }

    /** Whether it works at this moment, whatever an executor thinks. */
    boolean isWorking() {
        return working && !(held != null && held.isDone());
    }

    private void begin() {
        model.begins(this);
        held = null;
        working = true;
        hasBegun = true;
    }

    private void end() {
        working = false;
    }

    // as it is submitted

    @Override
    public String call() throws Exception {
        begin();
        try {
            return work.call();
        } finally {
            end();
        }
    }

    @Override
    public void run() {
        try {
            String unused = call();
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Exception checked) {
            throw new CompletionException(checked);
        }
    }

    /** A cancelled stage is complete, though its answer may still come. */
    @Override
    public CompletionStage<String> get() {
        begin();
        try {
            held = stage.get().whenComplete((answer, failure) -> end());
            return held;
        } catch (RuntimeException | Error failure) {
            end();
            throw failure;
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
