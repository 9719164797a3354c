package io.orderedexecutor.stats;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;

/**
 * A failed task of a {@link GroupedExecutor} that holds its groups until {@link GroupedExecutor#resume(Object) resume}
 * or {@link GroupedExecutor#skip skip}.
 *
 * @param groups the groups that it holds
 * @param failure what it threw
 */
public record ParkedTask(Groups groups, Throwable failure) {}
