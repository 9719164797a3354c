package io.orderedexecutor.engine.task;

import io.orderedexecutor.stats.Explanation.Place;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The future of a task, as those see it who look for what it waits for. */
public interface Awaited {

    /**
     * A task that has not ended, and what it is for those who explain it.
     *
     * @param place where it is
     * @param task what was submitted; null if it runs
     * @param waited since it was accepted; null if it runs, or tasks are not timed
     * @param what where the way to what holds it up begins
     */
    record Unended(
            Place place, @Nullable Object task, @Nullable Duration waited, HeldUp what) {}

    boolean isDone();

    /** The threads that have to get on with what they do before this future can be done, as far as they are known. */
    List<Thread> awaitedThreads();

    /** Whether {@code thread} holds the task up by a place that it has reserved. */
    boolean isBehindPlaceOf(Thread thread);

    /** Names the task and its place in messages. */
    String describe();

    /** Null if the task has ended. */
    @Nullable
    Unended unended();
}
