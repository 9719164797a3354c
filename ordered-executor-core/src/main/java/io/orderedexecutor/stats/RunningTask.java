package io.orderedexecutor.stats;

import io.orderedexecutor.Groups;
import io.orderedexecutor.TaskListener;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A running task, or an asynchronous one that is not complete.
 *
 * @param key its key; its {@link Groups} if it has several keys or shares one; null if it has none
 * @param thread the thread that runs it; null if no thread does: it is asynchronous, or a piece whose result waits to
 *     be written
 * @param task what was submitted; null without a {@link TaskListener}, or if the task has just begun or just ended
 * @param age time since it started; null if {@code task} is
 */
public record RunningTask(
        @Nullable Object key,
        @Nullable Thread thread,
        @Nullable Object task,
        @Nullable Duration age) {}
