package io.orderedexecutor.stats;

import io.orderedexecutor.Groups;
import java.util.List;

/**
 * A {@linkplain io.orderedexecutor.stats queued} task.
 *
 * @param key its key; its {@link Groups} if it has several keys or shares one. To a method that takes one key, pass one
 *     of these groups
 * @param waitsFor the same for each task directly before it in one of its keys, which has to end before it can start;
 *     for a barrier, for all tasks before it. Tasks without a key are not included
 */
public record QueuedTask(Object key, List<Object> waitsFor) {}
