package io.orderedexecutor.stats;

import io.orderedexecutor.Groups;
import io.orderedexecutor.TaskListener;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A running task, or an asynchronous one that is not complete.
 *
 * @param key its key; its {@link Groups} if it has several keys or shares one; null if it has none
 * @param thread the thread that runs it; null if it is asynchronous and no thread does
 * @param task what was submitted; null unless the executor has a {@link TaskListener}
 * @param age time since it started; null unless the executor has a {@link TaskListener}
 */
public record RunningTask(
        @Nullable Object key,
        @Nullable Thread thread,
        @Nullable Object task,
        @Nullable Duration age) {}
