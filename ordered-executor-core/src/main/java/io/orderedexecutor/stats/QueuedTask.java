package io.orderedexecutor.stats;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import java.util.List;

/**
 * A task of a {@link GroupedExecutor} that is accepted and not started.
 *
 * @param groups its groups
 * @param waitsFor the groups of the tasks that are directly before it in each of its groups, and have to end before it
 *     can start; a barrier names all that are before it. Tasks without groups are not named. Empty if it waits for none
 *     of these
 */
public record QueuedTask(Groups groups, List<Groups> waitsFor) {}
