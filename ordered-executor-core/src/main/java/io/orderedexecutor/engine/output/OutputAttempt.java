package io.orderedexecutor.engine.output;

import io.orderedexecutor.engine.strand.AsyncAttempt;
import io.orderedexecutor.engine.strand.Serving;
import io.orderedexecutor.engine.strand.TaskEvents;
import io.orderedexecutor.engine.strand.TaskFuture;
import io.orderedexecutor.engine.strand.TaskLife;
import io.orderedexecutor.engine.strand.TaskRun;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at an {@link OutputTask}, which holds its strand from the end of the work until its output has run. It
 * takes its turn when two things have happened, in any order: the work is finished, and the thread that has started it
 * has left the strand. If that thread finishes the work in its turn, it need not leave, and runs the output as the
 * holder that it is.
 *
 * @param <T> the type of the result
 */
final class OutputAttempt<T extends @Nullable Object> extends AsyncAttempt implements Runnable {
    private static final VarHandle HAPPENED;

    static {
        try {
            HAPPENED = MethodHandles.lookup().findVarHandle(OutputAttempt.class, "happened", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int FINISHED = 1;
    private static final int LEFT = 2;

    /** A thread is about to say how the work has finished. */
    private static final int FINISHING = 4;

    /** The same as {@link #future}, and typed. */
    private final TaskFuture<T> promise;

    private final OutputTask<T> task;

    /** What the work has given, or thrown. Written before {@link #FINISHED} is set by the thread that writes it. */
    private @Nullable T value;

    private @Nullable Throwable thrown;

    /** When, by {@link System#nanoTime}; 0 without a listener. Written as the value is. */
    private long finishedAt;

    /** Which of the two has happened; the thread that adds the second takes the turn. Bits are added atomically. */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private volatile int happened;

    OutputAttempt(TaskFuture<T> future, OutputTask<T> task) {
        super(future);
        this.promise = future;
        this.task = task;
    }

    // the work

    /**
     * The work is finished, perhaps on a thread of others, which is not kept for outputs. The first call counts: a
     * stage of others may tell its end and throw then.
     */
    void finish(@Nullable T result, @Nullable Throwable failure) {
        if ((note(FINISHING) & FINISHING) != 0) {
            return;
        }
        value = result;
        thrown = failure;
        finishedAt = task.output().nowIfListening();
        if (isSecond(FINISHED)) {
            task.takeTurn(this, false);
        }
    }

    /**
     * As {@link #finish}, for the thread that has started the work, and makes the first call: no other thread knows of
     * this yet.
     */
    void finishHere(@Nullable T result) {
        value = result;
        finishedAt = task.output().nowIfListening();
        // plain is enough: another thread that is to see it gets this from the holder of the strand
        HAPPENED.set(this, FINISHING | FINISHED);
    }

    @Override
    public boolean endsHere() {
        return ((int) HAPPENED.getAcquire(this) & FINISHED) != 0 && task.takeTurnHere(this);
    }

    private boolean isSecond(int event) {
        return (note(event) & (FINISHED | LEFT)) == (FINISHED | LEFT) - event;
    }

    /** Returns what had happened before. */
    private int note(int event) {
        return (int) HAPPENED.getAndBitwiseOr(this, event);
    }

    /** The thread that has started the work has left the strand. */
    @Override
    public void held() {
        if (isSecond(LEFT)) {
            task.takeTurn(this, true);
        }
    }

    // the output

    /**
     * Runs the output, in its turn, unless another thread is ending this task.
     *
     * @return false if the ticket was left to that one
     */
    boolean write() {
        Thread thread = Thread.currentThread();
        if (task.isHeldBy(thread)) {
            if (writeAsHolder(thread)) {
                Serving.goOn(task, thread);
            }
            return true;
        }
        // an interrupt that this thread has brought along is meant for no output
        boolean interrupted = Thread.interrupted();
        boolean entered = Serving.enter(task, this, this::writeAsHolder, true);
        if (interrupted) {
            thread.interrupt();
        }
        return entered || task.awaitAgain();
    }

    /** The same, for a caller to which this is a mere {@link Runnable}. */
    @Override
    public void run() {
        write();
    }

    /** Returns whether this thread still holds the strand. */
    private boolean writeAsHolder(Thread holder) {
        if (!promise.isDone()) {
            task.output().write(this, value, thrown);
        }
        // an interrupt that was meant for this output is meant for no other
        Thread.interrupted();
        return TaskLife.endAttempt(task, this, holder);
    }

    /** Called when the output has run from {@code begunAt} to now. */
    @SuppressWarnings("NullAway") // null only if T says so
    void written(@Nullable T written, long begunAt) {
        TaskEvents events = task.host().reporter().events();
        TaskRun run = task.run;
        Object work = run == null ? null : run.task();
        if (events != null && work != null) {
            events.written(
                    task.key, work, begunAt - finishedAt, task.host().platform().nanoTime() - begunAt);
        }
        promise.complete(written);
    }

    void failed(Throwable failure) {
        promise.completeExceptionally(failure);
    }
}
