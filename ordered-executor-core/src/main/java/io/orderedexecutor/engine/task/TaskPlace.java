package io.orderedexecutor.engine.task;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the task of a {@link TaskFuture} stands, as the future sees it. Called by any thread, with no lock held. */
public interface TaskPlace extends Reasons.HeldUp {

    /** Called by the thread that runs the task, when that has returned and before its future is complete. */
    void onReturn();

    /** The executor of which a wait lets the task leave whose future is complete; null if no wait does. */
    @Nullable
    Object executorThatFollows();

    /** Called by a thread that has completed the future, which may have been before its task has run. */
    void onCompleted(TaskFuture<?> future);

    /** The threads that have to get on with what they do before the task can end, as far as they are known. */
    List<Thread> awaitedThreads();

    /** The threads that hold the task up by places which they have reserved. */
    List<Thread> ownersAhead();

    /** Whether this place has to wait until another one has been left. */
    boolean isBehind(TaskPlace other);

    /** Names the place in messages. */
    String describe();

    /** Since when the task was accepted; null if tasks are not timed. */
    @Nullable
    Duration queuedFor();
}
