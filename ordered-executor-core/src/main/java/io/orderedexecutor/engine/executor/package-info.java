/**
 * Not API. What all executors have in common, whatever their tasks wait for.
 *
 * <p>An {@link Engine} accepts submissions: {@link Lifecycle} says whether it still does, {@link Limits} whether there
 * is room, {@link WaitingRoom} who gets the next place. {@link SegmentedTable} and {@link Bins} keep what is found by a
 * key. {@link Permits} count what waits, if that has a limit.
 *
 * <p>Uses {@code pool} and {@code strand}.
 */
@NullMarked
package io.orderedexecutor.engine.executor;

import org.jspecify.annotations.NullMarked;
