package io.orderedexecutor.stats;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import java.util.List;

/**
 * A task of a {@link GroupedExecutor} that is accepted and not started.
 *
 * @param groups its groups
 * @param waitsFor the groups of the tasks directly before it in each of its groups, which have to end before it can
 *     start; for a barrier, of all tasks before it. Tasks without groups are not included
 */
public record QueuedTask(Groups groups, List<Groups> waitsFor) {}
