package io.orderedexecutor.engine.task;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The place of a task, as its {@link TaskFuture} sees it. Called by any thread, with no lock held. */
public interface TaskPlace extends Reasons.HeldUp {

    /**
     * Called by the thread that runs the task, when the task has returned, before that thread completes the future. Not
     * called for a task that has returned a stage, nor for a piece: their futures are completed later.
     */
    void onReturn();

    /** Called by the thread that ends the task, before it tries to complete the future with the failure of the task. */
    default void onFailure(Throwable failure) {}

    /** The executor of the task, for {@link Completion}. */
    Object executor();

    /** Whether the thread that calls {@link #onCompleted} may run the tasks behind. */
    boolean runsTasksOnEnd();

    /** Whether the attempt at this task awaits its stage, or the turn to write its result. */
    boolean isHeldBy(TaskFuture<?> task);

    /** Called by a thread that has completed the future, perhaps before the task has run. */
    void onCompleted(TaskFuture<?> future);

    /** The known threads that have to go on before the task can end. */
    List<Thread> awaitedThreads();

    /** The threads whose reservations hold up the task. */
    List<Thread> ownersAhead();

    /** Whether this place has to wait until another one has left its orders. */
    boolean isBehind(TaskPlace other);

    /** Names the place in messages. */
    String describe();

    /** For how long a task of this place has been queued; null if tasks are not timed. */
    @Nullable
    Duration queuedFor(TaskFuture<?> task);
}
