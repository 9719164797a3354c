package io.orderedexecutor;

import java.util.List;

/**
 * A task of a {@link GroupedExecutor} that is accepted and not started.
 *
 * @param groups its groups
 * @param waitsFor the groups of those tasks that have to end before it can start, and for which no other of them waits; empty if it
 *     waits for nothing but a thread
 */
public record QueuedTask(Groups groups, List<Groups> waitsFor) {}
