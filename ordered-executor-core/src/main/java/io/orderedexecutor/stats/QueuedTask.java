package io.orderedexecutor.stats;

import io.orderedexecutor.Groups;
import java.util.List;

/**
 * A {@linkplain io.orderedexecutor.stats queued} task.
 *
 * @param key what it was submitted to: its stripe, or in a grouped executor its {@link Groups}. One of these is to be
 *     passed where a key is wanted
 * @param waitsFor the same of the tasks directly before it in each of its keys, which have to end before it can start;
 *     for a barrier, of all tasks before it. Tasks without a key are not included
 */
public record QueuedTask(Object key, List<Object> waitsFor) {}
