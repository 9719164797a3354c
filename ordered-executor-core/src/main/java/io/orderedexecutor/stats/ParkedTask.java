package io.orderedexecutor.stats;

import io.orderedexecutor.Batcher;
import io.orderedexecutor.ExecutorControl;
import io.orderedexecutor.Groups;
import java.time.Duration;

/**
 * A failed task that holds its keys until {@link ExecutorControl#resume(Object) resume} or {@link ExecutorControl#skip
 * skip}.
 *
 * @param key its key; its {@link Groups} if it has several keys or shares one. To resume or skip the task, pass the key
 *     or one of the groups
 * @param task what was submitted; for a batch, the list of its {@linkplain Batcher items}
 * @param failure the exception of the task (of a stage, without its {@link java.util.concurrent.CompletionException})
 * @param attempts how many attempts have failed since it was submitted, or resumed for the last time
 * @param age time since it was parked
 */
public record ParkedTask(Object key, Object task, Throwable failure, int attempts, Duration age) {}
