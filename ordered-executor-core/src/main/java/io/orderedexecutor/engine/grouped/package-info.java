/**
 * Not API. Order by several keys at once.
 *
 * <p>A {@link GroupedTask} waits until each of its requests is granted. {@link Intent} works out what it wants of which
 * group, {@link GroupTable} finds or opens each {@link Group}, whose {@link LockQueue} grants requests in order: shared
 * ones together, exclusive ones alone. {@link Comparisons} asks tasks of the application whether they are compatible.
 * {@link ReadyList} keeps what a thread has made ready, {@link TasksAhead} finds who is in front of a task.
 *
 * <p>Uses {@code executor}, {@code strand} and {@code pool}.
 */
@NullMarked
package io.orderedexecutor.engine.grouped;

import org.jspecify.annotations.NullMarked;
